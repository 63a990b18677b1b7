import { z } from 'zod';

const heapSample = z.object({ hours: z.number(), bytes: z.number() });

const work = z.object({
	sent: z.number(),
	/** Without an effect, for whatever reason. */
	lost: z.number(),
	twice: z.number(),
});

/** The results of an endurance run. The table and the verdict are made from these alone. */
export const enduranceResults = z.object({
	n8n: z.string(),
	minutes: z.number(),
	checks: work,
	calls: work,
	events: work,
	samples: z.array(heapSample),
	limitBytes: z.number(),
});

export type EnduranceResults = z.infer<typeof enduranceResults>;
export type HeapSample = z.infer<typeof heapSample>;
export type Work = z.infer<typeof work>;
