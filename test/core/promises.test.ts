import type {
	IDataObject,
	IHttpRequestOptions,
	INodeParameters,
	INodeProperties,
} from 'n8n-workflow';

import type { Emulator } from '../../emulator/emulator';
import type { FaultRule } from '../../emulator/settings';
import { fileIn, type InputFiles, type RunContext, runNode } from '../../harness/engine/n8nCore';
import { CallVerification, resources, runItems } from '../../harness/engine/builtPackage';
import { startService } from '../../harness/emulatedService';
import { exampleFiles, exampleParameters } from '../../harness/workflows/nodeRunner';
import type { Operation } from '../../nodes/CallVerification/run/operation';
import { isGuard, requestOptionsField } from '../../nodes/CallVerification/run/options';
import { systemClock } from '../../nodes/CallVerification/transport/pipeline';
import { WaitingExecution, EVENT } from './inbound';
import { startCall, TOOL } from './parameters';
import { broken, hanging, simulate } from './simulatedRun';
import { credentialFor } from './wire';

/**
 * Every field of every operation does what its name promises. What is tested follows from the operations' own
 * descriptions: a text that has no proof below must be sent, and any other field without one fails.
 */

interface Shown {
	/** `call.start` */
	readonly name: string;
	readonly operation: Operation;
	readonly field: INodeProperties;
	readonly isOption: boolean;
}

const inside = (field: INodeProperties): INodeProperties[] =>
	(field.options ?? []).flatMap((option) => ('type' in option ? [option] : []));

const OPERATIONS = resources.flatMap(({ value, operations }) =>
	operations.map((operation) => ({ name: `${value}.${operation.value}`, operation })),
);
const SHOWN: Shown[] = OPERATIONS.flatMap(({ name, operation }) =>
	operation.fields.flatMap((field) => {
		const isOption = field.type === 'collection';
		const fields = isOption ? inside(field) : [field];
		return fields.map((each) => ({ name, operation, field: each, isOption }));
	}),
).filter(({ field }) => field.type !== 'notice');
const OPTIONS = SHOWN.filter(({ isOption }) => isOption);

const titled = (shown: Shown[]) =>
	shown.map((each) => [each.name, each.field.displayName, each] as const);

let emulator: Emulator;
let numbers = 0;
/** Of the test, so that no limit counts for another one. */
let phone: string;
let executions = 0;
/** How much later than now it is for the node. */
let later = 0;
/** What was logged, at any level. */
let log: unknown[] = [];

beforeAll(async () => {
	// No call has a result, so that whoever waits for one waits as long as allowed.
	emulator = await startService({ callResultAfterMs: 10 ** 9, withdrawnMethods: [] });
});
afterAll(async () => await emulator.close());
beforeEach(() => {
	nextPhone();
	later = 0;
	log = [];
});
afterEach(() => emulator.faults.clear());

const nextPhone = () => (phone = String(79_161_000_000 + ++numbers));

const SECONDS = 1_000;
const UNITS: Readonly<Record<string, number>> = {
	Seconds: SECONDS,
	Minutes: 60 * SECONDS,
	Hours: 3_600 * SECONDS,
	Days: 24 * 3_600 * SECONDS,
};
/** What the label says that one of a number is, in milliseconds. */
const unitOf = ({ displayName }: INodeProperties) =>
	UNITS[/ \((\w+)\)$/.exec(displayName)?.[1] ?? ''] ?? NaN;

/** Sleeping takes no time, and is over at its end. */
const clock = {
	...systemClock,
	now: () => systemClock.now() + later,
	wallTime: () => systemClock.wallTime() + later,
	sleep: async (milliseconds: number) => {
		later += milliseconds;
	},
};

type Answer = (request: IHttpRequestOptions) => object | undefined;

interface Start extends Partial<RunContext> {
	readonly fields?: INodeParameters;
	readonly options?: INodeParameters;
	/** Instead of the service. */
	readonly answer?: Answer;
}

