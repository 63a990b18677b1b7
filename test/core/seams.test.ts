import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { CallVerificationTrigger, resources } from '../../harness/engine/builtPackage';
import { type RunContext, verifyNode, workflowOf } from '../../harness/engine/n8nCore';
import { exampleFiles, exampleParameters } from '../../harness/workflows/nodeRunner';
import { isGuard, requestOptionsField } from '../../nodes/CallVerification/run/options';
import { EVENT, postToTrigger, triggerHooks, triggerNode } from './inbound';
import { ANSWERS, checkPhone, CONTINUE, ERROR_OUTPUT, getNumber, TOOL, UID } from './parameters';
import { numbers, refusal, replying, simulate } from './simulatedRun';
import { type Reply, runOn } from './wire';

/** Where two parts of the package meet: each is right by itself, and these tests cross them. */

interface Guard {
	readonly guard: string;
	readonly operation: string;
	readonly collection: string;
	readonly name: string;
	readonly label: string;
	/** A value that it accepts. */
	readonly accepted: unknown;
}

const NO_TOOLS = resources.flatMap(({ value: resource, operations }) =>
	operations
		.filter(({ isForTools }) => isForTools === false)
		.map(({ value }) => `${resource}.${value}`),
);

const labelOf = (displayName: string) => displayName.replace(/ \(.*\)/, '');

function guardsIn(operation: string, field: INodeProperties): Guard[] {
	return (field.options ?? []).flatMap((option) =>
		'displayName' in option && 'type' in option && isGuard(option.name)
			? {
					guard: `${operation}: ${option.displayName}`,
					operation,
					collection: field.name,
					name: option.name,
					label: labelOf(option.displayName),
					accepted: option.default === '' ? '7' : option.default,
				}
			: [],
	);
}

/** Every guard of every operation, and those that all operations share. */
const GUARDS: Guard[] = [
	...resources.flatMap(({ value: resource, operations }) =>
		operations.flatMap(({ value, fields }) =>
			fields
				.filter(({ type }) => type === 'collection')
				.flatMap((field) => guardsIn(`${resource}.${value}`, field)),
		),
	),
	...guardsIn('call.start', requestOptionsField),
];

/** “Expires After” is hidden for “Notify Any URL”, and n8n drops hidden options. */
const PUBLISHED = {
	callbackTarget: 'trigger',
	callbackUrl: 'https://n8n.test/webhook/x/inbound-call',
};

const withOption = ({ operation, collection, name }: Guard, value: unknown): INodeParameters => ({
	...exampleParameters(operation, UID),
	...(operation === 'inboundCall.start' && PUBLISHED),
	[collection]: { [name]: value as string },
});

/** With results of another list, in the field that the example value of a guard names. */
const filesFor = (operation: string) =>
	exampleFiles(exampleParameters(operation, UID))?.map((files) => ({
		...files,
		7: 'Phone,valid,phone_e164,mobile,operator,country,region,reason,checked_at\n+7 900 000-00-02,,,,,,,,\n',
	}));

const runWith = async (guard: Guard, value: unknown, more: Partial<RunContext> = {}) =>
	await runOn({ body: ANSWERS[guard.operation] }, withOption(guard, value), {
		files: filesFor(guard.operation),
		workflow: { id: `${guard.guard} ${String(value)} ${more.nodeType}` },
		...more,
	});

const NOTHING: Array<[what: string, expression: string]> = [
	['undefined', '={{ $json.missing }}'],
	['null', '={{ null }}'],
	['an empty text', '={{ "" }}'],
	['blanks', '={{ "  " }}'],
	['an empty list', '={{ [] }}'],
	['nothing, because nothing was typed', '='],
];

