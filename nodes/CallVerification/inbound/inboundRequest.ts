import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { readCredential } from '../transport/credential';
import { excerpt, maskNumbers } from '../transport/redact';
import { checkSeal, type SealFailure, type TrueSeal } from './callbackSeal';
import { type InboundEvent, readInboundEvent } from './inboundEvent';

/** An event as it was accepted. */
export interface Acceptance<Seal extends TrueSeal | null = TrueSeal | null> {
	readonly event: InboundEvent;
	/** Null if none is required. */
	readonly seal: Seal;
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

const MINUTE = 60_000;

/** More than an n8n has workflows that reject events in the same minutes. */
const MOST_KINDS = 1_000;

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

/** At most one line per kind and minute, because strangers decide how many events there are. */
export class LinesPerMinute {
	private readonly kinds = new Map<string, { shownAt: number; hidden: number }>();

	get size(): number {
		return this.kinds.size;
	}

	/** How many lines were left out since the last one; undefined if this one is left out too. */
	claim(kind: string, now: number): number | undefined {
		const known = this.kinds.get(kind);
		// Absolute, because a clock that is set back must not silence the log.
		if (known !== undefined && Math.abs(now - known.shownAt) < MINUTE) {
			known.hidden += 1;
			return undefined;
		}
		this.kinds.delete(kind);
		const [oldest] = this.kinds.keys();
		if (oldest !== undefined && this.size >= MOST_KINDS) this.kinds.delete(oldest);
		this.kinds.set(kind, { shownAt: now, hidden: 0 });
		return known?.hidden ?? 0;
	}
}

const lines = new LinesPerMinute();

/** Trusts whoever sent the request. */
export function readUnsealedEvent(context: IWebhookFunctions): Acceptance<null> {
	const reading = readInboundEvent(isForm(context) ? undefined : context.getBodyData());
	if (!reading.ok) throw new RejectedEvent(400, reading.reason);
	return { event: reading.event, seal: null };
}

/** @param target The trigger or execution that was called. */
export async function readSealedEvent(
	context: IWebhookFunctions,
	target: string | undefined,
	now: number,
): Promise<Acceptance<TrueSeal>> {
	const { secretKey } = await readCredential(context);
	const { event } = readUnsealedEvent(context);
	const { query } = context.getRequestObject();
	const seal = checkSeal(query, event.clientNumber, secretKey, now / 1_000, target);
	if (!seal.ok) throw rejectedSeal(seal.reason);
	return { event, seal };
}

/** n8n also parses a form into an object, but the service posts JSON. */
function isForm(context: IWebhookFunctions): boolean {
	const type = context.getHeaderData()['content-type'] ?? '';
	return /^\s*application\/x-www-form-urlencoded/i.test(type);
}

/** The same response for any invalid seal, so that it does not reveal how close it was. */
export function rejectedSeal(problem: keyof typeof SEAL_PROBLEMS): RejectedEvent {
	return new RejectedEvent(
		401,
		'The callback URL was not issued for this event, or is no longer valid',
		SEAL_PROBLEMS[problem],
	);
}

/** Responds without starting or resuming anything. Sends the response itself, because n8n would respond with 200. */
export function respond(
	context: IWebhookFunctions,
	status: number,
	body: { accepted: boolean; reason?: string; duplicate?: boolean },
): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}

/**
 * Undoes a claim if n8n responds with an error, so that a later delivery of the event is not a duplicate. Not when the
 * sender disconnects, or one sender could start the workflow again and again: n8n writes its response all the same.
 */
export function unlessAccepted(context: IWebhookFunctions, takeBack: () => void): void {
	const response = context.getResponseObject();
	response.once('prefinish', () => {
		if (response.statusCode >= 400) takeBack();
	});
}

/**
 * Whatever goes wrong, the sender gets a response. Throwing would make n8n record a failed execution, or resume a
 * waiting one with an empty item.
 */
export async function alwaysRespond(
	context: IWebhookFunctions,
	now: () => number,
	receive: () => Promise<IWebhookResponseData>,
): Promise<IWebhookResponseData> {
	try {
		return await receive();
	} catch (error) {
		const { status, reason, message } = rejectionOf(error);
		logRejection(context, message, now());
		return respond(context, status, { accepted: false, reason });
	}
}

function rejectionOf(error: unknown): RejectedEvent {
	if (error instanceof RejectedEvent) return error;
	const why = error instanceof Error ? error.message : '';
	return new RejectedEvent(
		500,
		'The event could not be checked',
		`It could not be checked: ${why}`,
	);
}

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
