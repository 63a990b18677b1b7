import type { IHttpRequestOptions } from 'n8n-workflow';

import type { HttpResponse } from '../../../../nodes/CallVerification/transport/answer';
import type { TracedRequest } from '../../../../nodes/CallVerification/transport/client';
import { ServiceClient } from '../../../../nodes/CallVerification/transport/client';
import { PatientClient } from '../../../../nodes/CallVerification/transport/patientClient';
import { deadlines } from '../../../../nodes/CallVerification/pacing/deadlines';
import { fixedLimit } from '../../../../nodes/CallVerification/pacing/adaptiveLimit';
import type { Pushback } from '../../../../nodes/CallVerification/pacing/limit';
import { Patience } from '../../../../nodes/CallVerification/pacing/patience';
import { methods } from '../../../../nodes/CallVerification/contract/methods';

const { getBalance, getService, inboundCallWaiting, initCall, initRepeat } = methods;

const ONE = 'https://one.test';
const ANSWER = {
	status: true,
	vendor_id: 1,
	rub_balance: 1,
	confirmation_number: '7',
};
const OPTIONS = { timeout: 30_000, maxRetries: 0 };
const never = () => new AbortController().signal;

const broken = (code: string) => async () => {
	throw Object.assign(new Error(code), { code });
};
const answering = async (): Promise<HttpResponse> => ({
	statusCode: 200,
	headers: {},
	body: ANSWER,
});

/** A client whose service behaves as given, and a record of what it sent. */
function clientWith(behaviour: Record<string, () => Promise<HttpResponse>>, timer = never) {
	const sent: string[] = [];
	const requests: IHttpRequestOptions[] = [];
	const transport = async (request: IHttpRequestOptions): Promise<HttpResponse> => {
		sent.push(request.url.replace('/v1.0', ''));
		requests.push(request);
		return await (behaviour[new URL(request.url).origin] ?? answering)();
	};
	const pauses: number[] = [];
	let now = 0;
	const clock = {
		now: () => now,
		wallTime: () => now,
		sleep: async (milliseconds: number) => {
			pauses.push(milliseconds);
			now += milliseconds;
		},
		timer,
	};
	const traced: unknown[] = [];
	const trace = (request: TracedRequest) => (outcome: unknown) =>
		traced.push({ ...request, outcome });
	const told: Pushback[] = [];
	const unlimited = fixedLimit(clock, 1_000);
	const client = new PatientClient(
		new ServiceClient(
			{ baseUrl: ONE, secretKey: 'k', serviceId: '1' },
			{ transport, withDeadline: deadlines(clock), trace },
		),
		{
			clock,
			patience: new Patience(clock, 300_000),
			limit: {
				async enter(stop) {
					const slot = await unlimited.enter(stop);
					return {
						leave(pushback) {
							told.push(pushback);
							slot.leave(pushback);
						},
					};
				},
			},
			takeTurn: async () => {},
			// Always the longest possible pause.
			random: () => 1,
		},
	);
	return { sent, requests, pauses, told, traced, client };
}

describe('a request', () => {
	const common = {
		timeout: 30_000,
		json: true,
		arrayFormat: 'repeat',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};

	it('carries its parameters in the body', async () => {
		const { client, requests } = clientWith({});
		await client.send(initRepeat, { uid: 7 }, OPTIONS);
		expect(requests).toEqual([
			{ method: 'POST', url: `${ONE}/v1.0/initRepeat`, body: { uid: 7 }, ...common },
		]);
	});

	it('carries them in the query where the service takes GET only', async () => {
		const service = async () => ({ statusCode: 200, headers: {}, body: { service_status: 1 } });
		const { client, requests } = clientWith({ [ONE]: service });
		await client.send(getService, {}, OPTIONS);
		expect(requests).toEqual([{ method: 'GET', url: `${ONE}/v1.0/getService`, qs: {}, ...common }]);
	});

	it('is not resent after an error in our own code', async () => {
		const { client, sent } = clientWith({ [ONE]: async () => undefined as never });
		await expect(client.send(getBalance, {}, { ...OPTIONS, maxRetries: 3 })).rejects.toThrow(
			TypeError,
		);
		expect(sent).toHaveLength(1);
	});
});

