import nock from 'nock';

import type { IDataObject, IExecuteFunctions, INodeParameters, INodeType } from 'n8n-workflow';

import { systemClock } from '../../nodes/CallVerification/transport/pipeline';
import { CallVerification, resources, runItems } from '../../harness/engine/builtPackage';
import { type RunContext, retryNode, runNode } from '../../harness/engine/n8nCore';
import { checkCode as checkCodeOf, getNumber, startCall, TOOL } from './parameters';
import { type Reply, wire } from './wire';

const start = (options: INodeParameters = {}, phone = '79000000001') =>
	startCall({ phone, options, requestOptions: { maxRetries: 0 } });
const checkCode = (uid: unknown, options: INodeParameters = {}) =>
	checkCodeOf({ uid: uid as string, options });

let calls = 5_000;
const started = (values: IDataObject = {}): Reply => ({
	body: { status: true, vendor_id: ++calls, phone: '7***', code: '0042', exists: false, ...values },
});
const info = (vendor_id: number): Reply => ({
	body: {
		status: true,
		vendor_id,
		init_time: Math.floor(Date.now() / 1_000),
		call_status: 1,
		phone: '7***',
		code: '0042',
	},
});

const outputOf = async (parameters: INodeParameters, run: Partial<RunContext> = {}) =>
	(await runNode({ parameters, ...run })).success[0]?.json ?? {};

/** Runs the built node at that minute since 1970. */
const at = (minutes: number): INodeType => ({
	description: new CallVerification().description,
	async execute(this: IExecuteFunctions) {
		const clock = { ...systemClock, wallTime: () => minutes * 60_000 };
		return [await runItems(this, resources, clock, () => 0)];
	},
});

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

	it('is refused under another key, and nothing is sent', async () => {
		const sent = wire(started());
		const { verification_token } = await outputOf(start(), {
			credential: { baseUrl: 'https://service.test', secretKey: 'another key', serviceId: '1' },
		});
		const { error } = await runNode({ parameters: checkCode(verification_token) });
		expect(error?.message).toBe('The verification token is not valid');
		expect(sent).toHaveLength(1);
	});

	const SILENT = { exists: undefined, phone: undefined };

	it.each([
		['an own key that is new', { unique: 'own' }, { exists: false }, true],
		['an own key that the service knows', { unique: 'own' }, { exists: true }, false],
		['an own key, when the service is silent', { unique: 'own' }, SILENT, false],
		['its number fits', { unique: 'own' }, { ...SILENT, phone: '7900***0001' }, true],
		['its number does not', { unique: 'own' }, { ...SILENT, phone: '7900***0002' }, false],
		['a key of the node', {}, { exists: true }, true],
		['a key of the cooldown', { cooldown: 10 }, { exists: true }, true],
	])('is given out where the number is certain: %s', async (_what, options, answer, isGiven) => {
		wire(started(answer));
		const { verification_token: token } = await outputOf(start(options));
		expect(token === null ? false : typeof token === 'string').toBe(isGiven);
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
		wire(info(1));
		const parameters = { resource: 'call', operation: 'get', uid: 1, simplify };
		expect(await outputOf(parameters)).toHaveProperty('code');
		expect(await outputOf({ ...parameters, options: { hideCode: true } })).not.toHaveProperty(
			'code',
		);
	});
});

