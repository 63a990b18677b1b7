import { randomUUID } from 'node:crypto';

import { pick } from '../../nodes/CallVerification/contract/fields';
import {
	checkPhone,
	getAccount,
	getBalance,
	getInfo,
	getService,
	inboundCallWaiting,
	initCall,
	initRepeat,
} from '../../nodes/CallVerification/contract/methods';
import { eventFields } from '../../nodes/CallVerification/inbound/inboundEvent';
import { type Account, fieldsOf, type Finding, Inquiry, type Reply, type Step } from './inquiry';

export interface LiveRun {
	readonly account: Account;
	/** Of the person who runs the test: digits, country code first. */
	readonly phone: string;
	readonly say: (text: string) => void;
	readonly confirm: (question: string) => Promise<boolean>;
	readonly ask: (question: string) => Promise<string>;
	readonly sleep: (ms: number) => Promise<void>;
	/** Where the service can reach this computer, if it can. */
	readonly callback?: Callback;
}

export interface Callback {
	readonly url: string;
	/** Undefined if none came in time. */
	readonly event: () => Promise<unknown>;
}

export interface LiveResult {
	readonly findings: readonly Finding[];
	/** In roubles; undefined if the service did not tell. */
	readonly spent: number | undefined;
}

const ANSWERS = 79000000001;
const NEVER_ANSWERS = 79000000002;

const BETWEEN_CALLS_MS = 16_000;
const BETWEEN_LOOKS_MS = 3_000;
/** A call is being checked for a minute at most: contract, 3.checking. */
const MOST_LOOKS = 25;

interface Delivery {
	readonly name: string;
	readonly flags: { readonly voice?: boolean; readonly mix?: boolean };
	readonly cost: string;
	readonly worksFor: RegExp;
}

const CHEAPER = 'less than a call; the price is not published';
const DELIVERIES: readonly Delivery[] = [
	{
		name: 'missed call',
		flags: {},
		cost: '0.80 roubles in September 2026',
		worksFor: /^\d/,
	},
	{
		name: 'spoken code',
		flags: { voice: true },
		cost: 'the price is not published',
		worksFor: /^7/,
	},
	{
		name: 'spoken code and missed call',
		flags: { mix: true },
		cost: 'not that of the others; the price is not published',
		worksFor: /^7(?![67])/,
	},
];

/** Section 6 of the contract. The others are the package's own. */
const EVENT_FIELDS = [
	'callId',
	'callbackLink',
	'clientNumber',
	'confirmationNumber',
	'isMnp',
	'operatorName',
	'operatorNameMnp',
	'regionName',
];

/** From what is free to what rings and costs. Each step that may cost something says so, and asks. */
export async function liveTest(run: LiveRun): Promise<LiveResult> {
	const inquiry = new Inquiry(run.account, run.sleep);
	const { findings } = inquiry;
	const first = await inquiry.step('balance').reply(getBalance, {});
	// A wrong key or address makes everything else pointless.
	if (first === undefined) return { findings, spent: undefined };
	const before = Number(first.record.rub_balance);
	run.say(`The balance is ${before} roubles.`);

	await askWhatIsFree(run, inquiry);
	await callTestNumbers(run, inquiry);
	await checkOwnNumber(run, inquiry);
	await checkWrongNumber(run, inquiry);
	for (const delivery of DELIVERIES) await callOwnPhone(run, inquiry, delivery);
	await awaitInboundCall(run, inquiry);

	const after = await balanceOf(inquiry);
	return { findings, spent: after === undefined ? undefined : before - after };
}

async function askWhatIsFree({ account, say }: LiveRun, inquiry: Inquiry): Promise<void> {
	say('\nFree: the ways to sign in, the service and the account.');
	for (const scheme of ['header', 'body', 'query'] as const) {
		const step = inquiry.step(`key in the ${scheme}`);
		const answer = await step.answer(getBalance, {}, { scheme });
		if (answer === undefined) continue;
		step.expect('accepted', 'contract 5', fieldsOf(answer.body).status === true);
		const limit = answer.headers['x-rate-limit-limit'];
		step.expect('30 requests a second announced', 'doc', limit === '30', String(limit));
	}
	const wrongKey = { secretKey: 'not-the-key' };
	await inquiry
		.step('wrong key')
		.refusal({ code: 401, source: 'contract 7, live' }, getBalance, {}, wrongKey);
	await inquiry.step('unknown call').refusal({ code: 10, source: 'doc' }, getInfo, { uid: 1 });

	const ofService = inquiry.step('service');
	const service = await ofService.reply(getService, {});
	if (service) {
		const isOurs = String(service.record.service_status) === account.serviceId;
		ofService.expect('service_status is the service ID', 'live', isOurs);
	}
	const ofAccount = inquiry.step('account');
	const own = await ofAccount.reply(getAccount, {});
	if (own) ofAccount.expect('no status', 'contract 2.5', !('status' in own.body));
}

