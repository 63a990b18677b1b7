import { z } from 'zod';

import { readFlag } from '../contract/fields';
import { anyValue } from '../contract/request';

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

export type InboundEventReading = { ok: true; event: InboundEvent } | { ok: false; reason: string };

/**
 * Lenient about types, but drops unknown fields: unlike a response, an event can come from anyone who knows the URL.
 * The reason names the field, never its value.
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

/** A number as digits, unless JSON has rounded it: a rounded one identifies another call or person. */
function exactText(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}
