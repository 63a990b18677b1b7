import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';

import type { Emulator } from '../../emulator/emulator';
import { startEmulator } from '../../emulator/emulator';
import {
	execute,
	type RunContext,
	retryNode,
	runNode,
	verifyNode,
	workflowOf,
} from '../../harness/engine/n8nCore';
import { resources } from '../../nodes/CallVerification/operations';
import { exampleParameters } from '../../harness/workflows/nodeRunner';
import { builtNode } from './builtNode';
import { checkCode, checkPhone, getNumber, startCall } from './parameters';
import { credentialFor } from './wire';

const REFUSED = '79169999999';
const REFUSED_UID = 999_999_999;

let emulator: Emulator;
let phone = 79_161_000_000;
/** A call to repeat, and whose code is guessed. */
let uid: number;
/** The wall clock, in milliseconds; the real one if undefined. */
let now: number | undefined;

beforeAll(async () => {
	emulator = await startEmulator({ callResultAfterMs: 0 });
});
afterAll(async () => await emulator.close());

beforeEach(async () => {
	now = undefined;
	phone += 1;
	const { parameters } = ACTIONS['Call: Start'];
	const setUp = { items: [{ phone: 79_000_000_001 }], executionId: `call of ${phone}` };
	const { success } = await runNode({ ...node(parameters), ...setUp });
	uid = Number(success[0]?.json.vendor_id);
});

/** The built node, with a service that refuses one number and one call. */
const implementation = builtNode(
	({ helpers }) => {
		type Send = typeof helpers.httpRequestWithAuthentication;
		const refusing: Send = async function (this: IExecuteFunctions, ...sent) {
			if (isRefused(sent[1])) return REFUSAL;
			return (await helpers.httpRequestWithAuthentication.call(this, ...sent)) as unknown;
		};
		return { helpers: { ...helpers, httpRequestWithAuthentication: refusing } };
	},
	() => now ?? Date.now(),
);
const REFUSAL = { statusCode: 200, headers: {}, body: { status: false, error: 'No', code: 402 } };
const isRefused = ({ body }: IHttpRequestOptions) => {
	const { phone: to, uid: about } = (body ?? {}) as { phone?: string | number; uid?: number };
	return String(to) === REFUSED || about === REFUSED_UID;
};

/** One request at a time, so that the good item comes before the one that the service refuses. */
const node = (parameters: INodeParameters) => ({
	parameters: { ...parameters, requestOptions: { concurrency: 1, maxRetries: 0 } },
	credential: credentialFor(emulator),
	implementation,
});

interface Action {
	readonly parameters: INodeParameters;
	readonly good: () => IDataObject;
	readonly refused: IDataObject;
	/** Refused by the node itself. */
	readonly invalid: IDataObject;
	/** How often the service did it for the good item. */
	readonly seen: () => number | Promise<number>;
}

const byPhone = { good: () => ({ phone }), refused: { phone: REFUSED }, invalid: { phone: true } };
const byCall = { good: () => ({ uid }), refused: { uid: REFUSED_UID }, invalid: { uid: 'x' } };
const inbound = (values: INodeParameters): Action => ({
	...byPhone,
	parameters: getNumber({ phone: '={{ $json.phone }}', ...values }),
	seen: () => emulator.ledger.inboundWaits.filter((wait) => wait.phone === String(phone)).length,
});
const FOR_TRIGGER = inbound({
	callbackTarget: 'trigger',
	callbackUrl: 'https://n8n.test/webhook/hook-id/inbound-call',
});

const ACTIONS = {
	'Call: Start': {
		...byPhone,
		parameters: startCall({ phone: '={{ $json.phone }}', options: { code: '0042' } }),
		seen: () => emulator.ledger.calls.filter((call) => call.phone === String(phone)).length,
	},
	'Call: Repeat': {
		...byCall,
		parameters: { resource: 'call', operation: 'repeat', uid: '={{ $json.uid }}' },
		seen: () => emulator.ledger.calls.filter(({ firstVendorId }) => firstVendorId === uid).length,
	},
	'Call: Check Code': {
		...byCall,
		parameters: checkCode({ uid: '={{ $json.uid }}', code: '9999' }),
		/** How many attempts were used up, as the next one shows. */
		seen: async () => {
			const another = checkCode({ uid, code: '8888' });
			const { success } = await runNode({ ...node(another), executionId: 'another' });
			return 4 - Number(success[0]?.json.attempts_left);
		},
	},
	'Inbound Call: Get Number to Call, for a trigger': FOR_TRIGGER,
	'Inbound Call: Get Number to Call, for any URL': inbound({}),
	'Inbound Call: Get Number to Call, for this execution': inbound({ callbackTarget: 'execution' }),
	'Phone Number: Check': {
		...byPhone,
		parameters: checkPhone(),
		seen: () => emulator.ledger.checks.filter(({ source }) => source === String(phone)).length,
	},
} satisfies Record<string, Action>;

