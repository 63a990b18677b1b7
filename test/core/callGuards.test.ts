import nock from 'nock';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { credential, type RunContext, retryNode, runNode } from '../../harness/engine/n8nCore';
import { builtNode } from './builtNode';
import {
	checkCode as checkCodeOf,
	CONTINUE,
	getCall,
	getNumber,
	startCall,
	TOOL,
} from './parameters';
import { numbers, replying, simulate } from './simulatedRun';
import { type Reply, runOn, wire } from './wire';

const start = (options: INodeParameters = {}, phone = '79000000001') =>
	startCall({ phone, options, requestOptions: { maxRetries: 0 } });
const checkCode = (uid: unknown, options: INodeParameters = {}) =>
	checkCodeOf({ uid: uid as string, options });

const ANOTHER = credential({ secretKey: 'another key' });
const PHONE = '={{ $json.phone }}';

let calls = 5_000;
const started = (values: IDataObject = {}): Reply => ({
	body: { status: true, vendor_id: ++calls, phone: '7***', code: '0042', exists: false, ...values },
});
const NUMBER: Reply = { body: { status: true, vendor_id: 1, confirmation_number: '7495' } };
const info = (vendor_id: number, init_time = Math.floor(Date.now() / 1_000)): Reply => ({
	body: {
		status: true,
		vendor_id,
		init_time,
		call_status: 1,
		phone: '7***',
		code: '0042',
	},
});

const outputOf = async (parameters: INodeParameters, run: Partial<RunContext> = {}) =>
	(await runNode({ parameters, ...run })).success[0]?.json ?? {};

/** The built node at that minute since 1970. */
const at = (minutes: number) =>
	builtNode(
		() => ({}),
		() => minutes * 60_000,
	);

describe('the token of a call', () => {
	it.each([undefined, TOOL])('leads to its call and names its number (%s)', async (nodeType) => {
		const sent = wire(started(), info(calls));
		const run = nodeType === undefined ? {} : { nodeType };
		const { verification_token } = await outputOf(start({}, '+7 (900) 000-00-01'), run);
		const output = await outputOf(checkCode(verification_token, { requireToken: true }), run);
		expect(sent.at(-1)?.fields.uid).toBe(calls);
		expect(output).toMatchObject({ matched: true, verified_phone: '79000000001' });
	});

	it('does not name a number that was not verified', async () => {
		wire(started(), info(calls));
		const { verification_token } = await outputOf(start());
		const output = await outputOf({ ...checkCode(verification_token), code: '0043' });
		expect(output).toMatchObject({ matched: false, verified_phone: null });
	});

	it('is valid for 24 hours, and part of the output that n8n stores', async () => {
		const [issued, day] = [1_000_000, 24 * 60];
		const { json } = await runOn(started(), start(), { implementation: at(issued) });
		const token = json.verification_token;
		expect(token).toMatch(/^v1\./);
		const checkedAt = async (minutes: number) =>
			await runOn(info(calls, issued * 60), checkCode(token), { implementation: at(minutes) });
		const { json: verdict } = await checkedAt(issued + day - 1);
		expect(verdict.reason).toBe('expired');
		const { error } = await checkedAt(issued + day);
		expect(error?.message).toBe('The verification token has expired');
	});

	it('is refused under another key, and nothing is sent', async () => {
		const { json } = await runOn(started(), start(), { credential: ANOTHER });
		const { error, sent } = await runOn(started(), checkCode(json.verification_token));
		expect(error?.message).toBe('The verification token is not valid');
		expect(sent).toEqual([]);
	});

	const FITS = '7900***0001';
	const SILENT = { exists: undefined, phone: undefined };

	it.each([
		['an own key that is new', { unique: 'own' }, { exists: false }, true],
		['an own key that the service knows', { unique: 'own' }, { exists: true }, false],
		['an own key that it may know', { unique: 'own' }, { exists: 'maybe', phone: FITS }, false],
		['an own key, when the service is silent', { unique: 'own' }, SILENT, false],
		['its number fits', { unique: 'own' }, { ...SILENT, phone: FITS }, true],
		['its number does not', { unique: 'own' }, { ...SILENT, phone: '7900***0002' }, false],
		['a key of the node', {}, { exists: true }, true],
		['a key of the cooldown', { cooldown: 10 }, { exists: true }, true],
	])('is given out where the number is certain: %s', async (_what, options, answer, isGiven) => {
		const { json } = await runOn(started(answer), start(options));
		expect(typeof json.verification_token === 'string').toBe(isGiven);
	});
});