describe.each(GUARDS)('$guard', (guard) => {
	const problem = `The expression in “${guard.label}” returned nothing`;

	it.each(NOTHING)('is refused if its expression returns %s', async (_what, expression) => {
		const { error, success, sent } = await runWith(guard, expression);
		expect(error?.message).toBe(problem);
		expect(error?.description).toContain('Correct the expression, or remove the option.');
		expect([success, sent]).toEqual([[], []]);
	});

	it('fails the item if n8n continues on errors', async () => {
		const { success, failures, sent } = await runWith(guard, '={{ $json.missing }}', ERROR_OUTPUT);
		expect([success, sent]).toEqual([[], []]);
		expect(failures[0]?.error).toBe(problem);
	});

	it.each([
		['left empty by hand', ''],
		['an expression that returns a value', `={{ ${JSON.stringify(guard.accepted)} }}`],
	])('works when it is %s', async (_what, value) => {
		const { error, sent } = await runWith(guard, value);
		expect(error).toBeUndefined();
		expect(sent).toHaveLength(1);
	});
});

const startWith = (options: INodeParameters, more: INodeParameters = {}): INodeParameters => ({
	...exampleParameters('call.start', UID),
	options,
	...more,
});
const STARTED = { body: ANSWERS['call.start'] };

describe('a guard with a value for some items only', () => {
	const options = { allowedPrefixes: '={{ $json.prefixes }}' };
	const parameters = startWith(options, { phone: '={{ $json.phone }}' });
	const items = [{ phone: '79160000001', prefixes: '7' }, { phone: '79160000002' }];

	it('lets none of them through if n8n stops on errors', async () => {
		const { error, sent } = await runOn(STARTED, parameters, { items });
		expect(error?.description).toContain('Nothing was sent');
		expect(sent).toEqual([]);
	});

	it('lets those through that have one, if n8n continues', async () => {
		const { outputs, phones } = await runOn(STARTED, parameters, { items, ...CONTINUE });
		expect(phones).toEqual([79160000001]);
		expect(outputs[1]?.error).toBe('The expression in “Allowed Prefixes” returned nothing');
	});
});

describe('an option that limits nothing', () => {
	it('may be left empty by an expression', async () => {
		const options = { client: '={{ $json.client }}', code: '={{ $json.code }}' };
		const { error, sent } = await runOn(STARTED, startWith(options));
		expect(error).toBeUndefined();
		expect(Object.keys(sent[0]?.fields ?? {})).toEqual(['phone', 'unique']);
	});
});

describe('the trigger', () => {
	const { properties } = new CallVerificationTrigger().description;
	const guards = properties.flatMap((field) =>
		field.type === 'collection' ? guardsIn('trigger', field) : [],
	);
	/** “Allowed Workflows” applies to sealed events only, the others to any. */
	const authenticationOf = ({ name }: Guard) => (name === 'issuers' ? 'signature' : 'none');
	const triggerWith = (guard: Guard, value: unknown) => {
		const parameters = {
			eventAuthentication: authenticationOf(guard),
			options: { [guard.name]: value as string },
		};
		const nodeId = `guard ${guard.name} ${String(value)}`;
		// A workflow of its own, because n8n's log gets each reason once a minute.
		const node = triggerNode(parameters, nodeId);
		const workflow = workflowOf([node], [], undefined, undefined, { id: nodeId });
		return { parameters, nodeId, workflow };
	};
	const event = { body: EVENT, ip: '192.0.2.10' };

	it('has guards', () => {
		expect(guards.map(({ name }) => name)).toContain('ipAllowlist');
	});

	describe.each(guards)('$guard', (guard) => {
		it.each(NOTHING)('refuses an event if its expression returns %s', async (_what, expression) => {
			const trigger = triggerWith(guard, expression);
			const { status, answer, items, log } = await postToTrigger(trigger, event);
			const refused = { accepted: false, reason: 'The event could not be checked' };
			expect([status, answer, items]).toEqual([500, refused, undefined]);
			expect(log).toEqual([
				expect.stringContaining(`The expression in “${guard.label}” returned nothing`),
			]);
		});

		it('cannot be published with an expression that returns nothing', async () => {
			const { parameters, nodeId } = triggerWith(guard, '={{ $vars.missing }}');
			const node = triggerNode(parameters, nodeId);
			const hooks = triggerHooks(workflowOf([node], []), node);
			await expect(hooks.checkExists()).rejects.toThrow(`“${guard.label}” returned nothing`);
		});

		it('is no guard when it is left empty by hand', async () => {
			const { status, items } = await postToTrigger(triggerWith(guard, ''), event);
			// Without a seal, an event goes no further than its seal.
			const expected = authenticationOf(guard) === 'none' ? [200, 1] : [401, undefined];
			expect([status, items?.length]).toEqual(expected);
		});
	});

	it.each([
		['true', 200, 1],
		[true, 200, 1],
		['false', 200, 2],
		['yes', 500, 0],
	])('takes “Ignore Duplicates” as %j from an expression', async (value, status, started) => {
		const options = { ignoreDuplicates: `={{ ${JSON.stringify(value)} }}` };
		const trigger = {
			parameters: { eventAuthentication: 'none', options },
			nodeId: `ignoring ${typeof value} ${String(value)}`,
		};
		const results = [await postToTrigger(trigger, event), await postToTrigger(trigger, event)];
		expect(results.map((result) => result.status)).toEqual([status, status]);
		expect(results.filter(({ items }) => items !== undefined)).toHaveLength(started);
	});
});