/** `test/core/checkFile.test.ts` repeats it. */
const ELSEWHERE = ['Phone Number: Check File'];

/** What is repeated with other operations that cost money follows from their fields. */
const ALL: Readonly<Record<string, Action>> = { ...ACTIONS, ...otherActions() };

function otherActions(): Record<string, Action> {
	const known = [...Object.keys(ACTIONS), ...ELSEWHERE].map((title) => title.split(',')[0]);
	const actions: Record<string, Action> = {};
	for (const resource of resources) {
		for (const { name, value, costs } of resource.operations) {
			const title = `${resource.name}: ${name}`;
			if (costs === 'no' || known.includes(title)) continue;
			const example = exampleParameters(`${resource.value}.${value}`, 0);
			actions[title] = 'uid' in example ? otherByCall(example) : otherByPhone(example);
		}
	}
	return actions;
}

function otherByPhone(example: INodeParameters): Action {
	const parameters = { ...example, phone: '={{ $json.phone }}' };
	return { ...byPhone, parameters, seen: () => requestsWith('phone', phone) };
}

function otherByCall(example: INodeParameters): Action {
	const parameters = { ...example, uid: '={{ $json.uid }}' };
	return { ...byCall, parameters, seen: () => requestsWith('uid', uid) };
}

/** Those with the same idempotency key count once. */
function requestsWith(name: string, value: number): number {
	const requests = emulator.ledger.requests.filter(({ args }) => Number(args[name]) === value);
	return new Set(requests.map(({ args }, index) => args.unique ?? index)).size;
}

const failing = ({ parameters, good, refused }: Action): RunContext => ({
	...node(parameters),
	items: [good(), refused],
});

/** With “Continue”, n8n runs the node three times if its first item fails. */
const continuing = ({ parameters, good, invalid }: Action): RunContext => ({
	...node(parameters),
	items: [invalid, good()],
	onError: 'continueRegularOutput',
	retryOnFail: true,
});

const REPETITIONS = {
	/** n8n runs the node three times, because the service refuses the second item. */
	'Retry On Fail': async (action: Action) => {
		const { error } = await runNode({ ...failing(action), retryOnFail: true });
		expect(error?.message).toContain('refused the request: No');
	},
	'Retry On Fail, continuing': async (action: Action) => {
		const { success } = await runNode(continuing(action));
		expect(success.map(({ json }) => 'error' in json)).toEqual([true, false]);
	},
	/** A person retries the failed execution twice. */
	Retry: async (action: Action) => {
		const failed = await runNode(failing(action));
		const again = await retryNode(failed, failing(action));
		const { error } = await retryNode(again, failing(action));
		expect(error?.message).toContain('refused the request: No');
	},
	/** The node is connected to itself, and gets the same item in a second pass. */
	'a loop': async ({ parameters, good }: Action) => {
		const { parameters: complete, credential: data } = node(parameters);
		let passes = 0;
		const looping: INodeType = {
			...implementation,
			async execute(this: IExecuteFunctions) {
				await implementation.execute?.call(this);
				return [++passes < 2 ? [{ json: good() }] : []];
			},
		};
		const workflow = workflowOf([verifyNode(complete)], [good()], undefined, looping);
		workflow.connectionsBySourceNode.Verify = {
			main: [[{ node: 'Verify', type: 'main', index: 0 }]],
		};
		await execute(workflow, { credential: data });
		expect(passes).toBe(2);
	},
	'a new start': async ({ parameters, good }: Action) => {
		for (const executionId of ['first', 'second']) {
			const { success } = await runNode({ ...node(parameters), items: [good()], executionId });
			expect(success).toHaveLength(1);
		}
	},
	'two equal items': async ({ parameters, good }: Action) => {
		const { success } = await runNode({ ...node(parameters), items: [good(), good()] });
		expect(success).toHaveLength(2);
	},
};

