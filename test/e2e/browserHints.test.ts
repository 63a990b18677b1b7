import type { Editor } from '../../harness/browser/editor';
import { describeInBrowser } from './inBrowser';
import { NODE, type OperationParameters, workflowWith } from '../../harness/workflows/nodeRunner';

const RINGS = 'one phone rings per item';
const LIMIT = 'add “Max Total Cost” under Options';
const PUBLISH = 'this only works in a published workflow';

/** Shown in the output before the first run. */
describeInBrowser('the hints before a run', (stage) => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await stage().openEditor();
	});

	test.each<[hint: string, parameters: OperationParameters]>([
		[RINGS, { resource: 'call', operation: 'start', phone: '={{ $json.phone }}' }],
		[LIMIT, { resource: 'phoneNumber', operation: 'check', phone: '={{ $json.phone }}' }],
		[PUBLISH, { resource: 'inboundCall', operation: 'start', phone: '79000000001' }],
	])('say “%s”', async (hint, parameters) => {
		const panel = await openNodeWith(parameters);

		await panel.waitForOutputText(hint);
		await panel.close();
	});

	test('say nothing about one call to one number', async () => {
		const parameters = { resource: 'call', operation: 'start', phone: '79000000001' };
		const panel = await openNodeWith(parameters);

		await panel.waitForOutputText('No output data');
		expect(await panel.outputText()).not.toContain(RINGS);
	});

	async function openNodeWith(parameters: OperationParameters) {
		const { client, service } = stage();
		const { id } = await client.workflows.create(workflowWith(service.credential, parameters));
		await editor.openWorkflow(id);
		return await editor.openNode(NODE);
	}
});
