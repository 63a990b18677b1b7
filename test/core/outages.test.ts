import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { slidingWindow } from '../simulatedService';
import { VirtualClock } from '../virtualClock';
import { notedTables } from '../package/docs/pages';
import {
	ERROR_CODES,
	knownError,
	WRONG_NUMBER,
} from '../../nodes/CallVerification/contract/errorCodes';
import { checkPhone, getNumber, startCall } from './parameters';
import {
	broken,
	checked,
	hanging,
	numbers,
	refusal,
	replying,
	type SentRequest,
	type Service,
	simulate,
} from './simulatedRun';
import type { Reply } from './wire';

/** Checks a list to its end, whatever fails. */
const run = async (
	service: Service,
	requestOptions: INodeParameters = {},
	count = 100,
	more: Partial<Parameters<typeof simulate>[0]> = {},
) =>
	await simulate({
		service,
		parameters: checkPhone({ requestOptions }),
		items: numbers(count),
		onError: 'continueRegularOutput',
		...more,
	});
const valid = (success: Array<{ json: IDataObject }>) =>
	success.filter(({ json }) => json.valid).length;
/** Refuses what is beyond the limit. */
const limitedTo = (
	most: number,
	windowMs: number,
	reply = (one: SentRequest) => checked(one),
): Service => {
	const limit = slidingWindow(most, windowMs);
	return async (request, clock) => {
		await clock.sleep(80);
		return limit.admits(clock.now(), 1) ? reply(request) : refusal(429);
	};
};
/** Refuses that many requests, then none. */
const refusingFirst = (count: number, reply: Reply): Service => {
	let asked = 0;
	return replying((request) => (++asked <= count ? reply : checked(request)));
};
const always = (reply: Reply) => replying(() => reply);

const GIVEN_UP =
	/^No usable response from the verification service since 2030-01-01 00:0\d:\d\d UTC, so the run gave up$/;

/** Give Up After, at its default. */
const MOST_SECONDS = 300 + 1;

const throttling = always(refusal(429, 'Slow down'));
const down = always({ status: 503, body: 'down' });
const waitAnHour = always(refusal(429, 'Slow down', { 'retry-after': '3600' }));

/** Scenarios with an unhealthy service or list, by their name in the documentation. */
const outages: Record<string, Service> = {
	'The service is down: no connection': broken('ECONNREFUSED'),
	'The service is down: HTTP status 503': down,
	'The service does not answer': hanging,
	'The service breaks off its answers': always({ body: '{"sta' }),
	'The service is slow: 20 seconds for each answer': async (request, clock) => {
		await clock.sleep(20_000);
		return checked(request);
	},
	'The service refuses everything as too many requests': throttling,
	'The service asks to wait for an hour': waitAnHour,
	'The service refuses the key': always(refusal(401, 'Wrong key')),
	'The money runs out after 500 checks': afterChecks(500, refusal(1002, 'No money')),
	'The service goes down after 500 checks': afterChecks(500, { status: 503, body: 'down' }),
	'The certificate is wrong': broken('CERT_HAS_EXPIRED'),
};

function afterChecks(count: number, reply: Reply): Service {
	const paid = new Set<string>();
	return replying((request) => {
		if (paid.size < count) paid.add(request.phone);
		return paid.has(request.phone) ? checked(request) : reply;
	});
}

