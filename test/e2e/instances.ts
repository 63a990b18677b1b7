import { z } from 'zod';

export const INSTANCES_VARIABLE = 'E2E_INSTANCES';

const instance = z.object({
	line: z.enum(['1.x', '2.x']),
	version: z.string(),
	url: z.string(),
	userFolder: z.string(),
});
export type Instance = z.infer<typeof instance>;

/** The n8ns started by the setup, one per release line. */
export const instances = z
	.array(instance)
	.parse(JSON.parse(process.env[INSTANCES_VARIABLE] ?? '[]'));
