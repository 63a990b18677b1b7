import { createHash } from 'node:crypto';

import type {
	IDataObject,
	IHookFunctions,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { z } from 'zod';

import { flag, isRecord, type OutputField, readFlag, storable, text } from '../contract/fields';
import { anyValue } from '../contract/request';
import { readCredential } from '../transport/credential';
import { excerpt, maskNumbers } from '../transport/redact';
import { checkSeal, type SealFailure, type TrueSeal, withoutSeal } from './callbackSeal';
import { isTest, registerTrigger, targetIdOf } from './callbackUrl';
import { parseIpAllowlist } from './ipAllowlist';
import { reportedCalls, shownLines, usedSeals } from './processMemory';

/** n8n stores the event and accepts 16 MB. A callback URL has 500 characters of reference, encoded in up to 12 each. */
const LONGEST_TEXT = 10_000;

/** Without these two, an event is useless. */
const neededText = anyValue.transform(exactText).pipe(z.string().trim().min(1).max(LONGEST_TEXT));

/** A verified call must not be lost because of these, so an unreadable value becomes empty. */
const optionalText = anyValue.transform((value) => {
	const content = exactText(value) ?? '';
	return content.length > LONGEST_TEXT ? '' : content;
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

export const eventFields = {
	callId: text('identifier of the call: `vendor_id` of Get Number to Call'),
	callbackLink: text('the callback URL, as the service repeats it'),
	clientNumber: text('the number that was verified'),
	confirmationNumber: text('the number that was called'),
	isMnp: flag('the number was ported to another operator'),
	operatorName: text('original operator of the number; empty if `isMnp` is false'),
	operatorNameMnp: text('operator the number was ported to; empty if `isMnp` is false'),
	regionName: text('region'),
	reference: text('your own text from Get Number to Call'),
	issued_by: text('the workflow that requested the call, by its ID'),
	received_at: text('when n8n received the event'),
} satisfies Record<keyof InboundEvent | 'reference' | 'issued_by' | 'received_at', OutputField>;

export interface AcceptedEvent {
	readonly event: InboundEvent;
	/** Null if none is required. */
	readonly seal: TrueSeal | null;
}

export function eventOutput({ event, seal }: AcceptedEvent, now: number) {
	return {
		...event,
		// The returned URL contains its seal, which must not be in the execution's data.
		callbackLink: withoutSeal(event.callbackLink),
		clientNumber: seal?.phone ?? event.clientNumber,
		reference: seal?.reference ?? null,
		issued_by: seal?.issuer ?? null,
		received_at: new Date(now).toISOString(),
	} satisfies Record<keyof typeof eventFields, string | boolean | null>;
}

/** A number as digits, unless JSON has rounded it: a rounded one identifies another call or person. */
function exactText(value: unknown): string | undefined {
	if (typeof value === 'string') return storable(value);
	return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Thrown for an event that is not accepted. The message is for n8n's log. */
export class Rejection extends Error {
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
	if (field === undefined) throw new Rejection(400, 'The body is not a JSON object');
	const problem = issue?.code === 'too_big' ? 'too long' : 'missing or of the wrong type';
	throw new Rejection(400, `The field "${String(field)}" is ${problem}`);
}

/** Trusts whoever sent the request. */
function readUnsealedEvent(context: IWebhookFunctions): InboundEvent {
	// n8n also parses a form into an object, but the service posts JSON.
	const type = context.getHeaderData()['content-type'] ?? '';
	const isForm = /^\s*application\/x-www-form-urlencoded/i.test(type);
	return readInboundEvent(isForm ? undefined : context.getBodyData());
}

export async function readSealedEvent(context: IWebhookFunctions, now: number, target?: string) {
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
function rejectedSeal(problem: keyof typeof SEAL_PROBLEMS): Rejection {
	const reason = 'The callback URL was not issued for this event, or is no longer valid';
	return new Rejection(401, reason, SEAL_PROBLEMS[problem]);
}

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
	const expiresAt = seal?.expiresAt ?? nowSeconds + 24 * 60 * 60;
	handled.add(id, { call, expiresAt }, nowSeconds);
	const response = context.getResponseObject();
	// If n8n responds with an error, a later delivery of the event is not a duplicate. Not when the sender disconnects,
	// or one sender could start the workflow again and again: n8n writes its response all the same.
	response.once('prefinish', () => {
		if (response.statusCode >= 400) handled.delete(id);
	});
	return 'first';
}

/** Senders choose the length of an ID, and part of a body keeps all of it in memory. JSON keeps surrogates apart. */
const fingerprint = (texts: readonly string[]) =>
	createHash('sha256').update(JSON.stringify(texts)).digest('base64url');

/** Without starting or resuming anything. Sends the response itself, because n8n would respond with 200. */
function respond(context: IWebhookFunctions, status: number, body: IDataObject) {
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
		const isRejected = error instanceof Rejection;
		logRejection(context, isRejected ? why : `It could not be checked: ${why}`, now);
		const unchecked = { status: 500, reason: 'The event could not be checked' };
		const { status, reason } = isRejected ? error : unchecked;
		return respond(context, status, { accepted: false, reason });
	}
}

/** At most one line per workflow, reason and minute, because strangers decide how many events there are. */
export function logRejection(context: IWebhookFunctions, why: string, now: number): void {
	const { id, name } = context.getWorkflow();
	const line = `${id} ${why}`;
	const last = shownLines.get(line);
	// Absolute, because a clock that is set back must not silence the log.
	if (last !== undefined && Math.abs(now - last.shownAt) < 60_000) {
		last.hidden += 1;
		return;
	}
	shownLines.add(line, { shownAt: now, hidden: 0, expiresAt: Infinity }, now);
	const workflow = `workflow “${excerpt(name ?? '')}”, ID ${id}`;
	const more = last?.hidden ? ` (${last.hidden} more since the last such line)` : '';
	context.logger.warn(
		`An event about an inbound call was rejected (${workflow}): ${excerpt(maskNumbers(why))}${more}`,
	);
}

type TriggerOptions = Readonly<Record<string, unknown>>;

/** Starts the trigger's workflow for a genuine event; anything else only gets a response. */
export async function receiveEvent(
	context: IWebhookFunctions,
	readOptions: () => TriggerOptions,
	now: number,
): Promise<IWebhookResponseData> {
	return await alwaysRespond(context, now, async () => {
		// Get Number to Call asks so whether the trigger is published. Nobody has to read about that in the log.
		if (isEmpty(context.getBodyData())) {
			return respond(context, 400, { accepted: false, reason: 'The request has no body' });
		}
		const settings = readTriggerSettings(context, readOptions());
		const { isSealed, ignoreDuplicates, isAllowed, issuers } = settings;
		if (isAllowed !== undefined && !isAllowed(context.getRequestObject().ip)) {
			throw new Rejection(403, 'Events from this address are not accepted');
		}
		const url = context.getNodeWebhookUrl('default') ?? '';
		const accepted = isSealed
			? await readSealedEvent(context, now, targetIdOf(url))
			: { event: readUnsealedEvent(context), seal: null };
		if (accepted.seal && issuers.length > 0 && !issuers.includes(accepted.seal.issuer)) {
			throw rejectedSeal('issuer');
		}
		registerTrigger(context);
		// In the editor, the user wants to see the event each time.
		const isOnce = !isTest(context) && (isSealed || ignoreDuplicates);
		const trigger = [String(context.getWorkflow().id), context.getNode().id];
		// Last, so that nothing can fail after it and lose the event.
		const claimed = isOnce ? claimOnce(context, trigger, accepted, now) : 'first';
		if (claimed === 'repeated') return respond(context, 200, { accepted: true, duplicate: true });
		if (claimed === 'conflicting') throw rejectedSeal('used');
		const workflowData = [[{ json: eventOutput(accepted, now) }]];
		return { webhookResponse: { accepted: true }, workflowData };
	});
}

const isEmpty = (body: unknown) => isRecord(body) && Object.keys(body).length === 0;

/** Throws if the settings do not protect the trigger as intended. */
export function readTriggerSettings(
	context: IWebhookFunctions | IHookFunctions,
	{ ignoreDuplicates = true, ipAllowlist = '', issuers = '' }: TriggerOptions,
) {
	return {
		isSealed: context.getNodeParameter('eventAuthentication', 'signature') !== 'none',
		ignoreDuplicates: ignoreDuplicates !== false,
		/** Undefined if any address may send events. */
		isAllowed: parseIpAllowlist(String(ipAllowlist)),
		/** Workflows whose calls are accepted. If there are none, every workflow. */
		issuers: Array.from(String(issuers).match(/[^\s,;]+/g) ?? []),
	};
}