function nodeWith(answer: Answer = () => undefined) {
	const keep = (...words: unknown[]) => log.push(words);
	return {
		description: new CallVerification().description,
		async execute(this: Parameters<typeof runItems>[0]) {
			const { helpers } = this;
			type Send = typeof helpers.httpRequestWithAuthentication;
			const send: Send = async function (this: typeof context, ...sent) {
				const body = answer(sent[1]);
				if (body !== undefined) return { statusCode: 200, headers: {}, body };
				return (await helpers.httpRequestWithAuthentication.call(this, ...sent)) as unknown;
			};
			const logger = { debug: keep, info: keep, warn: keep, error: keep };
			const context = Object.create(this, {
				helpers: { value: { ...helpers, httpRequestWithAuthentication: send } },
				logger: { value: logger },
			}) as typeof this;
			return [await runItems(context, resources, clock, () => 0)];
		},
	};
}

const listOf = (...numbersOf: string[]): InputFiles => ({
	data: `phone\n${numbersOf.map((each) => `${each}\n`).join('')}`,
});

/** A new execution of the operation: what it sent and returned. */
async function start({ name, operation }: Pick<Shown, 'name' | 'operation'>, given: Start = {}) {
	const { fields, options = {}, answer, files, ...more } = given;
	const hasPhone = operation.fields.some((field) => field.name === 'phone');
	const example = exampleParameters(name, 0);
	const parameters: INodeParameters = {
		...example,
		...(example.uid !== undefined && fields?.uid === undefined && { uid: (await someCall()).uid }),
		...(hasPhone && { phone }),
		...fields,
		options,
		requestOptions: { maxRetries: 0, concurrency: 1 },
	};
	const before = emulator.ledger.requests.length;
	const result = await runNode({
		parameters,
		files: files ?? (exampleFiles(example) && [listOf(phone)]),
		credential: credentialFor(emulator),
		executionId: `start ${++executions}`,
		workflow: { id: `promises to ${phone}` },
		implementation: nodeWith(answer),
		...more,
	});
	const requests = emulator.ledger.requests
		.slice(before)
		.map(({ method, args }) => ({ method, args }));
	const json: IDataObject = result.success[0]?.json ?? {};
	return { ...result, requests, json, failure: result.error?.message ?? json.error };
}
type Started = Awaited<ReturnType<typeof start>>;

/** Its code is 0042. */
async function someCall() {
	const { success } = await runNode({
		parameters: startCall({ phone, options: { code: '0042' } }),
		credential: credentialFor(emulator),
		executionId: `call ${++executions}`,
	});
	const { vendor_id: uid, verification_token: token } = success[0]?.json ?? {};
	return { uid: Number(uid), token: token as string };
}

/** What the service does for these starts: requests with one key count once. */
function acts(...starts: Started[]): number {
	const requests = starts.flatMap((each) => each.requests);
	const [first] = requests;
	const same = requests.filter(({ method }) => method === first?.method);
	return new Set(same.map(({ args }, index) => args.unique ?? index)).size;
}

