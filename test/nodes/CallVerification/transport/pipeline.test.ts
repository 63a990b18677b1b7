import type { IHttpRequestOptions } from 'n8n-workflow';

import { VirtualClock } from '../../../virtualClock';
import { methods } from '../../../../nodes/CallVerification/contract/methods';
import { fixedWidth, type Outcome } from '../../../../nodes/CallVerification/pacing/limit';
import { GiveUp } from '../../../../nodes/CallVerification/pacing/retry';
import { StoppedError } from '../../../../nodes/CallVerification/pacing/time';
import { type Failure, ServiceError } from '../../../../nodes/CallVerification/transport/errors';
import {
	logAttempt,
	type Next,
	pipeline,
	requestSteps,
	retryFailures,
	serviceRequest,
	type ServiceRequest,
	stopInTime,
	takeTurn,
	timeOut,
} from '../../../../nodes/CallVerification/transport/pipeline';
import type { HttpResponse } from '../../../../nodes/CallVerification/transport/response';

const { getBalance, inboundCallWaiting, initCall, initRepeat } = methods;

const ONE = 'https://one.test';
const ACCESS = { baseUrl: ONE, secretKey: 'k', serviceId: '1' };
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
/** n8n's protection against requests to the internal network. */
const blocked = async () => {
	throw Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
};
const reply =
	(statusCode: number, body: unknown = 'x', headers: Record<string, string> = {}) =>
	async (): Promise<HttpResponse> => ({ statusCode, headers, body });
const answering = reply(200, ANSWER);
const refusal = (code: number) => reply(200, { status: false, error: 'x', code });

/** Fails in the given ways, in order, then answers. */
const failing = (...failures: Array<() => Promise<HttpResponse>>) => {
	const left = [...failures];
	return async () => await (left.shift() ?? answering)();
};
/** All steps, to a service that behaves as given, and a record of what was sent. */
function pipelineWith(behaviour: () => Promise<HttpResponse> = answering) {
	const sent: string[] = [];
	const requests: IHttpRequestOptions[] = [];
	const httpRequest = async (http: IHttpRequestOptions): Promise<HttpResponse> => {
		sent.push(http.url.replace('/v1.0', ''));
		requests.push(http);
		return await behaviour();
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
		timer: never,
	};
	const logged: string[] = [];
	const told: Outcome[] = [];
	const unlimited = fixedWidth(clock, 1_000);
	const steps = requestSteps({
		access: ACCESS,
		httpRequest,
		log: (verb, line) => logged.push(`${verb} ${line}`),
		giveUp: new GiveUp(clock, 300_000),
		limit: {
			async enter(stop) {
				const leave = await unlimited.enter(stop);
				return (outcome) => {
					told.push(outcome);
					leave(outcome);
				};
			},
		},
		clock,
		// Always the longest possible pause.
		random: () => 1,
	});
	return { sent, requests, pauses, told, logged, send: pipeline(ACCESS, steps) };
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

	it('carries its parameters in the body, and the version in the path (§4.path, §9.1)', async () => {
		const { send, requests } = pipelineWith();
		await send(initRepeat, { uid: 7 }, OPTIONS);
		expect(requests).toEqual([
			{ method: 'POST', url: `${ONE}/v1.0/initRepeat`, body: { uid: 7 }, ...common },
		]);
	});

	it('carries them in its query if the method is sent as a GET', async () => {
		const { send, requests } = pipelineWith();
		await send({ ...initRepeat, verb: 'GET' }, { uid: 7 }, OPTIONS);
		expect(requests).toEqual([
			{ method: 'GET', url: `${ONE}/v1.0/initRepeat`, qs: { uid: 7 }, ...common },
		]);
	});

	it('fails where none of the steps sends it', async () => {
		const response = pipeline(ACCESS, [])(getBalance, {}, OPTIONS);
		await expect(response).rejects.toThrow('The last step did not send the request');
	});

	it('is not resent after an error in our own code', async () => {
		const { send, sent } = pipelineWith(async () => undefined as never);
		await expect(send(getBalance, {}, { ...OPTIONS, maxRetries: 3 })).rejects.toThrow(TypeError);
		expect(sent).toHaveLength(1);
	});
});

