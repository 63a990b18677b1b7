import { join } from 'node:path';
import type { Emulator } from '../../emulator/emulator';
import { startService } from '../../harness/service';
import {
	connect,
	itemsOf,
	type N8nClient,
	readWorkflowFiles,
	type WorkflowFile,
} from '../../harness';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/workflows/emulatedService';
import { withChosenCredentials } from '../../harness/workflows/publishedExample';
import { instances } from './instances';

const RECIPES = join(__dirname, '../../examples/recipes');

/** How many items come out of which nodes. */
const COMES_OUT: ReadonlyArray<[recipe: string, items: Readonly<Record<string, number>>]> = [
	['call-valid-mobiles', { Check: 3, 'Valid Mobiles': 1, Call: 1 }],
	['did-the-phone-ring', { 'Try Another Way': 1 }],
	['enough-balance', { 'Check the List': 1 }],
	['keep-your-columns', { Check: 2 }],
	['list-with-a-budget', { Checked: 3, 'Not Checked': 1 }],
];

describe.each(instances)('the small recipes in n8n $version', ({ line, url }) => {
	let client: N8nClient;
	let emulator: Emulator;
	let recipes: Map<string, WorkflowFile>;

	beforeAll(async () => {
		client = await connect({ line, url });
		emulator = await startService({ callResultAfterMs: 300 });
		recipes = await readWorkflowFiles(RECIPES);
	});

	afterAll(async () => await emulator.close());

	test.each(COMES_OUT)('%s: %j', async (name, expected) => {
		const recipe = recipes.get(name);
		if (recipe === undefined) throw new Error(`examples/recipes/${name}.json is missing`);
		const credential = await client.credentials.create(
			`Recipe ${name}`,
			CREDENTIAL_TYPE,
			credentialData(emulator),
		);
		try {
			const file = withChosenCredentials(recipe, { [CREDENTIAL_TYPE]: credential });
			const { id } = await client.workflows.create(file);
			const execution = await client.executions.wait(await client.workflows.run(id));
			expect(execution.error).toBeUndefined();
			const counts = Object.keys(expected).map((node) => [node, itemsOf(execution, node).length]);
			expect(Object.fromEntries(counts)).toEqual(expected);
		} finally {
			await client.credentials.delete(credential);
		}
	});
});