describe('an option of the whole run', () => {
	const check = (options: INodeParameters, requestOptions: INodeParameters = {}) =>
		checkPhone({ options, requestOptions });
	const aboutRun = (label: string) =>
		`“${label}” applies to the whole run, so its value for the first item was used. For other items, the expression returns another value.`;

	it.each([
		['Max Total Cost', check({ maxTotalCost: '={{ $itemIndex === 3 ? 7 : 100 }}' })],
		['Max Total Cost', check({ maxTotalCost: '={{ $itemIndex === 3 ? "" : 100 }}' })],
		['Max Retries', check({}, { maxRetries: '={{ $itemIndex }}' })],
		['Requests per Second', check({}, { requestsPerSecond: '={{ $itemIndex === 1 ? 0 : 90 }}' })],
		['Give Up After', check({}, { giveUpAfter: '={{ 60 + $itemIndex }}' })],
	])('that differs is named in a hint, once: %s', async (label, parameters) => {
		const { hints } = await simulate({ parameters, items: numbers(4) });
		expect(hints.filter((hint) => hint.includes('applies to the whole run'))).toEqual([
			aboutRun(label),
		]);
	});

	it('that is the same for all items needs no hint', async () => {
		const parameters = check(
			{ maxTotalCost: '={{ 100 }}' },
			{ maxRetries: '={{ 3 }}', timeout: 9 },
		);
		const { hints } = await simulate({ parameters, items: numbers(4) });
		expect(hints.join()).not.toContain('applies to the whole run');
	});

	it('is that of the first item, even if other options differ', async () => {
		const options = {
			maxTotalCost: '={{ $itemIndex === 0 ? 1 : $itemIndex === 3 ? null : 100 }}',
			includeInputFields: '={{ $itemIndex === 2 }}',
		};
		const parameters = check(options, { concurrency: 1 });
		const { sent, success, hints } = await simulate({ parameters, items: numbers(6), ...CONTINUE });
		expect(sent).toHaveLength(2);
		expect(JSON.stringify(success)).not.toContain('returned nothing');
		expect(hints).toContain(aboutRun('Max Total Cost'));
	});

	it('is read although another option of the first item is wrong, which fails that item alone', async () => {
		const options = { maxTotalCost: 9, removeDuplicates: '={{ $itemIndex === 0 ? "odd" : true }}' };
		const run = { parameters: check(options), items: numbers(3), ...CONTINUE };
		const { success } = await simulate(run);
		expect(success.map(({ json }) => 'error' in json)).toEqual([true, false, false]);
	});

	it('is compared for at most ten other items, the last one included', async () => {
		const run = async (maxTotalCost: string | number) =>
			await simulate({ parameters: check({ maxTotalCost }), items: numbers(200) });
		const fixed = await run(100_000);
		const differing = await run('={{ $itemIndex === 199 ? 1 : 100000 }}');
		expect(differing.hints).toContain(aboutRun('Max Total Cost'));
		// The first item once more, for comparison.
		expect(differing.reads - fixed.reads).toBe(11);
	});
});

