import { z } from 'zod';

const heapSample = z.object({ hours: z.number(), bytes: z.number() });

const work = z.object({
	sent: z.number(),
	/** Without an effect, however that came. */
	lost: z.number(),
	twice: z.number(),
});

/** What an endurance run has found. The table and the verdict are made from it alone. */
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
