import {
	get,
	maxWaitField,
	waitForResult,
} from '../../../../../nodes/CallVerification/operations/call/get';
import type { ItemContext } from '../../../../../nodes/CallVerification/run/operation';
import { readVendorId } from '../../../../../nodes/CallVerification/codes/call';
import { ServiceError } from '../../../../../nodes/CallVerification/transport/errors';
import { VirtualClock } from '../../../../virtualClock';
import { fakeItem, run } from '../fakeItem';

const UID = readVendorId(1);
const DEFAULT = Number(maxWaitField.default);

/** An item whose clock advances only during sleeps. */
function itemWith(
	answers: Array<number | Error>,
	stop = new AbortController().signal,
	/** How long each takes. */
	latency = 0,
) {
	const pauses: number[] = [];
	const warnings: string[] = [];
	let now = 0;
	let asked = 0;
	const deadlines: unknown[] = [];
	const send = async (_method: unknown, _request: unknown, options?: { deadline?: number }) => {
		deadlines.push(options?.deadline);
		now += latency;
		const answer = answers[Math.min(asked++, answers.length - 1)];
		if (answer instanceof Error) throw answer;
		return { vendor_id: 1, call_status: answer };
	};
	const item: Pick<ItemContext, 'send' | 'clock' | 'stop' | 'warn'> = {
		send,
		clock: {
			now: () => now,
			wallTime: () => now,
			timer: () => new AbortController().signal,
			sleep: async (milliseconds) => {
				pauses.push(milliseconds);
				now += milliseconds;
			},
		},
		stop,
		warn: (message) => warnings.push(message),
	};
	return { item, pauses, warnings, deadlines };
}

describe('waiting for the result of a call', () => {
	it('asks with growing pauses until the call is settled', async () => {
		const { item, pauses } = itemWith([-1, -1, -1, -1, -1, -1, 1]);
		const record = await waitForResult(item, UID, undefined, 60);
		expect(record).toMatchObject({ call_status: 1, call_state: 'completed' });
		expect(pauses).toEqual([1000, 1500, 2250, 3375, 5000, 5000, 5000]);
	});

	it('gives up when the time is up, not later', async () => {
		const { item, pauses } = itemWith([-1]);
		const record = await waitForResult(item, UID, undefined, 4);
		expect(record).toMatchObject({ call_state: 'checking' });
		// The last request still has a second for its response.
		expect(pauses).toEqual([1000, 1500, 500]);
	});

	it('waits 75 seconds by default (§8.getInfo.call_status)', async () => {
		const { item, pauses } = itemWith([-1]);
		await waitForResult(item, UID, undefined, DEFAULT);
		expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBe(74_000);
	});

	it('gives no request more time than is left', async () => {
		const { item, deadlines } = itemWith([-1]);
		await waitForResult(item, UID, undefined, 4);
		expect(deadlines).toEqual([4_000, 4_000, 4_000]);
	});

	it.each([1, 0.5])('asks once in %d seconds', async (limit) => {
		const { item, deadlines } = itemWith([-1]);
		expect(await waitForResult(item, UID, undefined, limit)).toMatchObject({
			call_state: 'checking',
		});
		expect(deadlines.length).toBeGreaterThanOrEqual(1);
	});

	it.each([
		[1, [500]],
		[2, [1_000]],
		[3.5, [1_000, 1_500]],
	])('asks for the last time shortly before %d seconds are over', async (limit, expected) => {
		const { item, pauses } = itemWith([-1]);
		await waitForResult(item, UID, undefined, limit);
		expect(pauses).toEqual(expected);
	});

	it('does not wait on an unknown status', async () => {
		const { item, pauses } = itemWith([9]);
		expect(await waitForResult(item, UID, undefined, DEFAULT)).toMatchObject({
			call_state: 'unknown',
		});
		expect(pauses).toHaveLength(1);
	});

	it('keeps what it knew when a request fails', async () => {
		const down = new ServiceError('Down', { failure: 'unavailable', advice: '' });
		const { item, warnings } = itemWith([-1, down]);
		expect(await waitForResult(item, UID, { known: true }, DEFAULT)).toMatchObject({
			call_state: 'checking',
		});
		expect(warnings).toEqual(['Stopped waiting for a call’s result: Down']);

		const never = itemWith([down]);
		expect(await waitForResult(never.item, UID, { known: true }, DEFAULT)).toEqual({ known: true });
	});

	it.each([
		[999, 1],
		[1_000, 0],
		[1_001, 0],
	])('warns only if time was left: after a last answer of %d ms, %d times', async (ms, count) => {
		const down = new ServiceError('Down', { failure: 'unavailable', advice: '' });
		const { item, warnings } = itemWith([down], undefined, ms);
		expect(await waitForResult(item, UID, { known: true }, 2)).toEqual({ known: true });
		expect(warnings).toHaveLength(count);
	});

	it('sends nothing more once the execution is stopped', async () => {
		const { item, pauses } = itemWith([-1], AbortSignal.abort());
		expect(await waitForResult(item, UID, undefined, DEFAULT)).toBeUndefined();
		expect(pauses).toEqual([]);
	});

	it('ends a pause when the execution is stopped', async () => {
		const stopping = new AbortController();
		const { item, warnings, deadlines } = itemWith([-1], stopping.signal);
		const endless = { ...item.clock, sleep: async () => await new Promise<void>(() => {}) };
		const waiting = waitForResult({ ...item, clock: endless }, UID, { known: true }, DEFAULT);
		stopping.abort();
		expect(await waiting).toEqual({ known: true });
		expect([deadlines, warnings]).toEqual([[], []]);
	});
});

describe('call.get', () => {
	const getOn = async (statuses: readonly number[]) => {
		const clock = new VirtualClock();
		let asked = 0;
		const answer = () => ({ vendor_id: 1, call_status: statuses[asked++] });
		const { item } = fakeItem(answer, { clock, more: { warn: () => {} } });
		return await clock.runUntil(run(get, item, { uid: 1, waitForResult: true }));
	};

	it('returns what the call came to, if it waits', async () => {
		expect(await getOn([-1, -1, 1])).toMatchObject({ call_status: 1, call_state: 'completed' });
		expect(await getOn([-1, 0])).toMatchObject({ call_status: 0, call_state: 'failed' });
	});
});