describe('Hide Code', () => {
	it('keeps the code out of Start, even when Start waits', async () => {
		wire(started(), info(calls));
		const parameters = { ...start({ hideCode: true }), waitForResult: true };
		const { verification_token: _random, ...shown } = await outputOf(parameters);
		expect(shown.call_state).toBe('completed');
		expect(JSON.stringify(shown)).not.toContain('0042');
	});

	it.each([true, false])('keeps the code out of Get (simplify: %s)', async (simplify) => {
		const shown = await runOn(info(1), getCall({ uid: 1, simplify }));
		expect(shown.json).toHaveProperty('code');
		const options = { hideCode: true };
		const hidden = await runOn(info(1), getCall({ uid: 1, simplify, options }));
		expect(hidden.json).not.toHaveProperty('code');
	});
});

describe('Cooldown per Number', () => {
	const cooldown = 10;
	const keyAt = async (
		minutes: number,
		parameters = start({ cooldown }),
		run: Partial<RunContext> = {},
	) => {
		const own = { executionId: String(++calls), implementation: at(minutes) };
		return (await runOn(started(), parameters, { ...own, ...run })).sent[0]?.fields.unique;
	};

	it('does not ring again before the minutes have passed, even in the next slot', async () => {
		const parameters = start({ cooldown }, '79160000101');
		const first = await keyAt(1_009.9, parameters);
		expect(await keyAt(1_010.1, parameters)).toBe(first);
		expect(await keyAt(1_019.8, parameters)).toBe(first);
		// Up to a sixth later: see “the end of a period”.
		expect(await keyAt(1_020, parameters)).not.toBe(first);
	});

	it.each([
		['refused by the service', '79160000201'],
		['refused by another limit', '79160000202'],
	])('does not block a number whose start was %s', async (what, phone) => {
		const isOurs = what === 'refused by another limit';
		const startAt = async (minutes: number, to: string) =>
			await runNode({
				parameters: start({ cooldown, maxCallsPerHour: 1 }, to),
				executionId: String(++calls),
				workflow: { id: what },
				implementation: at(minutes),
			});
		const refusal = { body: { status: false, error: 'No', code: 400 } };
		wire(isOurs ? started() : refusal);
		if (isOurs) await startAt(1_000, '79160000203');
		expect((await startAt(1_009.9, phone)).error).toBeDefined();
		const again = start({ cooldown }, phone);
		const key = await keyAt(1_010.1, again);
		// Of a number that was blocked, that would be the key of the refused start, and over by now.
		expect(await keyAt(1_019.95, again)).toBe(key);
	});

	it('uses one key for all starts to a number in a slot, in any execution', async () => {
		const key = await keyAt(1_000);
		expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		expect(await keyAt(1_009)).toBe(key);
		expect(await keyAt(1_005, undefined, { nodeType: TOOL })).toBe(key);
		expect(await keyAt(1_005, start({ cooldown }, '+7 900 000 00 01'))).toBe(key);
	});

	it('uses another key for another number, delivery, slot or account', async () => {
		const keys = [
			await keyAt(1_000),
			await keyAt(1_012),
			await keyAt(1_000, start({ cooldown }, '79000000002')),
			await keyAt(1_000, { ...start({ cooldown }), delivery: 'voice' }),
			await keyAt(1_000, undefined, { credential: ANOTHER }),
			await keyAt(1_000, start({ cooldown: 0 })),
			await keyAt(1_000, start()),
		];
		expect(new Set(keys).size).toBe(keys.length);
	});

	it('tells when a call was made, and when the next one can be', async () => {
		const parameters = start({ cooldown }, '79160000301');
		const run = (minutes: number) => ({
			executionId: String(++calls),
			implementation: at(minutes),
		});
		const times = {
			called_at: '1970-01-01T16:45:00.000Z',
			next_call_at: '1970-01-01T16:56:40.000Z',
		};
		expect((await runOn(started(), parameters, run(1_005))).json).toMatchObject({
			exists: false,
			...times,
		});
		const known = started({ exists: true });
		const { json, hints } = await runOn(known, parameters, run(1_009));
		expect(json).toMatchObject({ exists: true, ...times });
		expect(hints.join()).toContain('no phone rang now');
	});

	it('asks the service when a call was made that this process does not remember', async () => {
		const parameters = start({ cooldown }, '79160000302');
		const elsewhere = [started({ exists: true }), info(calls, 60_300)];
		const { json, sent } = await runOn(elsewhere, parameters, { implementation: at(1_009) });
		expect(sent.map(({ path }) => path)).toEqual(['/v1.0/initCall', '/v1.0/getInfo']);
		expect(json).toMatchObject({ exists: true, called_at: '1970-01-01T16:45:00.000Z' });
	});

	it('says that it does not know when the service does not say', async () => {
		const parameters = start({ cooldown }, '79160000303');
		const elsewhere = [started({ exists: true }), { body: { status: false, code: 10 } }];
		const { json } = await runOn(elsewhere, parameters, { implementation: at(1_009) });
		expect(json).toMatchObject({ exists: true, called_at: null, next_call_at: null });
	});

	it('ends with the code: whoever has logged in may log in again at once', async () => {
		const phone = '79160000304';
		const implementation = at(1_000);
		const startNow = async (reply: Reply) =>
			await runOn(reply, start({ cooldown }, phone), {
				executionId: String(++calls),
				implementation,
			});
		const first = await startNow(started());
		const again = started({ exists: true, vendor_id: first.json.vendor_id });
		expect((await startNow(again)).sent[0]?.fields.unique).toBe(first.sent[0]?.fields.unique);

		const check = checkCode(first.json.verification_token, { validFor: 0 });
		const checked = await runOn(info(Number(first.json.vendor_id)), check, { implementation });
		expect(checked.json.matched).toBe(true);
		nock.cleanAll();
		const sent = wire(again, started());
		const { vendor_id } = await outputOf(start({ cooldown }, phone), { implementation });
		expect(vendor_id).not.toBe(first.json.vendor_id);
		expect(sent.map(({ fields }) => fields.unique)).toEqual([
			first.sent[0]?.fields.unique,
			expect.not.stringMatching(String(first.sent[0]?.fields.unique)),
		]);
	});

	it.each([
		['waits once for the 15 seconds that the service wants between two calls', cooldown, [0, 15]],
		['alone waits: without it, the second of two equal items would ring again', 0, [0]],
	])('%s', async (_what, minutes, times) => {
		const refusal = { body: { status: false, error: 'Wait', code: 19 } };
		const replies = [refusal, started()];
		const { sent, error } = await simulate({
			parameters: { ...start({ cooldown: minutes }, '79160000305'), delivery: 'voice' },
			service: replying(() => replies.shift() ?? refusal),
		});
		expect(sent.map(({ at: time }) => Math.floor(time))).toEqual(times);
		expect(error === undefined).toBe(times.length === 2);
	});

	it('is refused together with the user’s own key, and nothing is sent', async () => {
		const { error, sent } = await runOn(started(), start({ cooldown, unique: 'own' }));
		expect(error?.message).toBe(
			'“Idempotency Key” and “Cooldown per Number” cannot be used together',
		);
		expect(sent).toEqual([]);
		expect(await keyAt(1_000, start({ cooldown: 0, unique: 'own' }))).toBe('own');
	});

	it('stays in its slot when a failed execution is retried in the next one', async () => {
		const sent = wire({ body: { status: false, error: 'Down', code: 500 } }, started());
		const parameters = start({ cooldown });
		const failed = await runNode({ parameters, implementation: at(1_009) });
		await retryNode(failed, { parameters, implementation: at(1_011) });
		expect(sent).toHaveLength(2);
		expect(sent[1]?.fields.unique).toBe(sent[0]?.fields.unique);
	});
});

