import { DataDeduplicationService } from 'n8n-core';
import type { IDataDeduplicator, IDataObject, INodeParameters } from 'n8n-workflow';

import { type RunContext, retryNode, runNode } from '../../harness/engine/n8nCore';
import { checkCode, startCall, TOOL } from './parameters';
import { runOn, wire } from './wire';

const now = () => Math.floor(Date.now() / 1_000);

let calls = 0;

/** A call that no other test uses: attempts count for the whole process. */
const aCall = (values: IDataObject = {}) => ({
	status: true,
	vendor_id: 1_000_000 + ++calls,
	init_time: now() - 60,
	call_status: 1,
	phone: '7900*****01',
	code: '0042',
	...values,
});

const check = (code: string, options: INodeParameters = {}) =>
	checkCode({ code, options, requestOptions: { maxRetries: 0 } });

let executions = 0;

/** Each check is a separate execution. */
async function checked(code: string, options: INodeParameters = {}, run: Partial<RunContext> = {}) {
	const own = { parameters: check(code, options), executionId: String(++executions) };
	const { success, error } = await runNode({ ...own, ...run });
	if (error) throw error;
	return success[0]?.json ?? {};
}

const CODES = '={{ $json.code }}';
const guesses = (count: number) =>
	Array.from({ length: count }, (_none, index) => String(2_000 + index));
const compared = (outputs: IDataObject[]) =>
	outputs.filter(({ reason, matched }) => reason === 'wrongCode' || matched).length;

describe('a code', () => {
	it.each(['0042', ' 0042 '])('that is right (%j) matches, and is not shown', async (code) => {
		const call = aCall();
		wire({ body: call });
		expect(await checked(code)).toEqual({
			matched: true,
			reason: null,
			attempts_left: 4,
			vendor_id: call.vendor_id,
			call_status: 1,
			call_state: 'completed',
			phone: '7900*****01',
			init_time: call.init_time,
			verified_phone: null,
		});
	});

	it.each(['0043', '12', '0000', '00421', 'abcd', '００４２', '-0042', '0042 0042'])(
		'that is wrong or invalid (%j) is an attempt, not an error',
		async (code) => {
			wire({ body: aCall() });
			const wrong = { matched: false, reason: 'wrongCode', attempts_left: 4 };
			expect(await checked(code)).toMatchObject(wrong);
		},
	);

	it('that arrives as a number keeps its leading zeros', async () => {
		wire({ body: aCall({ code: 42 }) });
		expect((await checked('0042')).matched).toBe(true);
	});

	it('that the service does not return is an error', async () => {
		wire({ body: { status: true, vendor_id: 1, call_status: 1, init_time: now() } });
		await expect(checked('0042')).rejects.toMatchObject({
			message: 'The verification service did not return a code for this call',
		});
	});

	it('that has matched is used up in the next execution', async () => {
		wire({ body: aCall() });
		await checked('0042');
		expect(await checked('0042')).toMatchObject({ matched: false, reason: 'alreadyUsed' });
		expect(await checked('1111')).toMatchObject({ reason: 'alreadyUsed', attempts_left: 4 });
	});

	it('of a call that failed is not compared', async () => {
		wire({ body: aCall({ call_status: 0 }) });
		expect(await checked('0042')).toMatchObject({ reason: 'callFailed', attempts_left: 5 });
	});
});

