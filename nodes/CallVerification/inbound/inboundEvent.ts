import { createHash } from 'node:crypto';

import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { z } from 'zod';

import { type OutputField, readFlag } from '../contract/fields';
import { anyValue } from '../contract/request';
import { ExpiringMap } from '../pacing/expiringMap';
import { readCredential } from '../transport/credential';
import { excerpt, maskNumbers } from '../transport/redact';
import { checkSeal, type SealFailure, type TrueSeal, withoutSeal } from './callbackSeal';

/** n8n stores the event and accepts 16 MB. A callback URL has 500 characters of reference, encoded in up to 12 each. */
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

type InboundEvent = z.output<typeof inboundEvent>;

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

export interface AcceptedEvent {
	readonly event: InboundEvent;
	/** Null if none is required. */
	readonly seal: TrueSeal | null;
}

export function eventOutput(
	{ event, seal }: AcceptedEvent,
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

/** Thrown for an event that is not accepted. The message is for n8n's log. */
export class RejectedEvent extends Error {
	constructor(
		readonly status: number,
		/** For the sender: helpful to an honest one, useless to a forger. */
		readonly reason: string,
		message = reason,
	) {
		super(message);
	}
}

/** Drops unknown fields, because anyone who knows the URL can send an event. Errors name the field, never its value. */
export function readInboundEvent(body: unknown): InboundEvent {
	const result = inboundEvent.safeParse(body);
	if (result.success) return result.data;
	const issue = result.error.issues[0];
	const field = issue?.path[0];
	if (field === undefined) throw new RejectedEvent(400, 'The body is not a JSON object');
	const problem = issue?.code === 'too_big' ? 'too long' : 'missing or of the wrong type';
	throw new RejectedEvent(400, `The field "${String(field)}" is ${problem}`);
}

/** Trusts whoever sent the request. */
export function readUnsealedEvent(context: IWebhookFunctions): InboundEvent {
	// n8n also parses a form into an object, but the service posts JSON.
	const type = context.getHeaderData()['content-type'] ?? '';
	const isForm = /^\s*application\/x-www-form-urlencoded/i.test(type);
	return readInboundEvent(isForm ? undefined : context.getBodyData());
}

/** @param target The trigger or execution that was called. */
export async function readSealedEvent(
	context: IWebhookFunctions,
	target: string | undefined,
	now: number,
): Promise<AcceptedEvent & { readonly seal: TrueSeal }> {
	const { secretKey } = await readCredential(context);
	const event = readUnsealedEvent(context);
	const { query } = context.getRequestObject();
	const seal = checkSeal(query, event.clientNumber, secretKey, now / 1_000, target);
	if (typeof seal === 'string') throw rejectedSeal(seal);
	return { event, seal };
}

const SEAL_PROBLEMS = {
	noKey: 'The credential has no secret key to check the signature with',
	missing: 'The URL has no signature, or only part of one',
	malformed: 'The signature or the phone number cannot be read',
	forged:
		'The signature does not fit the event: it is forged, changed, or for another number, trigger, execution or key',
	expired: 'The signature has expired',
	used: 'The signature has already been used for another call',
	issuer: 'The workflow that requested the call is not in “Allowed Workflows”',
} as const satisfies Record<SealFailure, string> & Record<string, string>;

/** The same response for any invalid seal, so that it does not reveal how close it was. */
export function rejectedSeal(problem: keyof typeof SEAL_PROBLEMS): RejectedEvent {
	return new RejectedEvent(
		401,
		'The callback URL was not issued for this event, or is no longer valid',
		SEAL_PROBLEMS[problem],
	);
}

interface HandledEvent {
	/** A fingerprint of the call, the same in every delivery of the same event. */
	readonly call: string;
	/** In seconds, like that of a seal. */
	readonly expiresAt: number;
}

/**
 * Best effort, per process: n8n offers webhooks no storage that is exact across processes. Unsealed events are kept
 * apart: anyone can send them, and a flood would push out used seals.
 */
const usedSeals = new ExpiringMap<HandledEvent>(100_000);
const reportedCalls = new ExpiringMap<HandledEvent>(100_000);

const ONE_DAY = 24 * 60 * 60;

/**
 * Each trigger or execution accepts a seal once, or a call, by number and ID: with the ID alone, a forged event about
 * one person could use up the event of another. Synchronous, so that two requests at once cannot both be first.
 */
export function claimOnce(
	context: IWebhookFunctions,
	taker: readonly string[],
	{ event: { callId, clientNumber }, seal }: AcceptedEvent,
	now: number,
): 'first' | 'repeated' | 'conflicting' {
	const nowSeconds = now / 1_000;
	const handled = seal === null ? reportedCalls : usedSeals;
	const own = seal === null ? [clientNumber.replace(/\D/g, ''), callId] : [seal.nonce];
	const id = fingerprint([...taker, ...own]);
	const call = fingerprint([callId]);
	const earlier = handled.find(id, nowSeconds);
	if (earlier !== undefined) return earlier.call === call ? 'repeated' : 'conflicting';
	const expiresAt = seal?.expiresAt ?? nowSeconds + ONE_DAY;
	handled.add(id, { call, expiresAt }, nowSeconds);
	const response = context.getResponseObject();
	// If n8n responds with an error, a later delivery of the event is not a duplicate. Not when the sender disconnects,
	// or one sender could start the workflow again and again: n8n writes its response all the same.
	response.once('prefinish', () => response.statusCode >= 400 && handled.delete(id));
	return 'first';
}

/** The sender chooses the length of an ID, and part of a parsed body can keep the whole body in memory. */
function fingerprint(texts: readonly string[]): string {
	// JSON escapes unpaired surrogates, so that texts that look the same in UTF-8 stay different.
	return createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
}

/** Without starting or resuming anything. Sends the response itself, because n8n would respond with 200. */
export function respond(
	context: IWebhookFunctions,
	status: number,
	body: { accepted: boolean; reason?: string; duplicate?: boolean },
): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}