describe('Max Retries 0', () => {
	const operations = Object.keys(ANSWERS);
	const run = async (operation: string, maxRetries: number, replies: Reply[]) =>
		await simulate({
			service: replying(() => replies.shift() ?? { body: ANSWERS[operation] }),
			parameters: { ...exampleParameters(operation, UID), requestOptions: { maxRetries } },
			files: filesFor(operation),
			workflow: { id: `patient ${operation}` },
		});

	it.each(operations)(
		'sends one request, even if it is refused with 429: %s',
		async (operation) => {
			for (const reply of [refusal(429), { status: 429, body: 'Too many requests' }]) {
				const { sent, error } = await run(operation, 0, [reply]);
				expect(error).toBeDefined();
				expect(sent).toHaveLength(1);
			}
		},
	);

	it.each(operations)('is the only number that stops waiting: %s', async (operation) => {
		const { sent, error } = await run(operation, 1, Array<Reply>(4).fill(refusal(429)));
		expect(error).toBeUndefined();
		expect(sent).toHaveLength(5);
	});
});

describe('a model', () => {
	const FOR_EXECUTION = { callbackTarget: 'execution' };
	const MODEL_EXPRESSIONS = [
		"={{ $fromAI('limit') }}",
		"={{ Math.max(1, $fromAi('limit', '', 'number')) }}",
		'={{ $json.limit }}',
		'={{ $input.item.json.limit }}',
		'={{ $parameter.phone }}',
	];

	const byModel = async (guard: Guard, value: unknown) =>
		await runWith(guard, value, {
			files: undefined,
			items: [{ limit: guard.accepted as string }],
			nodeType: TOOL,
		});

	describe.each(GUARDS)('cannot set $guard', (guard) => {
		it.each(MODEL_EXPRESSIONS)('with %s', async (expression) => {
			const { json, sent } = await byModel(guard, expression);
			expect(json.error).toBe(`“${guard.label}” limits the model, so the model cannot set it`);
			expect(sent).toEqual([]);
		});
	});

	describe.each(GUARDS.filter(({ operation }) => !NO_TOOLS.includes(operation)))(
		'cannot set $guard,',
		(guard) => {
			it.each([
				['a fixed value', guard.accepted],
				['a variable', `={{ $vars.none ?? ${JSON.stringify(guard.accepted)} }}`],
				['another node', "={{ $('Source').first().json.limit }}"],
			])('but the user can, with %s', async (_what, value) => {
				const { json, sent } = await byModel(guard, value);
				expect(json).not.toHaveProperty('error');
				expect(sent).toHaveLength(1);
			});
		},
	);

	it.each([
		['A tool’s execution cannot wait for an inbound call', getNumber(FOR_EXECUTION)],
		['A tool cannot wait for an inbound call', exampleParameters('inboundCall.wait', UID)],
		['A tool cannot check a file', exampleParameters('phoneNumber.checkFile', UID)],
	])('is told: %s', async (problem, parameters) => {
		const files = exampleFiles(parameters);
		const { json, sent, run } = await runOn([], parameters, { files, nodeType: TOOL });
		expect(json.error).toBe(problem);
		expect(sent).toEqual([]);
		expect(run.data.waitTill).toBeUndefined();
	});

	it('cannot set the code, which it must not know', async () => {
		const run = { items: [{ code: '0042' }], nodeType: TOOL };
		const { json, sent } = await runOn(STARTED, startWith({ code: "={{ $fromAI('code') }}" }), run);
		expect(json.error).toBe('“Code” limits the model, so the model cannot set it');
		expect(sent).toEqual([]);
	});

	it('may set what limits nothing', async () => {
		const run = { items: [{ client: 'visitor-7' }], nodeType: TOOL };
		const { sent } = await runOn(STARTED, startWith({ client: "={{ $fromAI('client') }}" }), run);
		expect(sent[0]?.fields.client).toBe('visitor-7');
	});

	it.each(['options', 'requestOptions'])('cannot give all %s in one text', async (collection) => {
		const parameters = {
			...exampleParameters('call.start', UID),
			[collection]: "={{ $fromAI('all', '', 'json') }}",
		};
		// n8n does not pass such a text on to the node.
		const { parameters: kept } = workflowOf([verifyNode(parameters)], []).getNode('Verify') ?? {};
		expect(kept?.[collection]).toEqual({});
	});
});