describe('what the limit is told', () => {
	const told = { 'x-rate-limit-limit': '30', 'x-rate-limit-remaining': '7' };
	const announced = { limit: 30, remaining: 7 };
	const later = { 'retry-after': '7' };

	it.each<[string, () => Promise<HttpResponse>, Outcome]>([
		['an answer', answering, { kind: 'ok' }],
		['a refusal', reply(400), { kind: 'ok' }],
		['a mistake of our own', async () => undefined as never, { kind: 'ok' }],
		['HTTP status 503', reply(503), { kind: 'overloaded' }],
		['a reset connection', broken('ECONNRESET'), { kind: 'overloaded' }],
		['a refused connection', broken('ECONNREFUSED'), { kind: 'overloaded' }],
		['HTTP status 429', reply(429), { kind: 'rateLimited' }],
		['429, and when to return', reply(429, '', later), { kind: 'rateLimited', retryAfterMs: 7000 }],
		['an answer that announces a limit', reply(200, ANSWER, told), { kind: 'ok', announced }],
		[
			'an announcing refusal',
			reply(200, { status: false, code: 3 }, told),
			{ kind: 'ok', announced },
		],
		['an announcing page', reply(200, 'no JSON', told), { kind: 'overloaded', announced }],
		[
			'an announcing 401',
			reply(401, 'x', told),
			{ kind: 'refusesAll', error: {}, isCertain: false, announced },
		],
		['an address that n8n forbids', blocked, { kind: 'refusesAll', error: {}, isCertain: true }],
		['an announcing 503', reply(503, 'down', told), { kind: 'overloaded', announced }],
		['an announcing 429', reply(429, '', told), { kind: 'rateLimited', announced }],
	])('after %s', async (_what, behaviour, outcome) => {
		const { send, told: heard } = pipelineWith(behaviour);
		await send(getBalance, {}, OPTIONS).catch(() => {});
		expect(heard).toMatchObject([outcome]);
	});
});
describe('retrying', () => {
	const patient = { timeout: 30_000, maxRetries: 3 };
	const CALL = { phone: 79000000001, unique: 'u' };

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
		const { send, sent } = pipelineWith(failing(failure, failure));
		await send(initCall, CALL, patient);
		await expect(send(getBalance, {}, patient)).resolves.toBeDefined();
		expect(sent.filter((path) => path.endsWith('initCall'))).toHaveLength(3);
	});

	it.each([400, 401, 402, 403, 404, 422])('does not happen after %i', async (status) => {
		for (const failure of [reply(status), refusal(status)]) {
			const { send, sent } = pipelineWith(failing(failure));
			await expect(send(initCall, CALL, patient)).rejects.toThrow();
			expect(sent).toHaveLength(1);
		}
	});

	it('does not happen after n8n itself has forbidden the address', async () => {
		const { send, sent } = pipelineWith(blocked);
		await expect(send(getBalance, {}, patient)).rejects.toThrow('n8n does not allow requests');
		expect(sent).toHaveLength(1);
	});

	it.each<[string, () => Promise<HttpResponse>, boolean]>([
		['a timeout', broken('ECONNABORTED'), true],
		['a lost connection', broken('ECONNRESET'), true],
		['HTTP status 503', reply(503), true],
		['half an answer', reply(200, '{"status":tr'), true],
		['a record without its ID', reply(200, { status: true }), true],
		['a lost connection and then a refusal', failing(broken('ECONNRESET'), refusal(3)), true],
		['a refused connection', broken('ECONNREFUSED'), false],
		['an address that n8n forbids', blocked, false],
		['HTTP status 429', reply(429), false],
		['a refusal', refusal(3), false],
	])('after %s, says whether a call may have been made', async (_what, behaviour, isInDoubt) => {
		const warning = expect.stringContaining('check whether it was made');
		const { send } = pipelineWith(behaviour);
		const advice = isInDoubt ? warning : expect.not.stringContaining('check whether');
		await expect(send(initCall, CALL, { ...patient, maxRetries: 1 })).rejects.toMatchObject({
			advice,
		});
	});

	it('warns of no call where none was asked for', async () => {
		const { send } = pipelineWith(broken('ECONNRESET'));
		const advice = expect.not.stringContaining('check whether it was made');
		await expect(send(getBalance, {}, OPTIONS)).rejects.toMatchObject({ advice });
	});

	it('ends after the maximum, with the last failure', async () => {
		const { send, sent } = pipelineWith(reply(503));
		await expect(send(getBalance, {}, patient)).rejects.toThrow('HTTP status 503');
		expect(sent).toHaveLength(4);
	});

	it('does not count refusals because of the rate', async () => {
		const { send, sent } = pipelineWith(failing(...Array.from({ length: 6 }, () => reply(429))));
		await send(getBalance, {}, { ...patient, maxRetries: 1 });
		expect(sent).toHaveLength(7);
	});

	it.each([
		['in seconds', '7', 7_000],
		['as a date', 'Thu, 01 Jan 1970 00:00:09 GMT', 9_000],
	])('waits as long as Retry-After says %s', async (_what, header, milliseconds) => {
		for (const status of [429, 503]) {
			const { send, pauses } = pipelineWith(failing(reply(status, 'x', { 'retry-after': header })));
			await send(getBalance, {}, patient);
			expect(Math.max(...pauses)).toBe(milliseconds);
		}
	});

	it('waits longer each time when the service does not say how long, and reports each retry', async () => {
		const { send, pauses } = pipelineWith(failing(reply(500), reply(500), reply(500)));
		const onRetry = jest.fn();
		await send(getBalance, {}, { ...patient, onRetry });
		expect(pauses).toEqual([1_000, 2_000, 4_000]);
		expect(onRetry).toHaveBeenCalledTimes(3);
	});

	it.each([
		['nothing but refused connections', [broken('ECONNREFUSED'), reply(429), reply(400)], false],
		['a timeout, then a refusal', [broken('ECONNABORTED'), reply(400)], true],
		['an answer that is half a record', [reply(200, { status: true })], true],
		['success', [], false],
	])(
		'knows whether a call without a response may have been made: %s',
		async (_what, failures, isPossible) => {
			const { send } = pipelineWith(failing(...failures));
			const lost = jest.fn();
			await send(initCall, CALL, { ...patient, attempts: { lost } }).catch(() => {});
			expect(lost).toHaveBeenCalledTimes(isPossible ? 1 : 0);
		},
	);

	it('knows of each lost response, and asks before each retry whether there may be one', async () => {
		const { send, sent } = pipelineWith(failing(...Array.from({ length: 6 }, () => reply(502))));
		const lost = jest.fn();
		const again = jest.fn(async () => {
			if (again.mock.calls.length === 3) throw new Error('no more');
		});
		const answer = send(getBalance, {}, { ...patient, attempts: { lost, again } });
		await expect(answer).rejects.toThrow('no more');
		expect(lost).toHaveBeenCalledTimes(3);
		expect(sent).toHaveLength(3);
	});

	it('is logged: address, outcome and time of every attempt', async () => {
		const { send, logged } = pipelineWith(failing(broken('ECONNRESET'), reply(503)));
		await send(getBalance, {}, patient);
		expect(logged).toEqual([
			`POST ${ONE}/v1.0/getBalance: unanswered in 0 ms, attempt 1`,
			`POST ${ONE}/v1.0/getBalance: 503 in 0 ms, attempt 2`,
			`POST ${ONE}/v1.0/getBalance: 200 in 0 ms, attempt 3`,
		]);
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
			const { send, sent } = pipelineWith(failing(failure));
			await send(method, request, patient);
			expect(sent).toHaveLength(2);
		});

		it.each([
			['a reset connection', broken('ECONNRESET')],
			['a timeout', broken('ECONNABORTED')],
			['HTTP status 500', reply(500)],
			['half an answer', reply(200, '{"st')],
		])('does not happen after %s, because it may have arrived', async (_what, failure) => {
			const { send, sent } = pipelineWith(failing(failure));
			await expect(send(method, request, patient)).rejects.toThrow();
			expect(sent).toHaveLength(1);
		});
	});

	it('starts nothing once the run is stopped', async () => {
		const stop = new AbortController();
		const { send, sent } = pipelineWith(async () => {
			stop.abort();
			return await reply(503)();
		});
		const sending = send(getBalance, {}, { ...patient, stop: stop.signal });
		await expect(sending).rejects.toThrow('HTTP status 503');
		expect(sent).toHaveLength(1);
		await expect(send(getBalance, {}, { ...patient, stop: stop.signal })).rejects.toThrow(
			'stopped',
		);
		expect(sent).toHaveLength(1);
	});
});