describe('what the limit is told', () => {
	const reply =
		(statusCode: number, headers: Record<string, string> = {}) =>
		async (): Promise<HttpResponse> => ({ statusCode, headers, body: 'x' });

	it.each<[string, () => Promise<HttpResponse>, Pushback]>([
		['an answer', answering, { kind: 'ok' }],
		['a refusal', reply(400), { kind: 'ok' }],
		['a mistake of our own', async () => undefined as never, { kind: 'ok' }],
		['HTTP status 503', reply(503), { kind: 'overloaded' }],
		['a reset connection', broken('ECONNRESET'), { kind: 'overloaded' }],
		['a refused connection', broken('ECONNREFUSED'), { kind: 'overloaded' }],
	])('after %s', async (_what, behaviour, pushback) => {
		const { client, told } = clientWith({ [ONE]: behaviour });
		await client.send(getBalance, {}, OPTIONS).catch(() => {});
		expect(told).toEqual([pushback]);
	});

	it.each([
		[{}, { kind: 'rateLimited' }],
		[{ 'retry-after': '7' }, { kind: 'rateLimited', retryAfterMs: 7000 }],
	])('after HTTP status 429 with %j', async (headers, pushback) => {
		const replies = [reply(429, headers), answering];
		const { client, told } = clientWith({
			[ONE]: async () => await (replies.shift() ?? answering)(),
		});
		await client.send(getBalance, {}, { ...OPTIONS, maxRetries: 1 });
		expect(told).toEqual([pushback, { kind: 'ok' }]);
	});
});

describe('a limit that the service announces', () => {
	const headers = { 'x-rate-limit-limit': '30', 'x-rate-limit-remaining': '7' };
	const announced = { limit: 30, remaining: 7 };

	it.each([
		[200, ANSWER, { kind: 'ok', announced }],
		[200, { status: false, error: 'No', code: 3 }, { kind: 'ok', announced }],
		[200, 'not JSON', { kind: 'overloaded', announced }],
		[401, { status: false, error: 'No', code: 401 }, { kind: 'ok', announced }],
		[503, 'down', { kind: 'overloaded', announced }],
	])('reaches ours with HTTP status %i and %j', async (statusCode, body, pushback) => {
		const { client, told } = clientWith({
			[ONE]: async () => ({ statusCode, headers, body }),
		});
		await client.send(getBalance, {}, OPTIONS).catch(() => {});
		expect(told).toEqual([pushback]);
	});

	it('reaches ours with a refusal', async () => {
		const replies = [{ statusCode: 429, headers, body: '' }];
		const { client, told } = clientWith({
			[ONE]: async () => replies.shift() ?? (await answering()),
		});
		await client.send(getBalance, {}, { ...OPTIONS, maxRetries: 1 });
		expect(told).toEqual([{ kind: 'rateLimited', announced }, { kind: 'ok' }]);
	});
});

describe('the time limit', () => {
	it('covers the whole request: a dripping body does not outlive it', async () => {
		const limit = new AbortController();
		const dripping = async () => {
			limit.abort();
			return await new Promise<HttpResponse>(() => {});
		};
		const { client } = clientWith({ [ONE]: dripping }, () => limit.signal);
		await expect(client.send(getBalance, {}, OPTIONS)).rejects.toThrow(
			'The request to the verification service timed out',
		);
	});

	it('is passed to n8n as well, so that the connection is closed', async () => {
		const { client, requests } = clientWith({});
		await client.send(getBalance, {}, { timeout: 12_000, maxRetries: 0 });
		expect(requests[0]?.timeout).toBe(12_000);
	});
});

