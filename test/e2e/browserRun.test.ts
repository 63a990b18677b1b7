import type { IDataObject } from 'n8n-workflow';
import { describeInBrowser } from './inBrowser';
import type { Editor } from '../../harness/browser/editor';
import { NODE, type OperationParameters, workflowWith } from '../../harness/workflows/nodeRunner';

const RINGS = 'one phone rings per item';
const LIMIT = 'add “Max Total Cost” under Options';
const PUBLISH = 'this only works in a published workflow';

describeInBrowser('a run in the editor', (stage) => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await stage().openEditor();
	});

	test.each<[hint: string, parameters: OperationParameters]>([
		[RINGS, { resource: 'call', operation: 'start', phone: '={{ $json.phone }}' }],
		[LIMIT, { resource: 'phoneNumber', operation: 'check', phone: '={{ $json.phone }}' }],
		[PUBLISH, { resource: 'inboundCall', operation: 'start', phone: '79000000001' }],
	])('is announced by the hint “%s”', async (hint, parameters) => {
		const panel = await openNodeWith(parameters);

		await panel.waitForOutputText(hint);
		await panel.close();
	});

	test('of one call to one number needs no hint', async () => {
		const parameters = { resource: 'call', operation: 'start', phone: '79000000001' };
		const panel = await openNodeWith(parameters);

		await panel.waitForOutputText('No output data');
		expect(await panel.outputText()).not.toContain(RINGS);
	});

	test('shows the most wanted fields without scrolling, and no red cell in a good row', async () => {
		await editor.page.setViewportSize({ width: 1280, height: 720 });
		const panel = await openNodeWith({
			resource: 'phoneNumber',
			operation: 'check',
			phone: '+7 900 000-00-01',
		});

		await panel.execute();
		await panel.waitForOutputText('North Line');

		expect(await panel.columnsInSight()).toEqual(
			expect.arrayContaining(['valid', 'phone_e164', 'mobile', 'operator']),
		);
		expect(await panel.outputText()).not.toMatch(/null|empty|undefined/);
	});

	test('keeps the columns of a list when told to', async () => {
		const panel = await openNodeWith(
			{
				resource: 'phoneNumber',
				operation: 'check',
				phone: '={{ $json.phone }}',
				options: { includeInputFields: true },
			},
			[{ name: 'Ann', phone: '+7 900 000-00-01', error: 'bounced' }],
		);

		await panel.execute();

		await panel.waitForOutputText('input_error');
		expect((await panel.columnsInSight()).slice(0, 3)).toEqual(['name', 'phone', 'input_error']);
	});

	test('of a list shows in one line what was done and what it cost', async () => {
		const phones = ['+7 900 000-00-01', '79000000001', '12345'];
		const panel = await openNodeWith(
			{ resource: 'phoneNumber', operation: 'check', phone: '={{ $json.phone }}' },
			phones.map((phone) => ({ phone })),
		);

		await panel.execute();

		await panel.waitForOutputText(
			'3 of 3 items done, 1 invalid, 1 duplicate request avoided, total cost 0.05',
		);
	});

	test('that fails shows what happened and what to do', async () => {
		const panel = await openNodeWith({ resource: 'call', operation: 'get', uid: 123 });

		await panel.execute();

		const { message, description } = await panel.error();
		expect(message).toContain('uid 123 is no call');
		expect(description).toContain('the call ID');
	});

	async function openNodeWith(parameters: OperationParameters, items?: readonly IDataObject[]) {
		const { client, service } = stage();
		const workflow = workflowWith(service.credential, parameters, { items });
		const { id } = await client.workflows.create(workflow);
		await editor.openWorkflow(id);
		return await editor.openNode(NODE);
	}
});
