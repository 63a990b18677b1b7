import { z } from 'zod';

/** What was seen in one n8n. Where something went wrong, `problems` says what. */
const triedN8n = z.object({
	n8n: z.string(),
	node: z.string(),
	date: z.string(),
	/** The package's node types that n8n lists, without the package's name. */
	nodeTypes: z.array(z.string()),
	operations: z.array(z.string()),
	triggerEvent: z.boolean(),
	wait: z.boolean(),
	/** Whether n8n adds a token of its own to the URL on which an execution waits. */
	resumeToken: z.boolean(),
	problems: z.array(z.string()),
});

export const results = z.array(triedN8n);

export type TriedN8n = z.infer<typeof triedN8n>;