/** Fields on which the panel shows another one. */
function shownBy({ displayOptions }: INodeProperties): INodeParameters {
	const entries = Object.entries(displayOptions?.show ?? {}).map(([path, values = []]) => [
		path.replace(/^\//, ''),
		(values as unknown[]).at(-1),
	]);
	return Object.fromEntries(entries) as INodeParameters;
}

/** Enters one field, and whatever must be chosen for it to be shown. */
const entering = ({ field, isOption }: Shown, value: unknown): Start => {
	const entered = { [field.name]: value } as INodeParameters;
	return isOption
		? { fields: shownBy(field), options: entered }
		: { fields: { ...shownBy(field), ...entered } };
};

/** The value after “e.g.” in the field. */
function exampleOf({ name, displayName, placeholder = '' }: INodeProperties): string {
	const example = /^e\.g\. (.+)$/.exec(placeholder)?.[1];
	if (example !== undefined) return example;
	throw new Error(`Give “${displayName}” (${name}) a placeholder “e.g. …”`);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

type Proof = (shown: Shown) => Promise<void>;

async function isSent(shown: Shown): Promise<void> {
	const { requests, failure } = await start(shown, entering(shown, exampleOf(shown.field)));
	expect(failure).toBeUndefined();
	const args = requests.flatMap((each) => Object.values(each.args).map(textOf));
	const found = args.filter((text) => text?.includes(exampleOf(shown.field)));
	expect({ field: shown.field.name, args, isSent: found.length > 0 }).toMatchObject({
		isSent: true,
	});
}

/** What a start leads to, without what is new in each. */
const outcomeOf = ({ requests, json, success, failure }: Started) => {
	const { unique: _new, ...args } = requests[0]?.args ?? {};
	const [item] = success;
	const files = Object.keys(item?.binary ?? {});
	return JSON.stringify([args, requests.length, Object.keys(json), files, failure]);
};

async function differs(shown: Shown, values: readonly unknown[]): Promise<void> {
	const outcomes = new Set<string>();
	for (const value of values) outcomes.add(outcomeOf(await start(shown, entering(shown, value))));
	expect([shown.field.name, outcomes.size]).toEqual([shown.field.name, values.length]);
}

/** Limits of how often something is done, so that it is done once. */
const LIMITS: Readonly<Record<string, INodeParameters>> = {
	cooldown: { cooldown: 10 },
	limitKey: { limitKey: 'visitor', maxCallsPerKey: 1 },
	maxCallsPerHour: { maxCallsPerHour: 1 },
	maxCallsPerKey: { limitKey: 'visitor', maxCallsPerKey: 1 },
	maxCallsPerNumber: { maxCallsPerNumber: 1 },
};

const isLimited: Proof = async (shown) => {
	const { [shown.field.name]: _limit, ...others } = LIMITS[shown.field.name] ?? {};
	const twice = async (options: INodeParameters) =>
		acts(await start(shown, { options }), await start(shown, { options }));
	expect(await twice(others)).toBe(2);
	nextPhone();
	expect(await twice({ ...LIMITS[shown.field.name] })).toBe(1);
};

/** Parameters for two numbers: two items, or a file with both. */
const twoNumbers = (shown: Shown): Start => {
	const both = [phone, nextPhone()];
	return exampleFiles(exampleParameters(shown.name, 0)) === undefined
		? { fields: { phone: '={{ $json.phone }}' }, items: both.map((each) => ({ phone: each })) }
		: { files: [listOf(...both)] };
};

/** The file that comes out. */
const outputOf = async (shown: Shown) => fileIn((await start(shown)).success[0]);

const code = async (shown: Shown, options: INodeParameters, uid: number | string, typed = '0042') =>
	(await start(shown, { fields: { uid, code: typed }, options })).json.matched;

/** Whatever limits something: what is beyond it is not sent, or not accepted. */
const GUARDS: Readonly<Record<string, Proof>> = {
	async allowedPrefixes(shown) {
		const other = await start(shown, { options: { allowedPrefixes: '49' } });
		expect(other.failure).toContain('allowed prefixes');
		expect(other.requests).toEqual([]);
		const allowed = await start(shown, { options: { allowedPrefixes: '49, 79' } });
		expect([allowed.failure, acts(allowed)]).toEqual([undefined, 1]);
	},
	async defaultCountryCode(shown) {
		const full = phone;
		phone = full.slice(1);
		const options = { defaultCountryCode: '7' };
		const { requests } = await start(shown, { options });
		expect(JSON.stringify(requests)).toContain(full);
	},
	async earlierResults(shown) {
		const files = [{ ...listOf(phone), earlier: await outputOf(shown) }];
		const { requests, failure } = await start(shown, {
			options: { earlierResults: 'earlier' },
			files,
		});
		expect([failure, requests]).toEqual([undefined, []]);
	},
	async hideCode(shown) {
		expect((await start(shown)).json).toHaveProperty('code');
		expect((await start(shown, { options: { hideCode: true } })).json).not.toHaveProperty('code');
	},
	async knownNumbers(shown) {
		const { success } = await start(shown, { options: { knownNumbers: 'known' } });
		expect(String(fileIn(success[0], 'known'))).toContain(phone);
	},
	async maxAttempts(shown) {
		for (const maxAttempts of [1, 2]) {
			const { uid } = await someCall();
			await code(shown, { maxAttempts }, uid, '9999');
			expect(await code(shown, { maxAttempts }, uid)).toBe(maxAttempts === 2);
		}
	},
	async maxChecks(shown) {
		const two = twoNumbers(shown);
		expect(acts(await start(shown, { ...two, options: { maxChecks: 1 } }))).toBe(1);
		expect(acts(await start(shown, two))).toBe(2);
	},
	async maxTotalCost(shown) {
		const two = twoNumbers(shown);
		expect(acts(await start(shown, { ...two, options: { maxTotalCost: 0.0001 } }))).toBe(1);
		expect(acts(await start(shown, two))).toBe(2);
	},
	async maxWrongPerDay(shown) {
		for (const maxWrongPerDay of [1, 2]) {
			nextPhone();
			await code(shown, { maxWrongPerDay }, (await someCall()).token, '9999');
			const other = await code(shown, { maxWrongPerDay }, (await someCall()).token);
			expect(other).toBe(maxWrongPerDay === 2);
		}
	},
	async removeDuplicates(shown) {
		for (const removeDuplicates of [true, false]) {
			const equal = { items: [{}, {}], options: { removeDuplicates } };
			expect(acts(await start(shown, equal))).toBe(removeDuplicates ? 1 : 2);
		}
	},
	async requireToken(shown) {
		const { uid, token } = await someCall();
		const rejected = await start(shown, { fields: { uid }, options: { requireToken: true } });
		expect(rejected.failure).toContain('requires a verification token');
		expect(await code(shown, { requireToken: true }, token)).toBe(true);
	},
	unique: isSent,
};

const waitFor = async (values: INodeParameters) =>
	await WaitingExecution.start(
		{ resource: 'inboundCall', operation: 'wait', uid: EVENT.callId, ...values },
		{},
		{ executionId: `wait ${++executions}` },
	);

/** Everything else that is not simply sent. */
const OTHERS: Readonly<Record<string, Proof>> = {
	async binaryPropertyName(shown) {
		const files = [{ other: listOf(phone).data ?? '' }];
		expect(acts(await start(shown, { fields: { binaryPropertyName: 'other' }, files }))).toBe(1);
	},
	async 'call.checkCode code'(shown) {
		expect(await code(shown, {}, (await someCall()).uid, '0042')).toBe(true);
		expect(await code(shown, {}, (await someCall()).uid, '0043')).toBe(false);
	},
	async includeInputFields(shown) {
		for (const includeInputFields of [true, false]) {
			const given = { items: [{ mark: 'of the input' }], options: { includeInputFields } };
			expect('mark' in (await start(shown, given)).json).toBe(includeInputFields);
		}
	},
	async outputBinaryPropertyName(shown) {
		const { success } = await start(shown, { options: { outputBinaryPropertyName: 'checked' } });
		expect(String(fileIn(success[0], 'checked'))).toContain(phone);
	},
	async phone(shown) {
		expect(JSON.stringify((await start(shown)).requests)).toContain(phone);
	},
	async phoneColumn(shown) {
		const [first, second] = [phone, nextPhone()];
		const files = [{ data: `a,b\n${first},${second}\n` }];
		const { requests } = await start(shown, { fields: { phoneColumn: 'b' }, files });
		expect(JSON.stringify(requests)).toContain(second);
		expect(JSON.stringify(requests)).not.toContain(first);
	},
	async uid(shown) {
		const { uid } = await someCall();
		const { requests } = await start(shown, { fields: { uid } });
		expect(requests.map(({ args }) => args.uid)).toContain(uid);
	},
	async 'inboundCall.wait uid'() {
		expect((await waitFor({})).waitTill).toBeDefined();
		expect((await waitFor({ uid: '1' })).waitTill).toBeUndefined();
	},
	async waitingPage() {
		const page = '<h1>Please call</h1>';
		const shown = await (await waitFor({ options: { waitingPage: page } })).visit();
		expect(JSON.stringify(shown.answer)).toContain(page);
	},
};

/** Fields with a unit in their label, of which one is that many milliseconds. */
const DURATIONS: Readonly<Record<string, (shown: Shown, unit: number) => Promise<void>>> = {
	async cooldown(shown, unit) {
		const keyAt = async (units: number) => {
			later = units * unit;
			const { requests } = await start(shown, { options: { cooldown: 10 } });
			return requests[0]?.args.unique;
		};
		const first = await keyAt(0);
		expect(await keyAt(9.9)).toBe(first);
		// Up to a sixth later.
		expect(await keyAt(12)).not.toBe(first);
	},
	async expiresAfter(shown, unit) {
		const { json } = await start(shown, entering(shown, 3));
		const minutes = (Date.parse(json.expires_at as string) - clock.wallTime()) / unit;
		expect(minutes).toBeCloseTo(3, 0);
	},
	async giveUpAfter(_shown, unit) {
		const { seconds } = await withRequestOptions(broken('ECONNREFUSED'), {
			giveUpAfter: 7,
			maxRetries: 20,
		});
		expect((seconds * SECONDS) / unit).toBeCloseTo(7, 0);
	},
	async limitWaitTime(_shown, unit) {
		const { waitTill } = await waitFor({ limitWaitTime: 7 });
		expect(((waitTill?.getTime() ?? 0) - Date.now()) / unit).toBeCloseTo(7, 0);
	},
	async maxWait(shown, unit) {
		await start(shown, entering(shown, 20));
		expect(later / unit).toBeGreaterThan(15);
		expect(later / unit).toBeLessThan(21);
	},
	async reuseFor(shown, unit) {
		const files = [{ data: await outputOf(shown) }];
		const checksAt = async (units: number) => {
			later = units * unit;
			return (await start(shown, { options: { reuseFor: 3 }, files })).requests.length;
		};
		expect([await checksAt(2.9), await checksAt(3.1)]).toEqual([0, 1]);
	},
	async timeout(_shown, unit) {
		const { seconds } = await withRequestOptions(hanging, { timeout: 7, maxRetries: 0 });
		expect((seconds * SECONDS) / unit).toBeCloseTo(7, 0);
	},
	async validFor(shown, unit) {
		for (const [units, isValid] of [
			[2.9, true],
			[3.1, false],
		] as const) {
			const { uid } = await someCall();
			later = units * unit;
			expect(await code(shown, { validFor: 3 }, uid)).toBe(isValid);
		}
	},
};

const withRequestOptions = async (service: typeof hanging, requestOptions: INodeParameters) =>
	await simulate({
		service,
		parameters: { resource: 'account', operation: 'getBalance', requestOptions },
	});

function proofOf(shown: Shown): Proof | undefined {
	const { name, type, options = [] } = shown.field;
	const proof = OTHERS[`${shown.name} ${name}`] ?? OTHERS[name] ?? GUARDS[name];
	if (proof !== undefined) return proof;
	if (name in LIMITS) return isLimited;
	if (name in DURATIONS) return async (each) => await DURATIONS[name]?.(each, unitOf(each.field));
	if (type === 'string') return isSent;
	if (type === 'boolean') return async (each) => await differs(each, [true, false]);
	const values = options.flatMap((option) => ('value' in option ? [option.value] : []));
	return type === 'options' ? async (each) => await differs(each, values) : undefined;
}

describe('what a field promises', () => {
	it.each(titled(SHOWN))('%s: %s', async (_name, label, shown) => {
		const proof = proofOf(shown);
		if (proof === undefined) throw new Error(`Add to this file a test of what “${label}” does`);
		await proof(shown);
	});

	/** Request Options, which all operations share, are shown here for the first. */
	const ofRequests = OPERATIONS.slice(0, 1).flatMap((first) =>
		inside(requestOptionsField).map((field) => ({ ...first, field, isOption: true })),
	);
	const inUnits = [...SHOWN, ...ofRequests].filter(({ field }) =>
		/\(\w+\)$/.test(field.displayName),
	);

	it.each(titled(inUnits))('is in the unit of its label: %s: %s', async (_name, label, shown) => {
		const proof = DURATIONS[shown.field.name];
		if (proof === undefined) throw new Error(`Add to DURATIONS how long “${label}” is`);
		await proof(shown, unitOf(shown.field));
	});
});

describe('a limit', () => {
	const limited = OPTIONS.filter(({ field }) => field.name in LIMITS);
	const LOST: FaultRule = { kind: 'resetAfterProcessing', times: 1 };
	const REFUSED = { status: false, error: 'No', code: 400 };

	it.each(titled(limited))('of %s counts an attempt whose answer is lost: %s', async (...row) => {
		const [, , shown] = row;
		const options = { ...LIMITS[shown.field.name] };
		// By itself, a cooldown would have another key soon after.
		const isCooldown = shown.field.name === 'cooldown';
		const slot = Number(options.cooldown) * 60 * SECONDS;
		if (isCooldown) later = slot - (clock.wallTime() % slot) - SECONDS;
		emulator.faults.add(LOST);
		const lost = await start(shown, { options });
		expect(lost.failure).toBeDefined();
		if (isCooldown) later += 2 * SECONDS;
		expect(acts(lost, await start(shown, { options }))).toBe(1);
	});

	it.each(titled(limited))('of %s does not count what is refused: %s', async (...row) => {
		const [, , shown] = row;
		const options = { ...LIMITS[shown.field.name] };
		await start(shown, { options, answer: () => REFUSED });
		expect(acts(await start(shown, { options }))).toBe(1);
	});
});

describe('what a model may set', () => {
	const limits = ({ name }: INodeProperties) => name in LIMITS || name in GUARDS;
	const ofTools = OPTIONS.filter(({ operation }) => operation.isForTools !== false);
	const closed = ofTools.filter(({ field }) => limits(field) || isGuard(field.name));
	const harmless = OPTIONS.filter(({ field }) => !isGuard(field.name));

	it.each(titled(closed))('is not, in %s: %s', async (_name, _label, shown) => {
		for (const value of ["={{ $fromAI('x') }}", '={{ $json.x }}']) {
			const given = { ...entering(shown, value), nodeType: TOOL };
			const { failure, requests } = await start(shown, given);
			expect(failure).toContain('so the model cannot set it');
			expect(requests).toEqual([]);
		}
	});

	it('is no limit: those are options', () => {
		const outside = SHOWN.filter(({ isOption, field }) => !isOption && limits(field));
		expect(outside.map(({ name, field }) => `${name} ${field.name}`)).toEqual([]);
	});

	/** More often than any limit allows by default. */
	const OFTEN = 7;
	const strictest = (field: INodeProperties) => {
		if (field.type === 'boolean') return field.default !== true;
		return field.type === 'number'
			? Math.max(1, field.typeOptions?.minValue ?? 1)
			: exampleOf(field);
	};

	it.each(titled(harmless.filter(({ name }) => name !== 'inboundCall.wait')))(
		'limits nothing, in %s: %s',
		async (_name, _label, shown) => {
			expect(limits(shown.field)).toBe(false);
			const starts: Started[] = [];
			for (let time = 0; time < OFTEN; time++) {
				const { requests, ...more } = await start(shown, entering(shown, strictest(shown.field)));
				// Whoever waits for a call asks for it again.
				starts.push({ ...more, requests: requests.slice(0, 1) });
			}
			expect(starts.map(({ failure }) => failure)).toEqual(Array(OFTEN).fill(undefined));
			expect(acts(...starts)).toBe(OFTEN);
		},
	);
});

describe('what was entered', () => {
	/** Names of columns, of fields of items, and addresses, which errors may show. Anything else is nobody's business. */
	const SHOWN_IN_ERRORS = [
		'binaryPropertyName',
		'callbackUrl',
		'earlierResults',
		'knownNumbers',
		'outputBinaryPropertyName',
		'phoneColumn',
	];
	const TYPED_CODE = '8251';

	/** Each text that an operation can be given. */
	function textsOf({ name, operation }: (typeof OPERATIONS)[number]) {
		const texts = SHOWN.filter((shown) => shown.operation === operation).filter(
			({ field }) =>
				field.type === 'string' && !['phone', 'uid', ...SHOWN_IN_ERRORS].includes(field.name),
		);
		const valueOf = ({ field }: Shown) => (field.name === 'code' ? TYPED_CODE : exampleOf(field));
		const entries = (isOption: boolean) =>
			Object.fromEntries(
				texts
					.filter((shown) => shown.isOption === isOption)
					.map((shown) => [shown.field.name, valueOf(shown)]),
			);
		// A country code is in any text.
		const secrets = texts.map(valueOf).filter((value) => value.length > 3);
		return { name, operation, fields: entries(false), options: entries(true), secrets };
	}

	const wordsOf = ({ error, json, hints }: Started) =>
		JSON.stringify([error?.message, error?.description, error?.context, json.error, hints, log]);

	const FAULTS: Readonly<Record<string, FaultRule[]>> = {
		'nothing fails': [],
		'the service refuses': [{ kind: 'errorCode', code: 400, message: 'No' }],
		'it has no money': [{ kind: 'errorCode', code: 1002 }],
		'the answer is lost': [{ kind: 'resetAfterProcessing' }],
		'the answer is a page': [{ kind: 'html', status: 502 }],
		'the answer is cut': [{ kind: 'halfJson' }],
	};
	const sending = OPERATIONS.filter(({ name }) => name !== 'inboundCall.wait');
	const rows = sending.flatMap((each) =>
		Object.keys(FAULTS).map((fault) => [each.name, fault, textsOf(each)] as const),
	);

	it.each(rows)(
		'is neither in the log nor in an error of %s when %s',
		async (_name, fault, given) => {
			const { fields, options, secrets } = given;
			const calling = { ...given, fields: { ...fields, ...(await callFor(given)) } };
			(FAULTS[fault] ?? []).forEach((rule) => emulator.faults.add(rule));
			const words = wordsOf(await start(given, { fields: calling.fields, options }));
			for (const secret of [...secrets, phone, emulator.secretKey])
				expect(words).not.toContain(secret);
		},
	);

	/** The calls of a test are made before anything fails. */
	async function callFor({ name }: { name: string }): Promise<INodeParameters> {
		return exampleParameters(name, 0).uid === undefined ? {} : { uid: (await someCall()).uid };
	}

	it.each(sending.map((each) => [each.name, textsOf(each)] as const))(
		'is not in an error of %s that quotes the request: number, key and code',
		async (_name, given) => {
			const quoting: Answer = ({ body, qs }) => ({
				status: false,
				code: 400,
				error: `No: ${JSON.stringify({ ...(body as object), ...qs, key: emulator.secretKey })}`,
			});
			const { fields, options } = given;
			const words = wordsOf(await start(given, { fields, options, answer: quoting }));
			expect(words).toContain('No:');
			for (const secret of [phone, emulator.secretKey, TYPED_CODE]) {
				expect(words).not.toContain(secret);
			}
		},
	);

	it.each(sending.map((each) => [each.name, textsOf(each)] as const))(
		'is not in an error of %s when a limit is reached, or a prefix is not allowed',
		async (_name, given) => {
			const limits = Object.assign({}, ...Object.values(LIMITS)) as INodeParameters;
			const { fields, secrets } = given;
			const { unique: _own, ...options } = given.options;
			for (const more of [limits, limits, { allowedPrefixes: '49' }]) {
				const words = wordsOf(await start(given, { fields, options: { ...options, ...more } }));
				for (const secret of [...secrets, phone]) expect(words).not.toContain(secret);
			}
		},
	);
});