/** “5 min 30 s”, to the second. */
function duration(seconds: number): string {
	const whole = Math.round(seconds);
	return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

describe('the table “What happens when …” of the documentation', () => {
	const rows = notedTables.find(({ note }) => note === 'outages')?.rows ?? [];

	it('has a row for each kind of outage', () => {
		expect(rows.map(([when]) => when)).toEqual(Object.keys(outages));
	});

	it.each(Object.entries(outages))('is true: %s', async (when, service) => {
		const continuing = await run(service, {}, 1_000);
		const stopping = await run(service, {}, 1_000, { onError: 'stopWorkflow' });
		for (const { seconds, success, error: ended } of [continuing, stopping]) {
			const isHealthy = !ended && success.every(({ json }) => json.error === undefined);
			// The node does not give up on a slow but working service.
			if (!isHealthy) expect(seconds).toBeLessThanOrEqual(MOST_SECONDS);
		}
		const error = continuing.success.at(-1)?.json.error;
		const words = typeof error === 'string' ? error : continuing.hints[0];
		const seen = words?.replace(/since .* UTC/, 'since …');
		expect(rows.find(([name]) => name === when)).toEqual([
			when,
			seen,
			`${duration(continuing.seconds)}, ${continuing.sent.length.toLocaleString('en-US')}`,
			`${duration(stopping.seconds)}, ${stopping.sent.length.toLocaleString('en-US')}`,
		]);
	});
});

describe('giving up', () => {
	it.each([
		...Object.entries(outages).slice(0, 4),
		['The service refuses everything', throttling] as const,
		['The service breaks off every connection', broken('ECONNRESET')] as const,
	])('ends all requests in time, and every item says why: %s', async (_what, service) => {
		const options = { giveUpAfter: 5, timeout: 2 };
		const { success, sent, seconds } = await run(service, options, 200);
		expect(sent.filter(({ at }) => at > 5.2)).toEqual([]);
		expect(seconds).toBeLessThan(6);
		const last = success.at(-1)?.json;
		expect(last?.error).toMatch(GIVEN_UP);
		expect(last?.message).toContain('Last error: ');
		expect(last?.message).toContain('raise “Give Up After”');
	});

	it('also happens with a fixed concurrency and a rate', async () => {
		const { seconds } = await run(throttling, { concurrency: 4, requestsPerSecond: 10 }, 200);
		expect(seconds).toBeLessThanOrEqual(301);
	});

	it('happens in time even if no request has failed yet', async () => {
		const { seconds, sent } = await run(hanging, {
			giveUpAfter: 10,
			timeout: 300,
			concurrency: 64,
			requestsPerSecond: 1,
		});
		expect(sent.length).toBeLessThanOrEqual(11);
		expect(seconds).toBeLessThan(11);
	});

	it.each([
		[60, 300, { concurrency: 1 }],
		[60, 300, { concurrency: 64 }],
		[1, 30, {}],
	])('never happens under a limit of %i per minute: %i, %j', async (most, count, options) => {
		const { success, seconds } = await run(limitedTo(most, 60_000), options, count);
		expect(valid(success)).toBe(count);
		expect(seconds / 60).toBeGreaterThan(count / most - 1);
	});

	it('happens at once when the service asks for a longer pause', async () => {
		const { success, seconds } = await run(waitAnHour);
		expect(seconds).toBeLessThan(1);
		expect(success[99]?.json.message).toContain(
			'The service asked to wait 3,600 s. Run the failed items again after that.',
		);
	});

	it('is not delayed by a request in flight, whatever its timeout', async () => {
		const { seconds, success } = await run(hanging, { giveUpAfter: 20, timeout: 30 }, 1);
		expect(seconds).toBeCloseTo(20, 0);
		expect(success[0]?.json.error).toMatch(GIVEN_UP);
	});

	it('ends retries in flight, too', async () => {
		let asked = 0;
		const service: Service = async (request, clock, giveUp) => {
			if (++asked > 1) return await hanging(request, clock, giveUp);
			await clock.sleep(19_000);
			return { status: 503, body: 'down' };
		};
		const { seconds } = await run(service, { giveUpAfter: 20, timeout: 30 }, 1);
		expect(asked).toBe(2);
		expect(seconds).toBeCloseTo(20, 0);
	});

	it('before its time leaves those in flight the rest of it, because they may be paid for', async () => {
		let asked = 0;
		const { success, seconds } = await run(
			async (request, clock) => {
				if (++asked > 1) return refusal(429, 'Slow down', { 'retry-after': '3600' });
				await clock.sleep(9_000);
				return checked(request);
			},
			{ giveUpAfter: 10, concurrency: 2 },
			50,
		);
		expect(seconds).toBeCloseTo(9, 0);
		expect(success[0]?.json.valid).toBe(true);
		expect(success.slice(1).filter(({ json }) => json.error)).toHaveLength(49);
		expect(success[49]?.json.error).toMatch(GIVEN_UP);
	});

	it('reports what was done and paid before, when the first failure ends the run', async () => {
		let asked = 0;
		const service = replying((request) => (++asked <= 100 ? checked(request) : refusal(429)));
		const { error } = await run(service, { giveUpAfter: 10 }, 500, { onError: 'stopWorkflow' });
		expect(error?.message).toMatch(GIVEN_UP);
		expect(error?.description).toContain(
			'100 of 500 items had already succeeded, at a cost of 50. Retrying this execution does not pay for them again.',
		);
	});

	it('is announced every ten seconds', async () => {
		const { progress, hints } = await run(throttling, { giveUpAfter: 55 }, 300);
		expect(progress).toEqual(
			[10, 20, 30, 40, 50].map(
				(seconds) =>
					`Verify: 0 of 300 items done, no response for ${seconds} s, giving up in ${55 - seconds} s`,
			),
		);
		expect(hints[0]).toMatch(/^All 300 items failed/);
	});
});

describe('the hint at the end', () => {
	it.each([
		['a warning where items failed', 1, 'warning', '9 of 10 items done, 1 failed'],
		['a warning that says so first where all did', 10, 'warning', 'All 10 items failed'],
		['no warning where none did', 0, 'info', '10 of 10 items done'],
	])('is %s', async (_what, failures, type, start) => {
		const { run: ended } = await run(refusingFirst(failures, refusal(402)), {}, 10);
		const [hint] = ended.data.resultData.runData.Verify?.[0]?.hints ?? [];
		expect(hint?.type).toBe(type);
		expect(hint?.message.startsWith(start)).toBe(true);
	});
});

describe('an address that n8n itself forbids', () => {
	const forbidden: Service = async () => {
		throw Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
	};

	it('ends the run with the first request, and every item says which settings allow it', async () => {
		const { success, sent } = await run(forbidden, { concurrency: 1 }, 500);
		expect(sent).toHaveLength(1);
		expect(new Set(success.map(({ json }) => json.error))).toEqual(
			new Set(['n8n does not allow requests to the address of the service']),
		);
		expect(success[499]?.json.message).toContain('N8N_SSRF_ALLOWED_HOSTNAMES');
	});
});

describe('a refusal that concerns everything', () => {
	it.each([
		{ what: 'HTTP status 401', code: 401, reply: { status: 401, body: 'no' } },
		...ERROR_CODES.filter(({ concerns }) => concerns === 'everything').map(({ code }) => ({
			what: `the code ${code}`,
			code,
			reply: refusal(code, 'No'),
		})),
	])('with $what is not repeated for a whole list', async ({ code, reply }) => {
		const known = knownError(code);
		const { success, sent } = await run(always(reply), {}, 200);
		expect(sent.length).toBeLessThanOrEqual(130);
		expect(success).toHaveLength(200);
		expect(success[199]?.json).toEqual({
			error: `${known?.meaning}: 10 requests in a row were refused, so no more were sent`,
			message: expect.stringContaining(known?.advice ?? ''),
		});
	});

	it('ends the run after ten in a row: nine are not enough', async () => {
		let asked = 0;
		const nineOfTen = replying((one) => (++asked % 10 === 0 ? checked(one) : refusal(1002)));
		const { success } = await run(nineOfTen, { concurrency: 1 }, 200);
		expect(valid(success)).toBe(20);
	});
});

describe('a refusal that concerns one item', () => {
	const items = ERROR_CODES.filter(({ concerns }) => concerns === 'item').map(({ code }) => code);

	it.each([...items.filter((code) => code !== WRONG_NUMBER), 403, 402, 17])(
		'with code %i never ends the run',
		async (code) => {
			const service = replying((request) =>
				request.phone.endsWith('0') ? checked(request) : refusal(code, 'Not this one'),
			);
			const { success, sent } = await run(service, {}, 60);
			expect(sent).toHaveLength(60);
			expect(valid(success)).toBe(6);
			expect(success[1]?.json.error).toBe(
				`The verification service refused the request: Not this one (code ${code})`,
			);
		},
	);

	it('with HTTP status 403 and no code never ends the run, either', async () => {
		const { sent } = await run(always({ status: 403, body: 'no' }), {}, 60);
		expect(sent).toHaveLength(60);
	});
});

describe('a refusal that concerns everything for a while', () => {
	it.each([50, 429, 1000])('with code %i is waited for', async (code) => {
		const { success } = await run(refusingFirst(20, refusal(code, 'Later')));
		expect(valid(success)).toBe(100);
	});
});

describe('an item that was started', () => {
	it('is retried before any new item starts', async () => {
		const { sent } = await run(throttling, {}, 1_000);
		// Sixteen start at once, before the first refusal.
		expect(new Set(sent.map(({ phone }) => phone)).size).toBe(16);
		expect(sent.length).toBeGreaterThan(16);
	});

	it.each([
		['by automatic concurrency', {}],
		['by eight at once', { concurrency: 8 }],
		['one by one, with little patience', { concurrency: 1, giveUpAfter: 20 }],
	])('does not hold up the others when it is always refused, %s', async (_what, options) => {
		const service = replying((one) => (one.phone === '79160000003' ? refusal(429) : checked(one)));
		const { success, seconds } = await run(service, options, 200);
		expect(valid(success)).toBe(199);
		expect(success[3]?.json.error).toContain('code 429');
		expect(seconds).toBeLessThan(150);
	});
});

describe('a list in parts', () => {
	const runPart = async (clock: VirtualClock, service: Service, options = {}, count = 250) => {
		const { sent, success } = await run(service, options, count, { clock });
		return { sent, done: valid(success) };
	};
	const atOnce = (sent: readonly SentRequest[]) => sent.filter(({ at }) => at < 0.08).length;
	const checking = replying(checked);

	it.each([
		['automatic concurrency', {}],
		['a fixed one', { concurrency: 32 }],
	])('is mostly refused in its first part, with %s', async (_what, requestOptions) => {
		const clock = new VirtualClock();
		const limit = slidingWindow(100, 1_000);
		const refused: number[] = [];
		for (const part of [0, 1, 2, 3]) {
			refused[part] = 0;
			const service: Service = async (request) => {
				const isTaken = limit.admits(clock.now(), 0);
				await clock.sleep(80);
				if (isTaken) return checked(request);
				refused[part]! += 1;
				return refusal(429, 'Slow down');
			};
			expect((await runPart(clock, service, requestOptions)).done).toBe(250);
		}
		const [first = 0, ...others] = refused;
		expect(first).toBeGreaterThan(20);
		expect(Math.max(...others)).toBeLessThan(first / 4);
	});

	it('continues at full concurrency, for a minute', async () => {
		const clock = new VirtualClock();
		expect(atOnce((await runPart(clock, checking)).sent)).toBe(16);
		await clock.runUntil(clock.sleep(59_000));
		expect(atOnce((await runPart(clock, checking)).sent)).toBeGreaterThan(32);
		await clock.runUntil(clock.sleep(61_000));
		expect(atOnce((await runPart(clock, checking)).sent)).toBe(16);
	});

	it('learns nothing from runs of a few items', async () => {
		const clock = new VirtualClock();
		await runPart(clock, checking);
		for (let time = 0; time < 50; time++) await runPart(clock, checking, {}, 1);
		expect(atOnce((await runPart(clock, checking)).sent)).toBeGreaterThan(32);
	});

	it.each([
		['learns nothing from a part with another speed', checking, { requestsPerSecond: 50 }],
		['starts over after an outage', down, {}],
	])('%s', async (_what, service, options) => {
		const clock = new VirtualClock();
		expect((await runPart(clock, service, options)).done).toBe(service === down ? 0 : 250);
		expect(atOnce((await runPart(clock, checking)).sent)).toBe(16);
	});

	it('sends requests at once after an outage', async () => {
		const clock = new VirtualClock();
		expect((await runPart(clock, throttling)).done).toBe(0);
		expect((await runPart(clock, checking)).sent[0]?.at).toBeLessThan(0.1);
	});
});

describe('a service that refuses with “Retry-After: 0”', () => {
	it.each([
		['by automatic concurrency', {}],
		['by a fixed one', { concurrency: 8 }],
	])('is not retried without a pause, %s', async (_what, options) => {
		const { sent } = await run(always(refusal(429, 'No', { 'retry-after': '0' })), options, 8);
		expect(sent.length).toBeLessThan(200);
	});

	it('gets the same pauses after 503', async () => {
		const service = always({ status: 503, headers: { 'retry-after': '0' }, body: 'x' });
		const { sent, seconds } = await run(service, { concurrency: 1 }, 1);
		expect(sent).toHaveLength(6);
		expect(seconds).toBeGreaterThan(5);
	});
});

describe('Wait for Result', () => {
	const MADE = { body: { status: true, vendor_id: 7, phone: '7***', code: '0042' } };
	const waiting = (values: INodeParameters) =>
		startCall({ phone: '={{ $json.phone }}', waitForResult: true, ...values });

	it.each([
		[75, {}],
		// Shorter than the node's own timeout for a request, and than the pause the service asks for.
		[20, {}],
		[20, { 'retry-after': '60' }],
	])('of %d s ends in time under 429 with %j, and returns the call', async (maxWait, headers) => {
		let madeAt = 0;
		const { success, seconds, error } = await simulate({
			service: async ({ method }, clock) => {
				await clock.sleep(80);
				if (method !== 'initCall') return refusal(429, 'Slow down', headers);
				madeAt = clock.now() / 1_000;
				return MADE;
			},
			parameters: waiting({ options: { maxWait } }),
			items: numbers(1),
		});
		expect(error).toBeUndefined();
		expect(seconds - madeAt).toBeLessThanOrEqual(maxWait);
		expect(success[0]?.json).toMatchObject({ vendor_id: 7, code: '0042', call_state: 'unknown' });
	});

	it('returns the call that was made when the run gives up', async () => {
		const { success, seconds } = await simulate({
			service: async (request, ...more) =>
				request.method === 'initCall' ? MADE : await hanging(request, ...more),
			parameters: waiting({ requestOptions: { giveUpAfter: 5, timeout: 2 } }),
			items: numbers(3),
		});
		expect(seconds).toBeLessThan(10);
		expect(success.map(({ json }) => json.vendor_id)).toEqual([7, 7, 7]);
	});
});

describe('a list on a service that announces its limit', () => {
	it('of 300 numbers at 30 per second takes at most 1.2 times the shortest time, with 2 % refused', async () => {
		const limit = slidingWindow(30, 1_000);
		let refused = 0;
		const service: Service = async (request, clock) => {
			await clock.sleep(40);
			const isTaken = limit.admits(clock.now(), 1);
			const remaining = String(limit.quota?.(clock.now()).remaining);
			const headers = { 'x-rate-limit-limit': '30', 'x-rate-limit-remaining': remaining };
			await clock.sleep(40);
			if (isTaken) return { ...checked(request), headers };
			refused++;
			return refusal(429, 'Slow down', headers);
		};
		const { success, seconds } = await run(service, {}, 300);
		expect(valid(success)).toBe(300);
		expect(seconds).toBeLessThan(9.08 * 1.2);
		expect(refused).toBeLessThanOrEqual(6);
	});
});

describe('Inbound Call: Get Number to Call', () => {
	it('gets through a rate limit', async () => {
		let id = 0;
		const number = () => ({ body: { vendor_id: ++id, confirmation_number: '78000000000' } });
		const parameters = getNumber({ phone: '={{ $json.phone }}' });
		const { success } = await run(limitedTo(20, 1_000, number), {}, 200, { parameters });
		expect(success.filter(({ json }) => json.confirmation_number)).toHaveLength(200);
		expect(id).toBe(200);
	});
});

describe('Max Total Cost', () => {
	it('does not slow down checks that are free', async () => {
		const service = replying((request) => checked(request, { cost: 0 }));
		const parameters = checkPhone({ options: { maxTotalCost: 1_000 } });
		const limited = await run(service, {}, 640, { parameters });
		const unlimited = await run(service, {}, 640);
		expect(valid(limited.success)).toBe(640);
		expect(limited.seconds / unlimited.seconds).toBeLessThan(1.5);
	});
});

describe('a wall clock that is set back by an hour', () => {
	it('does not delay a run', async () => {
		const limited = limitedTo(50, 1_000);
		let asked = 0;
		const service: Service = async (request, clock, giveUp) => {
			if (++asked === 100) clock.setBack(3_600_000);
			return await limited(request, clock, giveUp);
		};
		const { success, seconds } = await run(service, { requestsPerSecond: 100 }, 300);
		expect(valid(success)).toBe(300);
		expect(seconds).toBeLessThan(30);
	});
});
