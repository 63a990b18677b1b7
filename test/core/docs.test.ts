import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import type { Emulator } from '../../emulator/emulator';
import { startService } from '../../harness/emulatedService';
import { codeBlocks } from '../package/docs/pages';
import { runNode } from '../../harness/engine/n8nCore';
import { checkPhone, startCall } from './parameters';
import { credentialFor, runOn } from './wire';

/** The pages show the actual output, apart from these fields. */
const CHANGES_EACH_TIME = [
	'unique_request_id',
	'called_at',
	'verification_token',
	'init_time',
	'created',
	'updated',
	'last_request',
	'creation_time',
	'expires_at',
];

const record = z.record(z.unknown());

describe('the samples of output in the documentation', () => {
	const samples = codeBlocks.filter(({ note }) => note.startsWith('run '));
	let emulator: Emulator;

	const run = async (parameters: INodeParameters): Promise<IDataObject | undefined> => {
		const { success } = await runNode({ parameters, credential: credentialFor(emulator) });
		return success[0]?.json;
	};

	beforeEach(async () => {
		emulator = await startService({ callResultAfterMs: 0 });
		// The call that the pages look up: this service's first.
		await run(startCall({ phone: '79161234567', options: { code: '0042' } }));
	});

	afterEach(async () => await emulator.close());

	it.each(samples)('$page: $note', async ({ note, code }) => {
		const parameters = JSON.parse(note.slice('run '.length)) as INodeParameters;
		expect(steady(await run(parameters))).toEqual(steady(JSON.parse(code)));
	});

	/** Compares changing values by type only; the order of the fields counts too. */
	function steady(output: unknown): Array<[name: string, value: unknown]> {
		return Object.entries(record.parse(output)).map(([name, value]) => [
			name,
			CHANGES_EACH_TIME.includes(name) ? typeof value : value,
		]);
	}
});

describe('the expressions in the documentation', () => {
	const expressions = codeBlocks.filter(({ note }) => note.startsWith('expression '));

	/** One input item, or a list of values for its field `phone`. */
	const itemsOf = (input: unknown): IDataObject[] =>
		Array.isArray(input)
			? input.map((phone: IDataObject) => ({ phone }))
			: [record.parse(input) as IDataObject];

	it.each(expressions)('$page: $note', async ({ note, code }) => {
		const [input = '', result = ''] = note.slice('expression '.length).split(' gives ');
		const parameters = checkPhone({
			phone: `=${code.trim()}`,
			options: { removeDuplicates: false },
			requestOptions: { concurrency: 1 },
		});
		const items = itemsOf(JSON.parse(input));
		const { phones, outputs } = await runOn({ body: { source: 'x' } }, parameters, { items });
		// The check sends a number unchanged, and returns unchanged what it does not send.
		const texts = phones.length > 0 ? phones : outputs.map(({ source }) => source);
		expect(texts).toEqual([JSON.parse(result)].flat());
	});

	const mending = expressions.filter(({ code }) => code.includes('$json.phone'));

	it.each(mending)('$page: an empty cell stays empty: $code', async ({ code }) => {
		const parameters = checkPhone({ phone: `=${code.trim()}` });
		const items = itemsOf(['', null]).concat({});
		const { outputs, sent } = await runOn({ body: { source: 'x' } }, parameters, { items });
		expect(outputs.map(({ reason }) => reason)).toEqual(Array(3).fill('empty'));
		expect(sent).toEqual([]);
	});
});