describe('Max Calls per Hour', () => {
	const limited = (maxCallsPerHour: number) => start({ maxCallsPerHour }, PHONE);

	it('refuses the call beyond it before anything is sent', async () => {
		const run = { items: numbers(10), executionId: 'limit', ...CONTINUE };
		const { outputs, sent } = await runOn(started(), limited(3), run);
		expect(sent).toHaveLength(3);
		const errors = outputs.map(({ error }) => error).filter((error) => error !== undefined);
		expect(errors).toEqual(
			Array(7).fill(
				'This node has reached its limit of calls within an hour, so the call was not started',
			),
		);

		// Repeats of the same calls do not count again; those of another execution do.
		const again = { parameters: limited(3), items: numbers(1) };
		expect((await runNode({ ...again, executionId: 'limit' })).error).toBeUndefined();
		const { error } = await runNode({ ...again, executionId: 'other' });
		expect(error?.description).toContain('“Max Calls per Hour” is 3');
	});

	it.each([
		[
			'counts a call whose response cannot be used',
			{ status: true, code: '0042' },
			['Incomplete response', '“Max Calls per Hour” is 1'],
			1,
		],
		[
			'does not count what the service refused',
			{ status: false, error: 'No', code: 400 },
			['refused the request: No', 'refused the request: No'],
			2,
		],
	])('%s', async (id, body, problems, requests) => {
		const sent = wire({ body });
		for (const problem of problems) {
			const run = { items: numbers(1), workflow: { id }, executionId: String(++calls) };
			const { error } = await runNode({ parameters: limited(1), ...run });
			expect(`${error?.message} ${error?.description}`).toContain(problem);
			expect(error?.description).not.toContain('0042');
		}
		expect(sent).toHaveLength(requests);
	});

	it('counts each start of an inbound call, because the service takes no key for it', async () => {
		const sent = wire(NUMBER);
		const parameters = getNumber({ options: { maxCallsPerHour: 2 } });
		const run = { parameters, workflow: { id: 'inbound' } };
		for (const time of [1, 2]) {
			expect([time, (await runNode(run)).error]).toEqual([time, undefined]);
		}
		expect((await runNode(run)).error?.description).toContain('“Max Calls per Hour” is 2');
		expect(sent).toHaveLength(2);
	});
});