const REQUEST = serviceRequest(ACCESS, getBalance, {}, OPTIONS);
const failedWith = (failure: Failure, code?: number) =>
	new ServiceError(failure, { failure, advice: '', code });
const rejecting = (error: Error) => async () => await Promise.reject(error);

/** A next step that takes down the request it gets. */
function nextStep(outcome: Next = answering) {
	const passed: ServiceRequest[] = [];
	const next: Next = async (request) => {
		passed.push(request);
		return await outcome(request);
	};
	return { passed, next };
}

describe('stopInTime', () => {
	const setUp = () => {
		const clock = new VirtualClock(1_000);
		const giveUp = new GiveUp(clock, 1_000);
		/** Gives up while the request is on its way. */
		const stopped: Next = async ({ stop }) => {
			giveUp.sent();
			await clock.advance(1_000);
			expect(stop?.aborted).toBe(true);
			throw new StoppedError();
		};
		return { step: stopInTime(giveUp, clock), stopped, clock };
	};

	it('stops the request with the run, and says why', async () => {
		const { step, stopped } = setUp();
		await expect(step(REQUEST, stopped)).rejects.toThrow('so the run gave up');
	});

	it('keeps a refusal that is about this request only', async () => {
		const { step, stopped } = setUp();
		const refused: Next = async (request) => {
			await stopped(request).catch(() => {});
			throw failedWith('refused', 3);
		};
		await expect(step(REQUEST, refused)).rejects.toThrow('refused');
	});

	it.each([
		[initCall, { phone: 79000000001 }, true],
		[getBalance, {}, false],
	])('warns of a call that may have been made', async (method, parameters, isWarned) => {
		const { step, stopped } = setUp();
		const lost: Next = async (request) => {
			request.attempts?.lost();
			return await stopped(request);
		};
		const request = serviceRequest(ACCESS, method as typeof initCall, parameters as never, OPTIONS);
		const [result] = await Promise.allSettled([step(request, lost)]);
		const { advice } = (result as PromiseRejectedResult).reason as ServiceError;
		expect(advice.includes('check whether it was made')).toBe(isWarned);
	});

	it('passes on an error of another kind as it is', async () => {
		const { step } = setUp();
		const mistake = new TypeError('ours');
		const lost: Next = async ({ attempts }) => {
			attempts?.lost();
			throw mistake;
		};
		const request = serviceRequest(ACCESS, initCall, { phone: 79000000001 }, OPTIONS);
		await expect(step(request, lost)).rejects.toBe(mistake);
	});

	it('stops further attempts when a response would be too late', async () => {
		const { step, clock } = setUp();
		const waiting: Next = async ({ stop }) => {
			expect(stop?.aborted).toBe(false);
			await clock.advance(5_000);
			expect(stop?.aborted).toBe(true);
			return await answering();
		};
		await step({ ...REQUEST, deadline: clock.now() + 5_000 }, waiting);
		expect.assertions(2);
	});

	it('starts none when it is already too late', async () => {
		const { step, clock } = setUp();
		const { next, passed } = nextStep();
		await step({ ...REQUEST, deadline: clock.now() }, next);
		expect(passed[0]?.stop?.aborted).toBe(true);
	});
});

