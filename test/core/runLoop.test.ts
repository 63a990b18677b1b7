import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { CallVerification, runItems } from '../../harness/engine/builtPackage';
import { TOOL } from './parameters';
import { runOn } from './wire';
import { systemClock } from '../../nodes/CallVerification/transport/pipeline';
import {
	hideCodeField,
	includeInputFieldsField,
	simplifyField,
} from '../../nodes/CallVerification/operations/sharedFields';
import { defineOperation } from '../../nodes/CallVerification/run/operation';

/** A minimal operation. */
const RESULT = { first: 1, code: '0042', error: 'words', rest: 2 };

async function run(values: INodeParameters, tool = false) {
	let seen: { note?: string; timeZone?: string } = {};
	let zoneBefore: string | undefined;
	const plain = defineOperation({
		value: 'get',
		name: 'Get',
		action: 'Get',
		description: 'Get',
		costs: 'no',
		fields: [
			simplifyField,
			{ displayName: 'Note', name: 'note', type: 'string', default: '' },
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				default: {},
				options: [hideCodeField, includeInputFieldsField],
			},
		],
		parameters: z.object({
			simplify: z.boolean(),
			note: z.string().min(1).optional(),
			options: z.object({ hideCode: z.boolean(), includeInputFields: z.boolean() }),
		}),
		output: {
			code: { type: 'string', meaning: 'code' },
			first: { type: 'number', meaning: 'first' },
			reason: { type: 'string', meaning: 'reason' },
		},
		check(_parameters, { timeZone }) {
			zoneBefore = timeZone;
		},
		async run({ note }, { timeZone }) {
			seen = { note, timeZone };
			return RESULT;
		},
	});
	const resources = [{ value: 'plain', name: 'Plain', operations: [plain] }];
	const choice = (name: string) =>
		({ displayName: name, name, type: 'string', default: '' }) as const;
	const properties = [choice('resource'), choice('operation'), ...plain.fields];
	const implementation = {
		description: { ...new CallVerification().description, properties },
		async execute(this: IExecuteFunctions) {
			return [await runItems(this, resources, systemClock, Math.random)];
		},
	};
	const parameters = {
		resource: 'plain',
		operation: 'get',
		simplify: false,
		options: {},
		...values,
	};
	const more = { items: [{ mine: true }], implementation, ...(tool && { nodeType: TOOL }) };
	const { json, error } = await runOn([], parameters, more);
	expect(error).toBeUndefined();
	return { output: json, ...seen, zoneBefore };
}

describe('what the run loop does for every operation', () => {
	it('an error in a record comes out as its reason', async () => {
		const { output } = await run({});
		expect(output).toEqual({ first: 1, code: '0042', rest: 2, reason: 'words' });
	});

	it('Simplify keeps the fields that the operation declares, in their order', async () => {
		const { output } = await run({ simplify: true });
		expect(Object.entries(output)).toEqual([
			['code', '0042'],
			['first', 1],
			['reason', 'words'],
		]);
	});

	it.each([
		['with Hide Code', { options: { hideCode: true } }, false],
		['from a model', {}, true],
	])('the code is withheld %s', async (_when, values, tool) => {
		const { output } = await run(values, tool);
		expect(output).toEqual({ first: 1, rest: 2, reason: 'words' });
	});

	it('the fields of the input come out with the result', async () => {
		const options = { includeInputFields: true };
		const forUser = await run({ simplify: true, options });
		const forModel = await run({ simplify: true, options }, true);
		expect(forUser.output).toMatchObject({ mine: true, first: 1 });
		expect(forModel.output).not.toHaveProperty('mine');
	});

	it.each([
		['', undefined],
		['x', 'x'],
	])('an optional text may be left empty: %j', async (entered, note) => {
		expect(await run({ note: entered })).toMatchObject({ output: { first: 1 }, note });
	});

	it('the operation gets the time zone of the workflow, also for its check', async () => {
		const { note, timeZone, zoneBefore } = await run({ note: '={{ $now.zoneName }}' });
		expect([timeZone, zoneBefore]).toEqual([note, note]);
	});
});