async function callTestNumbers(run: LiveRun, inquiry: Inquiry): Promise<void> {
	const what = 'Calls to the two test numbers of the service, where no phone rings';
	if (!(await mayCost(run, what, 'nothing, by the contract'))) return;
	const before = await balanceOf(inquiry);

	const asText = { body: { phone: String(ANSWERS) } };
	await inquiry
		.step('phone sent as text')
		.refusal({ code: 1, source: 'live' }, initCall, { phone: ANSWERS }, asText);

	const answering = inquiry.step('test number that answers');
	const unique = randomUUID();
	const started = await answering.reply(initCall, { phone: ANSWERS, unique });
	if (started) {
		expectStartedCall(answering, started);
		const uid = Number(started.record.vendor_id);
		const repeated = inquiry.step('idempotency key sent again');
		const again = await repeated.reply(initCall, { phone: ANSWERS, unique });
		if (again) {
			const { vendor_id: id, exists } = again.record;
			repeated.expect('the same call', 'contract 4.1.unique', id === uid);
			repeated.expect('exists is true', 'doc', exists === true, String(exists));
		}
		await expectResult(run, answering, uid, { status: 1, source: 'contract 1.6' });
		await inquiry.step('free repeat').refusal({ code: 405, source: 'live' }, initRepeat, { uid });
	}

	const silent = inquiry.step('test number that never answers');
	const failed = await silent.reply(initCall, { phone: NEVER_ANSWERS, unique: randomUUID() });
	if (failed) {
		const isPlain = failed.body.status === false && !('error' in failed.body);
		silent.expect('status is false, without an error', 'live', isPlain);
		const uid = Number(failed.record.vendor_id);
		await expectResult(run, silent, uid, { status: 0, source: 'contract 1.6, live' });
	}
	await expectCharge(run, inquiry, inquiry.step('test numbers'), before, 0);
}

async function checkOwnNumber(run: LiveRun, inquiry: Inquiry): Promise<void> {
	if (!(await mayCost(run, 'A check of your own number', CHEAPER))) return;
	const before = await balanceOf(inquiry);
	const step = inquiry.step('check');
	const checked = await step.reply(checkPhone, { phone: `+${run.phone}` });
	if (!checked) return;
	step.expect('no status', 'doc', !('status' in checked.body));
	const isOwn = String(checked.record.phone) === run.phone;
	step.expect('phone is the number in digits', 'contract 2.4', isOwn);
	await expectCharge(run, inquiry, step, before, checked.record.cost);
}

async function checkWrongNumber(run: LiveRun, inquiry: Inquiry): Promise<void> {
	if (!(await mayCost(run, 'A check of 123, which is no number', 'not known'))) return;
	const before = await balanceOf(inquiry);
	const step = inquiry.step('check of 123');
	const answer = await step.answer(checkPhone, { phone: '123' });
	if (!answer) return;
	const body = fieldsOf(answer.body);
	const isInRecord = typeof body.error === 'string' && body.code === undefined;
	const seen = isInRecord ? 'yes' : `fields: ${Object.keys(body).join(', ')}`;
	step.expect('an error in the record', 'contract 4.5', isInRecord, seen);
	await expectCharge(run, inquiry, step, before, body.cost);
}

async function callOwnPhone(
	run: LiveRun,
	inquiry: Inquiry,
	{ name, flags, cost, worksFor }: Delivery,
): Promise<void> {
	if (!worksFor.test(run.phone)) return;
	if (!(await mayCost(run, `A call to your own phone: ${name}`, cost))) return;
	run.say('In 16 seconds, because the service wants 15 between two calls to a number.');
	await run.sleep(BETWEEN_CALLS_MS);
	const before = await balanceOf(inquiry);
	const step = inquiry.step(name);
	const call = { phone: Number(run.phone), unique: randomUUID(), ...flags };
	const started = await step.reply(initCall, call);
	if (!started) return;
	expectStartedCall(step, started);
	const typed = await run.ask(
		'The last four digits of the number that calls you, or those you hear (Enter if no call comes): ',
	);
	const isRight = typed === started.record.code;
	const seen = typed === '' ? 'no call came' : 'other digits were typed';
	step.expect('the phone rings, with the code', 'contract 4.1', isRight, isRight ? 'yes' : seen);
	const uid = Number(started.record.vendor_id);
	const info = await expectResult(run, step, uid, { status: 1, source: 'contract 3' });
	await expectCharge(run, inquiry, step, before, info?.record.cost);
}