describe('retryFailures', () => {
	it.each<Failure>(['blocked', 'refused', 'unusable'])(
		'sends nothing again that is %s',
		async (failure) => {
			const clock = new VirtualClock();
			const { next, passed } = nextStep(rejecting(failedWith(failure)));
			const step = retryFailures(new GiveUp(clock, 1_000), clock, () => 0.5);
			const response = step({ ...REQUEST, maxRetries: 3 }, next);
			await expect(clock.runUntil(response)).rejects.toThrow(failure);
			expect(passed).toHaveLength(1);
		},
	);
});

describe('takeTurn', () => {
	const setUp = () => {
		const clock = new VirtualClock();
		const giveUp = new GiveUp(clock, 1_000);
		const leave = jest.fn();
		const enter = jest.fn(async () => leave);
		return { leave, enter, clock, giveUp, step: takeTurn({ enter }, giveUp, clock) };
	};

	it('waits for a slot, and returns it with the outcome', async () => {
		const { leave, enter, step } = setUp();
		const { signal: stop } = new AbortController();
		expect(await step({ ...REQUEST, stop, isUrgent: true }, answering)).toEqual(await answering());
		expect(enter).toHaveBeenCalledWith(stop, true);
		expect(leave.mock.calls).toEqual([[{ kind: 'ok' }]]);
	});

	it('sends nothing before there is a slot', async () => {
		const { enter, giveUp, step } = setUp();
		const { next, passed } = nextStep();
		enter.mockRejectedValueOnce(new StoppedError());
		await expect(step(REQUEST, next)).rejects.toThrow(StoppedError);
		expect(passed).toEqual([]);
		expect(giveUp.noResponse).toBeUndefined();
	});

	it.each<[string, Next, string | undefined, number]>([
		['a response', answering, undefined, 0],
		['a failure', rejecting(failedWith('unavailable')), 'noResponse', 1],
		['a refusal', rejecting(failedWith('refused', 3)), undefined, 0],
		['our own mistake', rejecting(new TypeError()), undefined, 1],
	])('lets the run know of %s', async (_what, next, reason, timesLost) => {
		const { clock, giveUp, step } = setUp();
		const lost = jest.fn();
		await step({ ...REQUEST, attempts: { lost } }, next).catch(() => {});
		await clock.advance(1_000);
		expect(giveUp.reason?.kind).toBe(reason);
		expect(lost).toHaveBeenCalledTimes(timesLost);
	});
});

