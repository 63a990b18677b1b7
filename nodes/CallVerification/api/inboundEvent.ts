import { z } from 'zod';

/** Section 6: what the service posts when the awaited call has come. */
const inboundEvent = z.object({
	callId: z.string().min(1),
	callbackLink: z.string(),
	clientNumber: z.string().min(1),
	confirmationNumber: z.string(),
	isMnp: z.boolean(),
	operatorName: z.string(),
	operatorNameMnp: z.string(),
	regionName: z.string(),
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
	const field = result.error.issues[0]?.path[0];
	return {
		ok: false,
		reason:
			field === undefined
				? 'The body is not a JSON object'
				: `The field "${String(field)}" is missing or of the wrong type`,
	};
}