/** Throwing would make n8n record a failed execution, or resume a waiting one with an empty item. */
export async function alwaysRespond(
	context: IWebhookFunctions,
	now: number,
	receive: () => Promise<IWebhookResponseData>,
): Promise<IWebhookResponseData> {
	try {
		return await receive();
	} catch (error) {
		const why = error instanceof Error ? error.message : '';
		const isRejected = error instanceof RejectedEvent;
		logRejection(context, isRejected ? why : `It could not be checked: ${why}`, now);
		const unchecked = { status: 500, reason: 'The event could not be checked' };
		const { status, reason } = isRejected ? error : unchecked;
		return respond(context, status, { accepted: false, reason });
	}
}

const MINUTE = 60_000;

/** More than an n8n has workflows that reject events in the same minutes. */
const MOST_KINDS = 1_000;

/** At most one line per kind and minute, because strangers decide how many events there are. */
export class LinesPerMinute extends ExpiringMap<{
	readonly shownAt: number;
	hidden: number;
	readonly expiresAt: number;
}> {
	constructor() {
		super(MOST_KINDS);
	}

	/** How many lines were left out since the last one; undefined if this one is left out too. */
	claim(kind: string, now: number): number | undefined {
		const known = this.get(kind);
		// Absolute, because a clock that is set back must not silence the log.
		if (known !== undefined && Math.abs(now - known.shownAt) < MINUTE) {
			known.hidden += 1;
			return undefined;
		}
		this.add(kind, { shownAt: now, hidden: 0, expiresAt: Infinity }, now);
		return known?.hidden ?? 0;
	}
}

const lines = new LinesPerMinute();

function logRejection(context: IWebhookFunctions, why: string, now: number): void {
	const { id, name } = context.getWorkflow();
	const hidden = lines.claim(`${id} ${why}`, now);
	if (hidden === undefined) return;
	const workflow = `workflow “${excerpt(name ?? '')}”, ID ${id}`;
	const more = hidden === 0 ? '' : ` (${hidden} more since the last such line)`;
	context.logger.warn(
		`An event about an inbound call was refused (${workflow}): ${excerpt(maskNumbers(why))}${more}`,
	);
}
