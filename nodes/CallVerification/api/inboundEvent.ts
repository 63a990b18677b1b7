import { z } from 'zod';

import { readFlag } from './contract/answerValue';
import { anyValue } from './contract/anyValue';

/**
 * What is accepted is stored with the execution, and n8n takes bodies of 16 MB. The longest true text
 * is a callback URL with a reference of 500 characters, each spelled in up to twelve.
 */
const LONGEST_TEXT = 10_000;

/** Without these two an event is about nothing and nobody. */
const neededText = anyValue.transform(exactText).pipe(z.string().trim().min(1).max(LONGEST_TEXT));

/** A verified call must not be lost for want of these: what cannot be read is empty. */
const optionalText = anyValue.transform((value) => {
	const text = exactText(value) ?? '';
	return text.length > LONGEST_TEXT ? '' : text;
});

/** Section 6: what the service posts when the awaited call has come. */
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
 * Lenient about how a value is spelled, but nothing is passed through: unlike an answer, an event comes
 * from whoever knows the address. The reason names the field and never its value.
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

/** A number as its digits, unless JSON has rounded it: the rounded one names another call or person. */
function exactText(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}