describe('Max Calls per Number and Day', () => {
	const limited = (delivery: string, cooldown = 0) => ({
		...start({ maxCallsPerNumber: 3, cooldown }, PHONE),
		delivery,
	});
	const startAt = async (minutes: number, parameters: INodeParameters, phone = '79160000401') => {
		const run = { items: [{ phone }], workflow: { id: 'per number' }, executionId: `${++calls}` };
		return await runOn(started(), parameters, { ...run, implementation: at(minutes) });
	};

	it('counts the calls to a number by every delivery, until the day ends in UTC', async () => {
		for (const delivery of ['callerNumber', 'voice', 'mix']) {
			expect((await startAt(1_000, limited(delivery))).error).toBeUndefined();
		}
		const { error, sent } = await startAt(1_001, limited('voice'));
		expect(error?.message).toBe(
			'This number has reached its limit of calls within a day, so the call was not started',
		);
		expect(error?.description).toContain(
			'“Max Calls per Number and Day” is 3. Raise it, or try again later.',
		);
		expect(sent).toEqual([]);
		expect((await startAt(1_001, limited('voice'), '79160000402')).error).toBeUndefined();
		expect((await startAt(1_440, limited('voice'))).error).toBeUndefined();
	});

	it('does not count a start that gets the call of a cooldown', async () => {
		const cooling = limited('callerNumber', 10);
		for (let time = 0; time < 9; time++) {
			expect((await startAt(1_000, cooling, '79160000403')).error).toBeUndefined();
		}
		for (const minutes of [1_020, 1_040]) {
			expect((await startAt(minutes, cooling, '79160000403')).error).toBeUndefined();
		}
		expect((await startAt(1_060, cooling, '79160000403')).error?.message).toContain('This number');
	});
});