describe('Valid For', () => {
	it.each([
		['10 minutes by default', {}, 599, null],
		['10 minutes by default', {}, 600, 'expired'],
		['what was entered', { validFor: 1 }, 60, 'expired'],
		['without a limit when 0', { validFor: 0 }, 1_000_000, null],
	])('is %s (%j, after %i seconds: %s)', async (_what, options, age, reason) => {
		// Another year than today, so that a clock that still runs is noticed.
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2031, 4, 1, 12, 0, 0, 999));
		wire({ body: aCall({ init_time: now() - age }) });
		const { reason: found } = await checked('0042', options);
		clock.mockRestore();
		expect(found).toBe(reason);
	});

	const MINUTE = 60;
	const HOUR = 60 * MINUTE;

	it('allows clocks to differ a little', async () => {
		wire({ body: aCall({ init_time: now() + 2 * MINUTE }) });
		expect((await checked('0042')).matched).toBe(true);
	});

	it.each([HOUR, 10 * 365 * 24 * HOUR])(
		'counts from the issue of the token if the call is to start in %i seconds',
		async (future) => {
			const call = aCall({ init_time: now() + future });
			wire({ body: call });
			const { success } = await runNode({ parameters: startCall() });
			const token = success[0]?.json.verification_token as string;
			const at = Date.now();
			const checkedAfter = async (minutes: number) => {
				const clock = jest.spyOn(Date, 'now').mockReturnValue(at + minutes * 60_000);
				const { reason } = await checked('0042', {}, { parameters: checkCode({ uid: token }) });
				clock.mockRestore();
				return reason;
			};
			expect(await checkedAfter(11)).toBe('expired');
			expect(await checkedAfter(9)).toBe(null);
		},
	);

	it.each<[string, IDataObject[string]]>([
		['missing', undefined],
		['null', null],
		['text', 'yesterday'],
		['0', 0],
		['in milliseconds', 1_790_000_000_000],
		['in an hour', now() + HOUR],
		['in ten years', now() + 10 * 365 * 24 * HOUR],
	])('does not let a call pass whose start time is %s', async (_what, init_time) => {
		const { error } = await runOn({ body: aCall({ init_time }) }, check('0042'));
		expect(error?.message).toBe(
			'The verification service returned no usable start time for this call',
		);
		expect(error?.description).toContain('Set “Valid For” to 0');
		expect((await checked('0042', { validFor: 0 })).matched).toBe(true);
	});
});

describe('Max Attempts', () => {
	it('ends the attempts for a call across executions, even for the right code', async () => {
		wire({ body: aCall() });
		const left = [];
		for (const code of ['1', '2', '3', '4', '5']) left.push((await checked(code)).attempts_left);
		expect(left).toEqual([4, 3, 2, 1, 0]);
		expect(await checked('0042')).toMatchObject({ matched: false, reason: 'tooManyAttempts' });
		expect(await checked('0042', { maxAttempts: 6 })).toMatchObject({ matched: true });
	});

	it('counts another call with the same ID separately', async () => {
		const call = aCall();
		wire({ body: call }, { body: { ...call, init_time: call.init_time + 1 } });
		await checked('1111', { maxAttempts: 1 });
		expect((await checked('0042', { maxAttempts: 1 })).matched).toBe(true);
	});

	it('means no limit when 0', async () => {
		wire({ body: aCall() });
		for (let time = 0; time < 7; time++) await checked(String(time), { maxAttempts: 0 });
		const unlimited = await checked('0042', { maxAttempts: 0 });
		expect(unlimited).toMatchObject({ matched: true, attempts_left: null });
	});

	it.each([
		['a list', {}],
		['a list of a tool', { nodeType: TOOL }],
	])('lets 100 guesses in %s compare 5', async (_what, run) => {
		const items = guesses(100).map((code) => ({ code }));
		const { outputs } = await runOn({ body: aCall() }, check(CODES), { items, ...run });
		expect(outputs).toHaveLength(100);
		expect(compared(outputs)).toBe(5);
	});

	it('lets 60 executions at the same moment compare 5', async () => {
		wire({ body: aCall() });
		const results = await Promise.all(guesses(60).map(async (code) => await checked(code)));
		expect(compared(results)).toBe(5);
	});

	it('neither counts attempts nor uses up codes in manual runs, where codes still expire', async () => {
		const call = aCall();
		wire({ body: call });
		const byHand: Partial<RunContext> = { mode: 'manual' };
		for (let time = 0; time < 7; time++) {
			expect(await checked('1111', {}, byHand)).toMatchObject({ attempts_left: 5 });
			expect((await checked('0042', {}, byHand)).matched).toBe(true);
		}
		expect((await checked('0042', {}, byHand)).matched).toBe(true);
		expect((await checked('0042', { validFor: 0.5 }, byHand)).reason).toBe('expired');
		expect((await checked('0042')).matched).toBe(true);
	});
});

describe('what n8n runs again', () => {
	const down = { body: { status: false, error: 'Down', code: 500 } };
	const parameters = {
		...check(CODES),
		uid: '={{ $json.uid }}',
		requestOptions: { maxRetries: 0, concurrency: 1 },
	};
	const items = [
		{ uid: 1, code: '1111' },
		{ uid: 1, code: '0042' },
		{ uid: 1, code: '0042' },
		{ uid: 2, code: '0042' },
	];
	it.each([
		['by Retry On Fail costs no attempt, nor does a second item with the same data', true],
		['by a retry of a failed execution costs no attempt', false],
	])('%s', async (_what, retryOnFail) => {
		const [first, second] = [{ body: aCall() }, { body: aCall() }];
		wire(first, first, first, down, first, first, first, second);
		const run = { parameters, items, retryOnFail };
		const ended = await runNode(run);
		const { success } = ended.error ? await retryNode(ended, run) : ended;
		expect(Boolean(ended.error)).toBe(!retryOnFail);
		expect(success.map(({ json }) => [json.reason, json.attempts_left])).toEqual([
			['wrongCode', 4],
			[null, 3],
			[null, 3],
			[null, 4],
		]);
	});
});