describe('Cooldown per Number', () => {
	const keyAt = async (
		minutes: number,
		options: INodeParameters,
		run: Partial<RunContext> = {},
	) => {
		nock.cleanAll();
		const sent = wire(started());
		const parameters = start(options);
		const executionId = String(++calls);
		await runNode({ parameters, executionId, implementation: at(minutes), ...run });
		return sent[0]?.fields.unique;
	};

	it('does not ring again before the minutes have passed, even in the next slot', async () => {
		const to = (phone: string) => ({ parameters: start({ cooldown: 10 }, phone) });
		const first = await keyAt(1_009.9, {}, to('79160000101'));
		expect(await keyAt(1_010.1, {}, to('79160000101'))).toBe(first);
		expect(await keyAt(1_019.8, {}, to('79160000101'))).toBe(first);
		expect(await keyAt(1_019.9, {}, to('79160000101'))).not.toBe(first);
	});

	it.each([
		['refused by the service', '79160000201'],
		['refused by another limit', '79160000202'],
	])('does not block a number whose start was %s', async (what, phone) => {
		const isOurs = what === 'refused by another limit';
		const startAt = async (minutes: number, to: string) =>
			await runNode({
				parameters: start({ cooldown: 10, maxCallsPerHour: 1 }, to),
				executionId: String(++calls),
				workflow: { id: what },
				implementation: at(minutes),
			});
		const refusal = { body: { status: false, error: 'No', code: 400 } };
		wire(isOurs ? started() : refusal);
		if (isOurs) await startAt(1_000, '79160000203');
		expect((await startAt(1_009.9, phone)).error).toBeDefined();
		const again = { parameters: start({ cooldown: 10 }, phone) };
		const key = await keyAt(1_010.1, {}, again);
		// Of a number that was blocked, that would be the key of the refused start, and over by now.
		expect(await keyAt(1_019.95, {}, again)).toBe(key);
	});

	it('uses one key for all starts to a number in a slot, in any execution and delivery', async () => {
		const key = await keyAt(1_000, { cooldown: 10 });
		expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		expect(await keyAt(1_009, { cooldown: 10 })).toBe(key);
		expect(await keyAt(1_005, { cooldown: 10 }, { nodeType: TOOL })).toBe(key);
		const voice = {
			parameters: { ...start({ cooldown: 10 }, '+7 900 000 00 01'), delivery: 'voice' },
		};
		expect(await keyAt(1_005, {}, voice)).toBe(key);
	});

	it('uses another key for another number, slot or account', async () => {
		const keys = [
			await keyAt(1_000, { cooldown: 10 }),
			await keyAt(1_010, { cooldown: 10 }),
			await keyAt(1_000, { cooldown: 10 }, { parameters: start({ cooldown: 10 }, '79000000002') }),
			await keyAt(
				1_000,
				{ cooldown: 10 },
				{ credential: { baseUrl: 'https://service.test', secretKey: 'other', serviceId: '1' } },
			),
			await keyAt(1_000, { cooldown: 0 }),
			await keyAt(1_000, {}),
		];
		expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 1, 2, 3, 4, 5]);
	});

	it('is refused together with the user’s own key, and nothing is sent', async () => {
		const sent = wire(started());
		const { error } = await runNode({ parameters: start({ cooldown: 10, unique: 'own' }) });
		expect(error?.message).toBe(
			'“Idempotency Key” and “Cooldown per Number” cannot be used together',
		);
		expect(sent).toEqual([]);
		expect(await keyAt(1_000, { cooldown: 0, unique: 'own' })).toBe('own');
	});

	it('stays in its slot when a failed execution is retried in the next one', async () => {
		const sent = wire({ body: { status: false, error: 'Down', code: 500 } }, started());
		const parameters = start({ cooldown: 10 });
		const failed = await runNode({ parameters, implementation: at(1_009) });
		await retryNode(failed, { parameters, implementation: at(1_011) });
		expect(sent).toHaveLength(2);
		expect(sent[1]?.fields.unique).toBe(sent[0]?.fields.unique);
	});
});

