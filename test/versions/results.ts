import { z } from 'zod';

/** The results for one n8n version. `problems` lists what went wrong. */
const triedN8n = z.object({
	n8n: z.string(),
	/** Left out for the n8n's own. */
	defaults: z.literal('3.0').optional(),
	node: z.string(),
	date: z.string(),
	/** The package's node types that n8n lists, without the package name. */
	nodeTypes: z.array(z.string()),
	operations: z.array(z.string()),
	triggerEvent: z.boolean(),
	wait: z.boolean(),
	/** Whether n8n adds its own token to an execution's resume URL. */
	resumeToken: z.boolean(),
	problems: z.array(z.string()),
});

export const results = z.array(triedN8n);

export type TriedN8n = z.infer<typeof triedN8n>;