describe('logAttempt', () => {
	it('calls a mistake of our own a failure, and passes it on', async () => {
		const lines: string[] = [];
		const step = logAttempt((verb, line) => lines.push(`${verb} ${line}`), new VirtualClock());
		await expect(step(REQUEST, rejecting(new TypeError('ours')))).rejects.toThrow('ours');
		expect(lines).toEqual([`POST ${ONE}/v1.0/getBalance: failed in 0 ms, attempt 1`]);
	});
});

describe('timeOut', () => {
	it.each([
		[30_000, undefined, 30_000],
		[30_000, 12_000, 12_000],
		[30_000, -5, 1],
	])('of %p, with %p left, allows %p ms', async (timeout, left, allowed) => {
		const clock = new VirtualClock(1_000);
		const { next, passed } = nextStep();
		const deadline = left === undefined ? undefined : clock.now() + left;
		await timeOut(clock)({ ...REQUEST, timeout, deadline }, next);
		expect(passed[0]?.http.timeout).toBe(allowed);
	});

	it('closes the connection', async () => {
		const clock = new VirtualClock();
		const { next, passed } = nextStep(async () => await new Promise(() => {}));
		const response = timeOut(clock)({ ...REQUEST, timeout: 1_000 }, next);
		const failure = expect(response).rejects.toThrow('timed out');
		await clock.advance(1_100);
		await failure;
		expect(passed[0]?.abort?.aborted).toBe(true);
	});
});
