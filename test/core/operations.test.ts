import { join } from 'node:path';

import { resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../../emulator/emulator';
import { startService } from '../../harness/emulatedService';
import { CallVerification, CallVerificationTrigger } from '../../harness/engine/builtPackage';
import { runNode } from '../../harness/engine/n8nCore';
import { exampleFiles, exampleParameters } from '../../harness/workflows/nodeRunner';
import { methods } from '../../nodes/CallVerification/contract/methods';
import type { OutputFields } from '../../nodes/CallVerification/contract/fields';
import { eventFields } from '../../nodes/CallVerification/inbound/inboundEvent';
import { operations, outputRows } from '../../scripts/generate/rows';
import { parameterRows } from '../contract/coverage';
import { EVENT, postToTrigger, sealed, WaitingExecution } from './inbound';
import { startCall } from './parameters';
import { credentialFor } from './wire';

/**
 * Runs every operation, with the editor's defaults, against the emulated service: the output matches the operation's
 * `output`, and so the schema and the documentation. New operations are included automatically.
 */

const NODES = join(__dirname, '..', '..', 'nodes', 'CallVerification');
const WAIT = 'inboundCall.wait';

interface KnownCall {
	uid: number;
	token: string;
}

/** Its call is made before, because the public service says `exists` only where it is true. */
const COOLING = { client: 'customer-42', cooldown: 60 };

/** Parameters for operations whose example values do not fill every output field. */
const TRIES: Readonly<Record<string, (call: KnownCall) => INodeParameters[]>> = {
	'call.checkCode': ({ token }) => [
		{ uid: token, code: '0043' },
		{ uid: token, code: '0042' },
	],
	'call.start': () => [{ options: COOLING }],
	'inboundCall.start': () => [{ callbackTarget: 'execution' }],
	'phoneNumber.check': () => [{}, { phone: '+7 000 000-00-01' }],
};

const running = operations.filter(({ name }) => name !== WAIT);

let emulator: Emulator;
let tests = 0;
let call: KnownCall;

const run = async (parameters: INodeParameters, authScheme = 'header'): Promise<IDataObject> => {
	const { success, error } = await runNode({
		parameters,
		files: exampleFiles(parameters),
		credential: credentialFor(emulator, authScheme),
		executionId: `test ${tests}`,
	});
	if (error !== undefined) throw error;
	return success[0]?.json ?? {};
};

beforeAll(async () => {
	emulator = await startService({ callResultAfterMs: 0, withdrawnMethods: [] });
});

// A call for each test, because an operation may change it.
beforeEach(async () => {
	tests += 1;
	// A service may leave out what does not apply, such as the client.
	const started = await run(startCall({ options: { code: '0042', client: 'customer-42' } }));
	call = { uid: Number(started.vendor_id), token: started.verification_token as string };
	await run(startCall({ options: COOLING }));
});

afterAll(async () => await emulator.close());

/** A line for each field, and for each inside it: `logs[].ip string`. */
function declaredLines(fields: OutputFields): string[] {
	return outputRows(fields).map(([name = '', type = '']) => `${name.replaceAll('`', '')} ${type}`);
}

/** The same of real outputs; a value missing in one is taken from another. */
function linesIn(records: readonly IDataObject[], prefix = ''): string[] {
	const filled: IDataObject = {};
	for (const record of records) {
		for (const [name, value] of Object.entries(record)) filled[name] ??= value;
	}
	return Object.entries(filled).flatMap(([name, value]) => [
		`${prefix}${name} ${typeOf(value)}`,
		...linesIn(
			[value].flat().filter((inner): inner is IDataObject => typeOf(inner) === 'object'),
			`${prefix}${name}${Array.isArray(value) ? '[]' : ''}.`,
		),
	]);
}

function typeOf(value: unknown): string {
	if (value === null) return 'null: the emulator must fill this field at least once';
	return Array.isArray(value) ? 'array' : typeof value;
}

/** Names, order and types, at every depth. */
function expectToMatch(outputs: readonly IDataObject[], fields: OutputFields): void {
	for (const output of outputs) expect(Object.keys(output)).toEqual(Object.keys(fields));
	expect(linesIn(outputs)).toEqual(declaredLines(fields));
}

describe('the declared output', () => {
	it.each(
		running.flatMap((each) => ['header', 'body', 'query'].map((scheme) => ({ ...each, scheme }))),
	)('is what $name returns ($scheme scheme)', async ({ name, operation, scheme }) => {
		const parameters = exampleParameters(name, call.uid);
		const outputs: IDataObject[] = [];
		for (const values of TRIES[name]?.(call) ?? [{}]) {
			outputs.push(await run({ ...parameters, ...values }, scheme));
		}
		expectToMatch(outputs, operation.output);
	});

	it(`is what ${WAIT} returns, apart from the fields of the item itself`, async () => {
		const execution = await WaitingExecution.start(
			{ resource: 'inboundCall', operation: 'wait', uid: EVENT.callId, limitWaitTime: 1 },
			{},
		);
		const { items } = await execution.post({ body: EVENT, query: sealed() });
		const wait = operations.find(({ name }) => name === WAIT);
		expectToMatch(items ?? [], wait?.operation.output ?? {});
	});

	it('is what the trigger returns', async () => {
		const event = { body: { ...EVENT, callId: '42' }, query: sealed() };
		const { items } = await postToTrigger({}, event);
		expectToMatch(items ?? [], eventFields);
	});

	it.each([
		...operations.map(({ name, resource, operation }) => ({
			name,
			node: new CallVerification(),
			place: { resource: resource.value, operation: operation.value },
		})),
		{ name: 'the trigger', node: new CallVerificationTrigger(), place: {} },
	])('of $name has a schema where n8n looks for it', ({ node, place }) => {
		const version = Number(node.description.version);
		expect(resolveOutputSchemaPath({ nodeDir: NODES, version, ...place })).toBeDefined();
	});
});

describe('the operations', () => {
	it('have actions of their own, by which people and models tell them apart', () => {
		const actions = operations.map(({ operation }) => operation.action);
		expect(actions.filter((action, index) => actions.indexOf(action) !== index)).toEqual([]);
	});
});

describe('the methods of the contract', () => {
	beforeAll(async () => {
		for (const { name } of running) await run(exampleParameters(name, call.uid)).catch(() => {});
	});

	it('are all sent by an operation in the list of its resource', () => {
		const sent = new Set(emulator.ledger.requests.map(({ method }) => method));
		expect([...sent].sort()).toEqual(Object.keys(methods).sort());
	});

	it.each(parameterRows.filter(({ isOptional }) => !isOptional))(
		'are sent with what they need: §$row',
		({ method, parameter }) => {
			const requests = emulator.ledger.requests.filter((request) => request.method === method);
			expect(requests.length).toBeGreaterThan(0);
			for (const { args } of requests) expect(args).toHaveProperty(parameter);
		},
	);
});
