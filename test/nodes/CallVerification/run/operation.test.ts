import type { IExecuteFunctions } from 'n8n-workflow';

import { VirtualClock } from '../../../virtualClock';
import { getBalance } from '../../../../nodes/CallVerification/contract/methods';
import {
	createItemContext,
	createRun,
	readInput,
} from '../../../../nodes/CallVerification/run/operation';

function contextWith(more: object, type = 'package.callVerification'): IExecuteFunctions {
	const context = {
		getNode: () => ({ type, parameters: {} }),
		getInputData: () => [],
		continueOnFail: () => false,
		getExecuteData: () => ({}),
		getContext: () => ({}),
		getTimezone: () => 'UTC',
		...more,
	};
	return context as unknown as IExecuteFunctions;
}

const options = {
	concurrency: 0,
	requestsPerSecond: 0,
	timeout: 30,
	maxRetries: 5,
	giveUpAfter: 300,
};
const runIn = (context: IExecuteFunctions, clock = new VirtualClock(), chosen = options) =>
	createRun(readInput(context, []), chosen, clock, () => 0);
const itemOf = (run: ReturnType<typeof runIn>) =>
	createItemContext(run, 0, new AbortController().signal);

/** With an account of a service that answers so. */
const accountWith = (answer: () => Promise<object>, more: object = {}) =>
	contextWith({
		getCredentials: async () => ({ baseUrl: 'https://one.test', secretKey: 'k', serviceId: '1' }),
		helpers: { httpRequestWithAuthentication: answer },
		logger: { debug() {} },
		...more,
	});
const reply = (statusCode: number) => {
	const body = { status: true, rub_balance: 1 };
	return { statusCode, headers: {}, body };
};

describe('a run is one of a tool, which hides secrets from the model and limits it,', () => {
	it.each([
		['package.callVerificationTool', {}, true],
		['package.callVerification', {}, false],
		['package.callVerification', { isToolExecution: () => false }, false],
		['package.callVerification', { isToolExecution: () => true }, true],
	])('if the node %s runs in an n8n that says %j: %j', (type, says, isTool) => {
		const input = readInput(contextWith(says, type), []);
		expect([input.isTool, input.continues]).toEqual([isTool, isTool]);
	});
});

describe('a hint', () => {
	it('is shown once, as a warning unless it is none', () => {
		const shown: object[] = [];
		const run = runIn(contextWith({ addExecutionHints: (one: object) => shown.push(one) }));
		for (const message of ['first', 'first', 'second']) run.hint(message);
		run.hint('third', 'info');
		expect(shown).toEqual([
			{ message: 'first', type: 'warning', location: 'outputPane' },
			{ message: 'second', type: 'warning', location: 'outputPane' },
			{ message: 'third', type: 'info', location: 'outputPane' },
		]);
	});

	it('of an n8n that has none is left out, because an error would lose what is paid for', () => {
		const run = runIn(contextWith({}));
		expect(() => run.hint('first')).not.toThrow();
	});
});

describe('the pace of a run', () => {
	/** How many requests the service has at first. The run ends when it has answered all of them. */
	async function atFirst({
		clock = new VirtualClock(),
		total = 64,
		failed = 0,
		...wanted
	}: Partial<typeof options> & {
		clock?: VirtualClock;
		total?: number;
		failed?: number;
	} = {}): Promise<number> {
		let sent = 0;
		const answer = async () => {
			sent += 1;
			await clock.sleep(100);
			return reply(200);
		};
		const getInputData = () => Array.from({ length: total }, () => ({ json: {} }));
		const chosen = { ...options, ...wanted };
		const run = runIn(accountWith(answer, { getInputData }), clock, chosen);
		const item = itemOf(run);
		const all = Promise.all(Array.from({ length: 64 }, () => item.send(getBalance, {})));
		await clock.advance(50);
		const first = sent;
		await clock.runUntil(all);
		run.report.failed = failed;
		run.end();
		return first;
	}

	it.each([
		['starts where a long list has ended', {}, 40],
		['starts carefully after a short list', { total: 63 }, 16],
		['starts carefully after a list of which items failed', { failed: 1 }, 16],
	])('%s', async (_what, before, first) => {
		const clock = new VirtualClock();
		expect(await atFirst({ clock, ...before })).toBe(16);
		expect(await atFirst({ clock })).toBe(first);
	});

	it('starts carefully if the list is short, whatever the one before has learned', async () => {
		const clock = new VirtualClock();
		await atFirst({ clock });
		expect(await atFirst({ clock, total: 63 })).toBe(16);
	});

	it('is never more in flight than the user wants', async () => {
		expect(await atFirst({ concurrency: 2 })).toBe(2);
	});

	it('is never faster than the user wants', async () => {
		// At 0, 20 and 40 ms.
		expect(await atFirst({ requestsPerSecond: 50 })).toBe(3);
	});
});

describe('what an item can use', () => {
	it('counts the retries of its requests', async () => {
		const answers = [reply(503), reply(503), reply(200)];
		const clock = new VirtualClock();
		const run = runIn(
			accountWith(async () => answers.shift() ?? {}),
			clock,
		);
		await clock.runUntil(itemOf(run).send(getBalance, {}));
		expect(run.report.retries).toBe(2);
	});

	it('warns in n8n’s log', () => {
		const warn = jest.fn();
		itemOf(runIn(contextWith({ logger: { warn } }))).warn('words');
		expect(warn.mock.calls).toEqual([['words']]);
	});

	it('says whether the run has given up', async () => {
		const blocked = async () => {
			throw Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
		};
		const clock = new VirtualClock();
		const item = itemOf(runIn(accountWith(blocked), clock));
		expect(item.hasGivenUp()).toBe(false);
		await expect(clock.runUntil(item.send(getBalance, {}))).rejects.toThrow();
		expect(item.hasGivenUp()).toBe(true);
	});

	it.each([
		['w1', '&iss=w1&'],
		[undefined, '&iss=&'],
	])('seals a callback for the workflow %j', async (id, issuer) => {
		const context = accountWith(async () => ({}), { getWorkflow: () => ({ id }) });
		const seal = { phone: '79991234567', expiresAt: 2_000_000_000, reference: '' };
		const url = await itemOf(runIn(context)).sealCallback('https://n8n.test/x', seal);
		expect(url).toContain(issuer);
	});

	it('remembers a call for Wait', () => {
		const memory = {};
		const item = itemOf(
			runIn(contextWith({ getContext: () => memory, getExecutionId: () => '5' })),
		);
		const call = { callId: '7', phone: '79991234567', confirmationNumber: '74951234567' };
		item.rememberRequest(call);
		expect([item.requestedCall('7'), item.requestedCall('8')]).toEqual([call, undefined]);
	});
});