describe('Max Calls per Hour', () => {
	const phones = (count: number) =>
		Array.from({ length: count }, (_none, index) => ({ phone: String(79160000000 + index) }));
	const limited = (most: number, unique = ''): INodeParameters =>
		start({ maxCallsPerHour: most, unique }, '={{ $json.phone }}');

	it('refuses the call beyond it before anything is sent', async () => {
		const sent = wire(started());
		const { success } = await runNode({
			parameters: limited(3),
			items: phones(10),
			executionId: 'limit',
			onError: 'continueRegularOutput',
		});
		expect(sent).toHaveLength(3);
		const errors = success.map(({ json }) => json.error).filter((error) => error !== undefined);
		expect(errors).toEqual(
			Array(7).fill(
				'This node has reached its limit of calls within an hour, so the call was not started',
			),
		);

		// Repeats of the same calls do not count again; those of another execution do.
		const again = { parameters: limited(3), executionId: 'limit' };
		expect((await runNode({ ...again, items: phones(1) })).error).toBeUndefined();
		const { error } = await runNode({ ...again, items: phones(1), executionId: 'other' });
		expect(error?.description).toContain('“Max Calls per Hour” is 3');
	});

	it('counts a call whose response cannot be used', async () => {
		const sent = wire({ body: { status: true, code: '0042' } });
		const run = { parameters: limited(1), items: phones(1), workflow: { id: 'unusable' } };
		const { error } = await runNode({ ...run, executionId: 'first' });
		expect(error?.message).toContain('Incomplete response');
		expect(error?.description).not.toContain('0042');
		const again = await runNode({ ...run, executionId: 'second' });
		expect(again.error?.description).toContain('“Max Calls per Hour” is 1');
		expect(sent).toHaveLength(1);
	});

	it('does not count what the service refused', async () => {
		const sent = wire({ body: { status: false, error: 'No', code: 400 } });
		const run = { parameters: limited(1), items: phones(1), workflow: { id: 'refused' } };
		await runNode({ ...run, executionId: 'first' });
		const { error } = await runNode({ ...run, executionId: 'second' });
		expect(error?.message).toContain('refused the request: No');
		expect(sent).toHaveLength(2);
	});

	it('counts each start of an inbound call, because the service takes no key for it', async () => {
		const answer = { status: true, vendor_id: 1, phone: '7******01', confirmation_number: '7495' };
		const sent = wire({ body: answer });
		const parameters = getNumber({ options: { maxCallsPerHour: 2 } });
		const run = { parameters, workflow: { id: 'inbound' } };
		for (const time of [1, 2]) {
			expect([time, (await runNode(run)).error]).toEqual([time, undefined]);
		}
		expect((await runNode(run)).error?.description).toContain('“Max Calls per Hour” is 2');
		expect(sent).toHaveLength(2);
	});
});

describe('Limit Key', () => {
	const visitors = (...keys: Array<string | number>) =>
		keys.map((key, index) => ({ phone: String(79_170_000_000 + index), key }));
	const KEY_PROBLEM =
		'This limit key has reached its limit of calls within an hour, so the call was not started';
	const limited = (options: INodeParameters = {}) =>
		start({ limitKey: '={{ $json.key }}', ...options }, '={{ $json.phone }}');
	const errorsOf = (success: Array<{ json: IDataObject }>) =>
		success.map(({ json }) => json.error ?? null);
	const onError = 'continueRegularOutput' as const;

	it('gives each key five calls an hour, and leaves the others theirs', async () => {
		const sent = wire(started());
		const items = visitors(...Array<string>(8).fill('203.0.113.7'), '203.0.113.8', 42);
		const { success } = await runNode({
			parameters: limited(),
			items,
			workflow: { id: 'keys' },
			onError,
		});
		expect(errorsOf(success)).toEqual([
			...Array<null>(5).fill(null),
			...Array<string>(3).fill(KEY_PROBLEM),
			null,
			null,
		]);
		expect(sent).toHaveLength(7);
	});

	it('counts for the node as well, and says which limit is reached', async () => {
		wire(started());
		const parameters = limited({ maxCallsPerHour: 3, maxCallsPerKey: 2 });
		const run = { parameters, workflow: { id: 'both limits' }, onError };
		const { success } = await runNode({ ...run, items: visitors('a', 'a', 'a', 'b', 'c', 'a') });
		expect(
			errorsOf(success).map((error) => (typeof error === 'string' ? error.split(' has')[0] : null)),
		).toEqual([null, null, 'This limit key', null, 'This node', 'This limit key']);
		// A call that the node refused was not counted for its key.
		const more = { ...run, parameters: limited({ maxCallsPerHour: 5, maxCallsPerKey: 2 }) };
		const again = await runNode({
			...more,
			executionId: 'more',
			items: visitors('c', 'c'),
		});
		expect(errorsOf(again.success)).toEqual([null, null]);
	});

	it('has no effect without a key, or with 0 as its limit', async () => {
		wire(started());
		const items = visitors(...Array<string>(8).fill('a'));
		for (const options of [{ limitKey: '' }, { maxCallsPerKey: 0 }]) {
			const { success } = await runNode({
				parameters: limited(options),
				items,
				workflow: { id: JSON.stringify(options) },
			});
			expect(errorsOf(success)).toEqual(Array(8).fill(null));
		}
	});

	it('limits inbound calls too', async () => {
		const answer = { status: true, vendor_id: 1, phone: '7******01', confirmation_number: '7495' };
		const sent = wire({ body: answer });
		const parameters = getNumber({
			phone: '={{ $json.phone }}',
			options: { limitKey: '={{ $json.key }}', maxCallsPerKey: 1 },
		});
		const { success } = await runNode({ parameters, items: visitors('a', 'a', 'b'), onError });
		expect(errorsOf(success)).toEqual([null, KEY_PROBLEM, null]);
		expect(sent).toHaveLength(2);
	});

	it('is in no error', async () => {
		wire(started());
		const parameters = limited({ maxCallsPerKey: 1 });
		const items = visitors('a very secret session', 'a very secret session');
		const { error } = await runNode({ parameters, items, workflow: { id: 'secret' } });
		expect(error?.description).toContain('“Max Calls per Hour and Key” is 1');
		expect(JSON.stringify([error?.message, error?.description])).not.toContain('secret');
	});
});

