import { z } from 'zod';
import type { Emulator } from '../../emulator/emulator';
import { startService } from '../../harness/service';
import { codeBlocks } from '../package/docs/pages';
import { connect, itemsOf, type N8nClient, type WorkflowFile } from '../../harness';
import { instances } from './instances';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/workflows/emulatedService';

/** n8n's name for a first credential. Other tests use that name at the same time, so here it is replaced. */
const DEFAULT_NAME = 'Call Verification account';
const OWN_NAME = 'Call Verification account of the recipes';
const NOTE = 'comes out ';

const workflows = codeBlocks.filter(({ note }) => note.startsWith(NOTE));
const itemCounts = z.record(z.number());

describe.each(instances)('the workflows of the documentation in n8n $version', ({ line, url }) => {
	let client: N8nClient;
	let emulator: Emulator;

	beforeAll(async () => {
		client = await connect({ line, url });
		emulator = await startService({ callResultAfterMs: 300 });
	});

	afterAll(async () => await emulator.close());

	test.each(workflows)('$page: $note', async ({ note, code }) => {
		const expected = itemCounts.parse(JSON.parse(note.slice(NOTE.length)));
		const pasted = JSON.parse(code.replaceAll(DEFAULT_NAME, OWN_NAME)) as WorkflowFile;
		const credential = await client.credentials.create(
			OWN_NAME,
			CREDENTIAL_TYPE,
			credentialData(emulator),
		);
		try {
			// The editor gives each pasted node an ID.
			const nodes = pasted.nodes.map((node) => ({ ...node, id: node.name }));
			const { id } = await client.workflows.create({ ...pasted, nodes, name: note });
			const execution = await client.executions.wait(await client.workflows.run(id));
			expect(execution.error).toBeUndefined();
			const counts = Object.keys(expected).map((name) => [name, itemsOf(execution, name).length]);
			expect(Object.fromEntries(counts)).toEqual(expected);
		} finally {
			await client.credentials.delete(credential);
		}
	});
});