describe('retrying', () => {
	const patient = { timeout: 30_000, maxRetries: 3 };
	const reply =
		(statusCode: number, body: unknown = 'x', headers: Record<string, string> = {}) =>
		async (): Promise<HttpResponse> => ({ statusCode, headers, body });
	const refusal = (code: number) => reply(200, { status: false, error: 'x', code });
	const CALL = { phone: 79000000001, unique: 'u' };

	/** Fails in the given ways, in order, then answers. */
	const failing = (...failures: Array<() => Promise<HttpResponse>>) => {
		const left = [...failures];
		return { [ONE]: async () => await (left.shift() ?? answering)() };
	};

	it.each([
		['a refused connection', broken('ECONNREFUSED')],
		['a reset connection', broken('ECONNRESET')],
		['a timeout', broken('ECONNABORTED')],
		['HTTP status 408', reply(408)],
		['HTTP status 500', reply(500)],
		['HTTP status 503', reply(503)],
		['the code 500 with HTTP status 200', refusal(500)],
		['half an answer', reply(200, '{"status":tr')],
		['HTTP status 429', reply(429)],
		['the code 429 with HTTP status 200', refusal(429)],
	])('happens after %s', async (_what, failure) => {
		const { client, sent } = clientWith(failing(failure, failure));
		await client.send(initCall, CALL, patient);
		await expect(client.send(getBalance, {}, patient)).resolves.toBeDefined();
		expect(sent.filter((path) => path.endsWith('initCall'))).toHaveLength(3);
	});

	it.each([400, 401, 402, 403, 404, 422])('does not happen after %i', async (status) => {
		for (const failure of [reply(status), refusal(status)]) {
			const { client, sent } = clientWith(failing(failure));
			await expect(client.send(initCall, CALL, patient)).rejects.toThrow();
			expect(sent).toHaveLength(1);
		}
	});

	it('ends after the maximum, with the last failure', async () => {
		const { client, sent } = clientWith({ [ONE]: reply(503) });
		await expect(client.send(getBalance, {}, patient)).rejects.toThrow('HTTP status 503');
		expect(sent).toHaveLength(4);
	});

	it('does not count throttled requests', async () => {
		const { client, sent } = clientWith(failing(...Array.from({ length: 6 }, () => reply(429))));
		await client.send(getBalance, {}, { ...patient, maxRetries: 1 });
		expect(sent).toHaveLength(7);
	});

	it.each([
		['in seconds', '7', 7_000],
		['as a date', 'Thu, 01 Jan 1970 00:00:09 GMT', 9_000],
	])('waits as long as Retry-After says %s', async (_what, header, milliseconds) => {
		for (const status of [429, 503]) {
			const { client, pauses } = clientWith(failing(reply(status, 'x', { 'retry-after': header })));
			await client.send(getBalance, {}, patient);
			expect(Math.max(...pauses)).toBe(milliseconds);
		}
	});

	it('waits longer each time when the service does not say how long', async () => {
		const { client, pauses } = clientWith(failing(reply(500), reply(500), reply(500)));
		await client.send(getBalance, {}, patient);
		expect(pauses).toEqual([1_000, 2_000, 4_000]);
	});

	it.each([
		['nothing but refused connections', [broken('ECONNREFUSED'), reply(429), reply(400)], false],
		['a timeout, then a refusal', [broken('ECONNABORTED'), reply(400)], true],
		['an answer that is half a record', [reply(200, { status: true })], true],
		['success', [], false],
	])(
		'knows whether a call without a response may have been made: %s',
		async (_what, failures, isPossible) => {
			const { client } = clientWith(failing(...failures));
			const lost = jest.fn();
			await client.send(initCall, CALL, { ...patient, attempts: { lost } }).catch(() => {});
			expect(lost).toHaveBeenCalledTimes(isPossible ? 1 : 0);
		},
	);

	it('knows of each lost response, and asks before each retry whether there may be one', async () => {
		const { client, sent } = clientWith(failing(...Array.from({ length: 6 }, () => reply(502))));
		const lost = jest.fn();
		const again = jest.fn(async () => {
			if (again.mock.calls.length === 3) throw new Error('no more');
		});
		const answer = client.send(getBalance, {}, { ...patient, attempts: { lost, again } });
		await expect(answer).rejects.toThrow('no more');
		expect(lost).toHaveBeenCalledTimes(3);
		expect(sent).toHaveLength(3);
	});

	it('leaves a trace of every request: address, outcome and try', async () => {
		const { client, traced } = clientWith(failing(broken('ECONNRESET'), reply(503)));
		await client.send(getBalance, {}, patient);
		const request = { verb: 'POST', url: `${ONE}/v1.0/getBalance` };
		expect(traced).toEqual([
			{ ...request, attempt: 1, outcome: 'unanswered' },
			{ ...request, attempt: 2, outcome: 503 },
			{ ...request, attempt: 3, outcome: 200 },
		]);
	});

	it('reports each retry', async () => {
		const { client } = clientWith(failing(reply(500), reply(500)));
		const onRetry = jest.fn();
		await client.send(getBalance, {}, { ...patient, onRetry });
		expect(onRetry).toHaveBeenCalledTimes(2);
	});

	describe.each([
		['initRepeat', initRepeat, { uid: 1 }],
		[
			'inboundCallWaiting',
			inboundCallWaiting,
			{ phone: 79000000001, callback_url: 'https://x.test' },
		],
		['initCall without a key', initCall, { phone: 79000000001 }],
	] as const)('%s', (_name, method, request) => {
		it.each([
			['a refused connection', broken('ECONNREFUSED')],
			['an unknown host', broken('ENOTFOUND')],
			['a failed TLS handshake', broken('CERT_HAS_EXPIRED')],
			['HTTP status 429', reply(429)],
		])('happens after %s, because nothing can have been done', async (_what, failure) => {
			const { client, sent } = clientWith(failing(failure));
			await client.send(method, request, patient);
			expect(sent).toHaveLength(2);
		});

		it.each([
			['a reset connection', broken('ECONNRESET')],
			['a timeout', broken('ECONNABORTED')],
			['HTTP status 500', reply(500)],
			['half an answer', reply(200, '{"st')],
		])('does not happen after %s, because it may have arrived', async (_what, failure) => {
			const { client, sent } = clientWith(failing(failure));
			await expect(client.send(method, request, patient)).rejects.toThrow();
			expect(sent).toHaveLength(1);
		});
	});

	it('starts nothing once the run is stopped', async () => {
		const stop = new AbortController();
		const { client, sent } = clientWith({
			[ONE]: async () => {
				stop.abort();
				return await reply(503)();
			},
		});
		const sending = client.send(getBalance, {}, { ...patient, stop: stop.signal });
		await expect(sending).rejects.toThrow('HTTP status 503');
		expect(sent).toHaveLength(1);
		await expect(client.send(getBalance, {}, { ...patient, stop: stop.signal })).rejects.toThrow(
			'stopped',
		);
		expect(sent).toHaveLength(1);
	});
});
