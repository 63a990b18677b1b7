import { randomBytes } from 'node:crypto';

import { sealCallback, sealNonce } from '../../nodes/CallVerification/inbound/callbackSeal';
import type { Random } from '../../emulator/seededRandom';

/** One request to the trigger, and its kind, which the test knows and the trigger has to find out. */
export interface EventRequest {
	readonly kind: 'true' | 'repeated' | 'forged' | 'malformed';
	/** Appended to the trigger's URL. */
	readonly query: string;
	readonly body: string;
	readonly callId: string;
}

interface Numbers {
	readonly events: number;
	readonly repeated: number;
	readonly forged: number;
	readonly malformed: number;
}

const FIRST_PHONE = 79_160_000_000;
const FIRST_CALL = 5_000_000;
/** The year 2040, so that the seal outlives any run of this test. */
const EXPIRY = 2_208_988_800;
const LONG_AGO = 1_000_000_000;

export function eventBody(callId: number | string, phone: number | string): object {
	return {
		callId: String(callId),
		callbackLink: '',
		clientNumber: String(phone),
		confirmationNumber: '74950000001',
		isMnp: false,
		operatorName: '',
		operatorNameMnp: '',
		regionName: '',
	};
}

/** The key, the target and the issuer of a seal. */
interface Sealing {
	readonly secretKey: string;
	/** The ID in the trigger's path. */
	readonly target: string;
	/** The ID of the workflow that requests the call, where a trigger accepts only some. */
	readonly issuer?: string;
}

/** A new seal with every call, because each works only once. */
export function sealQuery(
	{ secretKey, target, issuer = 'workflow' }: Sealing,
	phone: number,
	{ reference = '', expiresAt = EXPIRY } = {},
): string {
	const nonce = sealNonce(randomBytes);
	const seal = { phone: String(phone), expiresAt, reference, issuer, nonce, target };
	const url = sealCallback('', seal, secretKey);
	return url.slice(url.indexOf('?'));
}

/** Sealed events in random order, some of them twice, mixed with forged and malformed ones. */
export function mixedEvents(
	sealing: Sealing,
	{ events, repeated, forged, malformed }: Numbers,
	random: Random,
): EventRequest[] {
	const trueEvents = range(events).map((index) => trueEvent(sealing, index));
	const mixed = shuffled(
		[
			...trueEvents,
			...range(forged).map((index) => forgedEvent(sealing, events + index, index)),
			...range(malformed).map((index) => malformedEvent(sealing, events + forged + index, index)),
		],
		random,
	);
	shuffled(trueEvents, random)
		.slice(0, repeated)
		.forEach((event, index) => {
			const first = mixed.indexOf(event);
			// Half of the copies follow the first immediately, half at a random later time.
			const later = 1 + Math.floor(random() * (mixed.length - first));
			mixed.splice(first + (index % 2 === 0 ? 1 : later), 0, { ...event, kind: 'repeated' });
		});
	return mixed;
}

export function trueEvent(sealing: Sealing, index: number): EventRequest {
	const { callId, phone } = person(index);
	const query = sealQuery(sealing, phone, { reference: `contact-${index}` });
	return { kind: 'true', query, body: JSON.stringify(eventBody(callId, phone)), callId };
}

/** An event without a seal, with an invented one, or with someone else's. */
function forgedEvent(sealing: Sealing, index: number, variant: number): EventRequest {
	const { callId, phone } = person(index);
	const right = sealQuery(sealing, phone, { reference: 'contact' });
	const queries = [
		'',
		sealQuery({ ...sealing, secretKey: 'a guessed key' }, phone, { reference: 'contact' }),
		sealQuery({ ...sealing, target: 'another trigger' }, phone, { reference: 'contact' }),
		sealQuery(sealing, phone + 1, { reference: 'contact' }),
		sealQuery(sealing, phone, { reference: 'contact', expiresAt: LONG_AGO }),
		right.replace('ref=contact', 'ref=another'),
		right.replace(`exp=${EXPIRY}`, `exp=${EXPIRY + 1}`),
		right.replace(/nonce=[^&]*/, `nonce=${sealNonce(randomBytes)}`),
		right.replace(/&nonce=[^&]*/, ''),
	];
	const query = queries[variant % queries.length] ?? '';
	return { kind: 'forged', query, body: JSON.stringify(eventBody(callId, phone)), callId };
}

/** A valid seal, but not an event. */
function malformedEvent(sealing: Sealing, index: number, variant: number): EventRequest {
	const { callId, phone } = person(index);
	const event = eventBody(callId, phone);
	const bodies = [
		JSON.stringify(event).slice(0, -5),
		JSON.stringify([event]),
		JSON.stringify({ ...event, clientNumber: null }),
		JSON.stringify({ ...event, callId: undefined }),
		'{}',
		'',
		'callId=1&clientNumber=2',
	];
	const body = bodies[variant % bodies.length] ?? '';
	return { kind: 'malformed', query: sealQuery(sealing, phone), body, callId };
}

function person(index: number): { callId: string; phone: number } {
	return { callId: String(FIRST_CALL + index), phone: FIRST_PHONE + index };
}

function range(count: number): number[] {
	return Array.from({ length: count }, (_, index) => index);
}

export function shuffled<T>(list: readonly T[], random: Random): T[] {
	return list
		.map((value) => ({ value, place: random() }))
		.sort((one, other) => one.place - other.place)
		.map(({ value }) => value);
}
