import { z } from 'zod';

/**
 * What is accepted is stored with the execution, and n8n takes bodies of 16 MB. The longest true text
 * is a callback URL with a reference of 500 characters, each spelled in up to twelve.
 */
const LONGEST_TEXT = 10_000;

const text = z.string().max(LONGEST_TEXT);

/** Section 6: what the service posts when the awaited call has come. */
const inboundEvent = z.object({
	callId: text.min(1),
	callbackLink: text,
	clientNumber: text.min(1),
	confirmationNumber: text,
	isMnp: z.boolean(),
	operatorName: text,
	operatorNameMnp: text,
	regionName: text,
});

export type InboundEvent = z.output<typeof inboundEvent>;

export type InboundEventReading = { ok: true; event: InboundEvent } | { ok: false; reason: string };

/**
 * Strict, and nothing is passed through: unlike an answer, an event comes from whoever knows the
 * address. The reason names the field and never its value.
 */
export function readInboundEvent(body: unknown): InboundEventReading {
	const result = inboundEvent.safeParse(body);
	if (result.success) return { ok: true, event: result.data };
	const issue = result.error.issues[0];
	const field = issue?.path[0];
	if (field === undefined) return { ok: false, reason: 'The body is not a JSON object' };
	const problem = issue?.code === 'too_big' ? 'too long' : 'missing or of the wrong type';
	return { ok: false, reason: `The field "${String(field)}" is ${problem}` };
}