async function awaitInboundCall(run: LiveRun, inquiry: Inquiry): Promise<void> {
	if (run.callback === undefined) {
		return run.say('\nA call from you is left out: it needs --callback-url and --callback-port.');
	}
	if (!(await mayCost(run, 'A number for you to call', CHEAPER))) return;
	const before = await balanceOf(inquiry);
	const step = inquiry.step('inbound call');
	const { url: callback_url, event } = run.callback;
	const waiting = await step.reply(inboundCallWaiting, { phone: Number(run.phone), callback_url });
	if (!waiting) return;
	const { vendor_id: uid, confirmation_number: number } = waiting.record;
	const digits = String(number).replace(/^\+/, '');
	step.expect('confirmation_number has no plus', 'clients', digits === number);
	run.say(`Call +${digits} from your phone now. The test waits three minutes for the event.`);
	const came = await event();
	step.expect('an event comes', 'contract 6', came !== undefined);
	if (came !== undefined) expectEvent(inquiry.step('event'), came, run.phone, String(uid));

	const answer = await step.answer(getInfo, { uid: Number(uid) });
	const status = fieldsOf(answer?.body).call_status;
	step.expect('getInfo knows it, with call_status 1', 'one', status === 1, String(status));
	await expectCharge(run, inquiry, step, before, fieldsOf(answer?.body).cost);
}

async function mayCost({ confirm, say }: LiveRun, what: string, cost: string): Promise<boolean> {
	const isWanted = await confirm(`\n${what}.\nCost: ${cost}. Go on? (yes/no) `);
	if (!isWanted) say('Left out.');
	return isWanted;
}

async function balanceOf(inquiry: Inquiry): Promise<number | undefined> {
	const answer = await inquiry.step('balance').answer(getBalance, {});
	const { rub_balance: roubles } = fieldsOf(answer?.body);
	return typeof roubles === 'number' ? roubles : undefined;
}

function expectStartedCall(step: Step, { body: { ucaller_id: id, phone, code } }: Reply): void {
	step.expect('the ID is called ucaller_id', 'live', id !== undefined);
	step.expect('phone is masked as 7900***0001', 'live', /^\d{4}\*+\d{4}$/.test(String(phone)));
	const isText = typeof code === 'string' && /^\d{4}$/.test(code);
	step.expect('code is text of four digits', 'live', isText);
}

/** Waits until the call is no longer being checked. */
async function expectResult(
	{ sleep }: LiveRun,
	step: Step,
	uid: number,
	expected: { readonly status: 0 | 1; readonly source: string },
): Promise<Reply | undefined> {
	let answer = await step.answer(getInfo, { uid });
	for (let looks = 1; looks < MOST_LOOKS && fieldsOf(answer?.body).call_status === -1; looks += 1) {
		await sleep(BETWEEN_LOOKS_MS);
		answer = await step.answer(getInfo, { uid });
	}
	const info = answer && step.read(getInfo, answer);
	if (!info) return undefined;
	const { call_status: status } = info.record;
	const isExpected = status === expected.status;
	step.expect(`call_status is ${expected.status}`, expected.source, isExpected, String(status));
	step.expect('phone_info is a list', 'live', Array.isArray(info.body.phone_info));
	return info;
}

async function expectCharge(
	{ say }: LiveRun,
	inquiry: Inquiry,
	step: Step,
	before: number | undefined,
	cost: unknown,
): Promise<void> {
	const after = await balanceOf(inquiry);
	if (before === undefined || after === undefined) return;
	const charged = Number((before - after).toFixed(4));
	say(`Charged: ${charged} roubles.`);
	const seen = `cost is ${String(cost)}, ${charged} was charged`;
	step.expect('the cost is what was charged', 'contract 2', charged === cost, seen);
}

function expectEvent(step: Step, event: unknown, phone: string, uid: string): void {
	step.fields(event, pick(eventFields, EVENT_FIELDS));
	const { callId, clientNumber } = fieldsOf(event);
	step.expect('callId is the ID of the call', 'contract 6', String(callId) === uid);
	step.expect('clientNumber is as it was sent', 'contract 6', clientNumber === phone);
}