describe('Max Wrong Codes per Number and Day', () => {
	const PHONE = '79160001199';
	/** A token of a new call to the number, and a wrong code for it in an execution of its own. */
	const guess = async (code: string, options: INodeParameters = {}, phone = PHONE) => {
		nock.cleanAll();
		wire(started(), info(calls));
		// A fixed time, because a day may end while the test runs.
		const run = { executionId: `guess ${calls}`, implementation: at(1_000) };
		const { verification_token: token } = await outputOf(start({}, phone), run);
		const parameters = { ...checkCode(token, { validFor: 0, ...options }), code };
		return await outputOf(parameters, run);
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
		wire(started(), info(calls));
		const implementation = at(1_000);
		const { verification_token: token } = await outputOf(start({}, '79160001177'), {
			implementation,
		});
		const parameters = {
			...checkCode(token, { maxAttempts: 0, maxWrongPerDay: 6, validFor: 0 }),
			code: '={{ $json.code }}',
		};
		const items = ['2001', '2002', '2003', '2004', '2005'].map((code) => ({ code }));
		const runs = await Promise.all(
			['one', 'two'].map(
				async (executionId) => await runNode({ parameters, items, executionId, implementation }),
			),
		);
		const reasons = runs.flatMap(({ success }) => success.map(({ json }) => json.reason));
		expect(reasons.filter((reason) => reason === 'wrongCode')).toHaveLength(6);
		expect(reasons.filter((reason) => reason === 'tooManyToday')).toHaveLength(4);
	});

	it('has no effect without a token, because only the token contains the number', async () => {
		for (let time = 0; time < 4; time++) {
			nock.cleanAll();
			wire(info(++calls));
			const parameters = { ...checkCode(calls, { maxWrongPerDay: 1 }), code: '1111' };
			expect(await outputOf(parameters)).toMatchObject({ reason: 'wrongCode', attempts_left: 4 });
		}
	});
});

describe('a model', () => {
	it('cannot make its own execution wait for an inbound call', async () => {
		const sent = wire(started());
		const parameters = getNumber({ callbackTarget: 'execution' });
		const { success } = await runNode({ parameters, nodeType: TOOL });
		expect(success[0]?.json.error).toBe('A tool’s execution cannot wait for an inbound call');
		expect(sent).toEqual([]);
	});
});