type Repetition = keyof typeof REPETITIONS;

describe('the service sees', () => {
	// An execution that failed can no longer receive the call, so each new one needs a number of its own.
	const TIMES: Readonly<Record<string, Partial<Record<Repetition, number>>>> = {
		'Inbound Call: Get Number to Call, for this execution': { Retry: 3 },
		'Call: Check Code': { 'two equal items': 1 },
		'Phone Number: Check': { 'two equal items': 1 },
	};
	const USUALLY: Record<Repetition, number> = {
		'Retry On Fail': 1,
		'Retry On Fail, continuing': 1,
		Retry: 1,
		'a loop': 2,
		'a new start': 2,
		'two equal items': 2,
	};
	const repetitions = Object.keys(REPETITIONS) as Repetition[];

	it.each(
		Object.entries(ALL).flatMap(([name, action]) =>
			repetitions.map((each) => {
				return [name, each, TIMES[name]?.[each] ?? USUALLY[each], action] as const;
			}),
		),
	)('%s in %s: %i times', async (_name, repetition, times, action) => {
		await REPETITIONS[repetition](action);
		expect(await action.seen()).toBe(times);
	});
});

describe('a number to call that an earlier try obtained', () => {
	it('is what the next try returns, and the report says so', async () => {
		const { success, hints } = await runNode(continuing(FOR_TRIGGER));
		const [wait] = emulator.ledger.inboundWaits.slice(-1);
		expect(success[1]?.json).toMatchObject({
			vendor_id: wait?.vendorId,
			confirmation_number: wait?.confirmationNumber,
		});
		expect(hints).toEqual(['1 of 2 items done, 1 failed, 1 from an earlier try']);
	});

	it('is kept with the failed execution as the output shows it: without the seal and the key', async () => {
		const { error, run } = await runNode(failing(FOR_TRIGGER));
		expect(error?.description).toContain(
			'1 of 2 items had already succeeded. Retrying this execution does not request them again.',
		);
		const [wait] = emulator.ledger.inboundWaits.slice(-1);
		const seal = new URL(String(wait?.callbackUrl)).searchParams;
		const stored = JSON.stringify(run.data);
		expect(stored).toContain(String(wait?.confirmationNumber));
		for (const secret of [seal.get('sig'), seal.get('nonce'), emulator.secretKey]) {
			expect(secret).toBeTruthy();
			expect(stored).not.toContain(String(secret));
		}
	});

	it('is not promised to a retry that cannot use it', async () => {
		const { error } = await runNode(
			failing(ACTIONS['Inbound Call: Get Number to Call, for this execution']),
		);
		expect(error?.description).toContain('1 of 2 items had already succeeded.');
		expect(error?.description).not.toContain('Retrying');
	});

	const OTHER_CALLBACK = { callbackUrl: 'https://n8n.test/webhook/other/inbound-call' };

	it.each([
		['after 10 minutes, when it has expired', {}, 10, {}, 2],
		['after 9 minutes: not yet', {}, 9, {}, 1],
		['after 5 minutes, if that is what Expires After says', { expiresAfter: 5 }, 5, {}, 2],
		['when the reference has changed', {}, 0, { options: { reference: 'other' } }, 2],
		['when the callback has changed', {}, 0, OTHER_CALLBACK, 2],
	])('is requested again %s', async (_when, options, minutesLater, change, times) => {
		const action = { ...FOR_TRIGGER, parameters: { ...FOR_TRIGGER.parameters, options } };
		now = Date.UTC(2031, 0, 1);
		const failed = await runNode(failing(action));
		// As n8n does when it retries with the workflow as it is saved now.
		const [next] = failed.run.data.executionData?.nodeExecutionStack ?? [];
		Object.assign(next?.node.parameters ?? {}, change);
		now += minutesLater * 60_000;
		await retryNode(failed, failing(action));
		expect(action.seen()).toBe(times);
	});

	it('does not count again in Max Calls per Hour', async () => {
		const parameters = { ...FOR_TRIGGER.parameters, options: { maxCallsPerHour: 1 } };
		const { success } = await runNode({
			...continuing({ ...FOR_TRIGGER, parameters }),
			workflow: { id: 'repetitions' },
		});
		expect(success[1]?.json).toHaveProperty('confirmation_number');
	});
});