describe('Limit Key', () => {
	const visitors = (...keys: Array<string | number>) =>
		keys.map((key, index) => ({ phone: String(79_170_000_000 + index), key }));
	const KEY_PROBLEM =
		'This limit key has reached its limit of calls within an hour, so the call was not started';
	const limited = (options: INodeParameters = {}) =>
		start({ limitKey: '={{ $json.key }}', ...options }, PHONE);
	/** The errors of a run over these visitors; null for those who were called. */
	const errorsFor = async (
		id: string,
		parameters: INodeParameters,
		...keys: Array<string | number>
	) => {
		const run = { items: visitors(...keys), workflow: { id }, executionId: `${++calls}` };
		const { outputs, sent } = await runOn(NUMBER, parameters, { ...run, ...CONTINUE });
		const errors = outputs.map(({ error }) => error ?? null);
		expect(sent).toHaveLength(errors.filter((error) => error === null).length);
		return errors;
	};
	const eight = Array<string>(8).fill('203.0.113.7');

	it('gives each key five calls an hour, and leaves the others theirs', async () => {
		expect(await errorsFor('keys', limited(), ...eight, '203.0.113.8', 42)).toEqual([
			...Array<null>(5).fill(null),
			...Array<string>(3).fill(KEY_PROBLEM),
			null,
			null,
		]);
	});

	it('counts for the node as well, and says which limit is reached', async () => {
		const both = (maxCallsPerHour: number) => limited({ maxCallsPerHour, maxCallsPerKey: 2 });
		const errors = await errorsFor('both limits', both(3), 'a', 'a', 'a', 'b', 'c', 'a');
		expect(
			errors.map((error) => (typeof error === 'string' ? error.split(' has')[0] : null)),
		).toEqual([null, null, 'This limit key', null, 'This node', 'This limit key']);
		// A call that the node refused was not counted for its key.
		expect(await errorsFor('both limits', both(5), 'c', 'c')).toEqual([null, null]);
	});

	it.each([{ limitKey: '' }, { maxCallsPerKey: 0 }])('has no effect with %j', async (options) => {
		const errors = await errorsFor(JSON.stringify(options), limited(options), ...eight);
		expect(errors).toEqual(Array(8).fill(null));
	});

	it('limits inbound calls too', async () => {
		const options = { limitKey: '={{ $json.key }}', maxCallsPerKey: 1 };
		const parameters = getNumber({ phone: PHONE, options });
		expect(await errorsFor('keys of inbound calls', parameters, 'a', 'a', 'b')).toEqual([
			null,
			KEY_PROBLEM,
			null,
		]);
	});

	it('is in no error', async () => {
		const items = visitors('a very secret session', 'a very secret session');
		const run = { items, workflow: { id: 'secret' } };
		const { error } = await runOn(started(), limited({ maxCallsPerKey: 1 }), run);
		expect(error?.description).toContain('“Max Calls per Hour and Key” is 1');
		expect(JSON.stringify([error?.message, error?.description])).not.toContain('secret');
	});
});

describe('Max Wrong Codes per Number and Day', () => {
	/** A token of a new call to the number, and a wrong code for it in an execution of its own. */
	const guess = async (code: string, options: INodeParameters = {}, phone = '79160001199') => {
		// A fixed time, because a day may end while the test runs.
		const run = { executionId: `guess ${calls}`, implementation: at(1_000) };
		const { json } = await runOn(started(), start({}, phone), run);
		const check = checkCode(json.verification_token, { validFor: 0, ...options });
		return (await runOn(info(calls), { ...check, code }, run)).json;
	};

	it('ends the guesses for a number over all its calls, even for the right code', async () => {
		const reasons = [];
		for (let time = 0; time < 22; time++) reasons.push((await guess('1111')).reason);
		expect(reasons).toEqual([...Array(20).fill('wrongCode'), 'tooManyToday', 'tooManyToday']);
		expect(await guess('0042')).toMatchObject({
			matched: false,
			reason: 'tooManyToday',
			attempts_left: 0,
			verified_phone: null,
		});
		expect((await guess('0042', { maxWrongPerDay: 21 })).matched).toBe(true);
		expect((await guess('0042', {}, '79160001188')).matched).toBe(true);
	});

	it('is the limit of all runs together', async () => {
		const implementation = at(1_000);
		const { json } = await runOn(started(), start({}, '79160001177'), { implementation });
		const options = { maxAttempts: 0, maxWrongPerDay: 6, validFor: 0 };
		const check = { ...checkCode(json.verification_token, options), code: '={{ $json.code }}' };
		const items = ['2001', '2002', '2003', '2004', '2005'].map((code) => ({ code }));
		nock.cleanAll();
		wire(info(calls));
		const runs = await Promise.all(
			['one', 'two'].map(
				async (executionId) =>
					await runNode({ parameters: check, items, executionId, implementation }),
			),
		);
		const reasons = runs.flatMap(({ success }) => success.map(({ json: found }) => found.reason));
		expect(reasons.filter((reason) => reason === 'wrongCode')).toHaveLength(6);
		expect(reasons.filter((reason) => reason === 'tooManyToday')).toHaveLength(4);
	});

	it('has no effect without a token, because only the token contains the number', async () => {
		for (let time = 0; time < 4; time++) {
			const check = { ...checkCode(++calls, { maxWrongPerDay: 1 }), code: '1111' };
			const { json } = await runOn(info(calls), check);
			expect(json).toMatchObject({ reason: 'wrongCode', attempts_left: 4 });
		}
	});
});