/** This comes last: n8n's store can be set only once per process. */
describe('n8n’s store', () => {
	const entries = new Set<unknown>();
	const recorded: Array<{ scope: string; node: string | undefined; options: object }> = [];
	let count = 0;
	let scopeThatFails = '';
	const deduplicator: Partial<IDataDeduplicator> = {
		getProcessedDataCount: async () => count,
		async checkProcessedAndRecord(items, scope, { node }, options) {
			recorded.push({ scope, node: node?.id, options });
			if (scope === scopeThatFails) throw new Error('database is down');
			const fresh = items.filter((item) => !entries.has(item));
			for (const item of fresh) entries.add(item);
			return { new: fresh, processed: items.filter((item) => !fresh.includes(item)) };
		},
	};

	it('receives each attempt of the node as a fingerprint, within a bound', async () => {
		await DataDeduplicationService.init(deduplicator as IDataDeduplicator);
		// A fixed call has the same fingerprints in every run, so no digits occur in them by chance.
		wire({ body: aCall({ vendor_id: 1, init_time: 1_700_000_000 }) });
		await checked('1111', { validFor: 0 });
		// Once to take it, and once to see that no other process has overwritten it.
		const attempt = { mode: 'entries', maxEntries: 10_000 };
		expect(recorded).toEqual(Array(2).fill({ scope: 'node', node: 'verify-id', options: attempt }));
		await checked('0042', { validFor: 0 });
		expect([...entries].join()).not.toMatch(/1111|0042/);
	});

	it('receives a used code for the whole workflow, so that Start knows of it in other processes', async () => {
		const before = recorded.length;
		wire({ body: aCall({ vendor_id: 3 }) });
		expect(await checked('0042')).toMatchObject({ matched: true });
		const ofWorkflow = recorded.slice(before).filter(({ scope }) => scope === 'workflow');
		expect(ofWorkflow).toEqual([
			{
				scope: 'workflow',
				node: 'verify-id',
				options: { mode: 'entries', maxEntries: 10_000 },
			},
		]);
	});

	it('does not break a login when only the used code cannot be stored', async () => {
		scopeThatFails = 'workflow';
		wire({ body: aCall({ vendor_id: 4 }) });
		expect(await checked('0042')).toMatchObject({ matched: true });
		scopeThatFails = '';
	});

	it('that is full refuses calls from before this process, and no others', async () => {
		count = 10_000;
		wire({ body: aCall({ init_time: now() - 400 }) }, { body: aCall({ init_time: now() + 1 }) });
		expect(await checked('0042')).toMatchObject({ reason: 'expired', attempts_left: 5 });
		expect(await checked('0042')).toMatchObject({ matched: true });
		count = 0;
	});

	it('is not used by manual runs', async () => {
		const before = recorded.length;
		wire({ body: aCall() });
		await checked('0042', {}, { mode: 'manual' });
		expect(recorded).toHaveLength(before);
	});

	it('counts calls, too, but only the process counts those of manual runs', async () => {
		wire({ body: aCall({ vendor_id: 2, exists: false }) });
		const limits = { maxCallsPerHour: 2, maxCallsPerNumber: 2, cooldown: 1 };
		const started = async (phone: string, mode: RunContext['mode']) => {
			const parameters = startCall({ phone, options: limits });
			return await runNode({ parameters, mode, executionId: String(++executions) });
		};
		const before = recorded.length;
		expect((await started('79160000501', 'manual')).error).toBeUndefined();
		expect(recorded).toHaveLength(before);

		expect((await started('79160000502', 'webhook')).error).toBeUndefined();
		const stored = recorded.slice(before);
		const bound = { mode: 'entries', maxEntries: 10_000 };
		expect(stored.length).toBeGreaterThan(0);
		expect(stored).toEqual(
			stored.map(() => ({ scope: 'node', node: 'verify-id', options: bound })),
		);
		expect([...entries].join()).not.toContain('9160000502');

		const third = await started('79160000503', 'manual');
		expect(third.error?.description).toContain('“Max Calls per Hour” is 2');
	});
});
