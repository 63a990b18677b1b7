import { z } from 'zod';

import { type OutputField, readFlag } from '../contract/fields';
import { anyValue } from '../contract/request';
import { type TrueSeal, withoutSeal } from './callbackSeal';

/**
 * An accepted event is stored with the execution, and n8n accepts bodies of 16 MB. The longest real text is a callback
 * URL with a reference of 500 characters, each encoded in up to twelve.
 */
const LONGEST_TEXT = 10_000;

/** Without these two, an event is useless. */
const neededText = anyValue.transform(exactText).pipe(z.string().trim().min(1).max(LONGEST_TEXT));

/** A verified call must not be lost because of these, so an unreadable value becomes empty. */
const optionalText = anyValue.transform((value) => {
	const text = exactText(value) ?? '';
	return text.length > LONGEST_TEXT ? '' : text;
});

/** Section 6: what the service posts when the call has arrived. */
const inboundEvent = z.object({
	callId: neededText,
	callbackLink: optionalText,
	clientNumber: neededText,
	confirmationNumber: optionalText,
	isMnp: anyValue.transform((value) => readFlag(value) === true),
	operatorName: optionalText,
	operatorNameMnp: optionalText,
	regionName: optionalText,
});

export type InboundEvent = z.output<typeof inboundEvent>;

/** The output of the trigger and of Wait. */
export const eventFields = {
	callId: { type: 'string', meaning: 'identifier of the call: `vendor_id` of Start' },
	callbackLink: { type: 'string', meaning: 'the callback URL, as the service repeats it' },
	clientNumber: { type: 'string', meaning: 'the number that was verified' },
	confirmationNumber: { type: 'string', meaning: 'the number that was called' },
	isMnp: { type: 'boolean', meaning: 'the number was ported to another operator' },
	operatorName: {
		type: 'string',
		meaning: 'original operator of the number; empty if `isMnp` is false',
	},
	operatorNameMnp: {
		type: 'string',
		meaning: 'operator the number was ported to; empty if `isMnp` is false',
	},
	regionName: { type: 'string', meaning: 'region' },
	reference: { type: 'string', meaning: 'your own text from Start' },
	issued_by: { type: 'string', meaning: 'the workflow that requested the call, by its ID' },
	received_at: { type: 'string', meaning: 'when n8n received the event' },
} as const satisfies Record<
	keyof InboundEvent | 'reference' | 'issued_by' | 'received_at',
	OutputField
>;

/**
 * Lenient about types, but drops unknown fields: unlike a response, an event can come from anyone who knows the URL.
 * The reason names the field, never its value.
 */
export function readInboundEvent(
	body: unknown,
): { ok: true; event: InboundEvent } | { ok: false; reason: string } {
	const result = inboundEvent.safeParse(body);
	if (result.success) return { ok: true, event: result.data };
	const issue = result.error.issues[0];
	const field = issue?.path[0];
	if (field === undefined) return { ok: false, reason: 'The body is not a JSON object' };
	const problem = issue?.code === 'too_big' ? 'too long' : 'missing or of the wrong type';
	return { ok: false, reason: `The field "${String(field)}" is ${problem}` };
}

/** The eight fields of the event, what the seal adds, and when it arrived. */
export function eventOutput(
	event: InboundEvent,
	seal: TrueSeal | null,
	now: number,
): Record<keyof typeof eventFields, string | boolean | null> {
	return {
		...event,
		// The returned URL contains its seal, which must not be in the execution's data.
		callbackLink: withoutSeal(event.callbackLink),
		clientNumber: seal?.phone ?? event.clientNumber,
		reference: seal?.reference ?? null,
		issued_by: seal?.issuer ?? null,
		received_at: new Date(now).toISOString(),
	};
}

/** A number as digits, unless JSON has rounded it: a rounded one identifies another call or person. */
function exactText(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}
