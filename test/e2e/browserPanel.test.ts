import type { Editor } from '../../harness/browser/editor';
import { describeInBrowser } from './inBrowser';
import { loadedOperations } from '../../harness/workflows/loadedOperations';
import { actionNode, triggerNode } from '../../harness/workflows/nodeRunner';
import panelTable from './panelTable.json';

const COLUMNS = 4;

describeInBrowser('the panel of the node', (stage) => {
	let editor: Editor;

	beforeAll(async () => {
		const { client, service } = stage();
		const actions = panelTable.action.map(({ title, parameters }) => ({
			...actionNode(service.credential, parameters),
			id: title,
			name: title,
		}));
		const triggers = panelTable.trigger.map(({ title, parameters }) => ({
			...triggerNode(service.credential, title, parameters.eventAuthentication),
			parameters: { ...parameters, options: {} },
		}));
		const nodes = [...triggers, ...actions].map((node, position) => ({
			...node,
			position: placeInGrid(position),
		}));
		const { id } = await client.workflows.create({ name: 'Panels', nodes, connections: {} });
		editor = await stage().openEditor();
		await editor.openWorkflow(id);
	});

	test.each(panelTable.action)(
		'shows the fields of $title and no others',
		async ({ title, fields }) => {
			const panel = await editor.openNode(title);
			const shown = await panel.fields();
			await panel.close();

			expect(shown).toEqual(['Resource', 'Operation', ...fields]);
		},
	);

	test.each(panelTable.trigger)('shows the fields of the $title', async ({ title, fields }) => {
		const panel = await editor.openNode(title);
		const shown = await panel.fields();
		await panel.close();

		expect(shown).toEqual(fields);
	});

	test('was looked at for every operation', async () => {
		const looked = panelTable.action.map(({ parameters: { resource, operation } }) => {
			return `${resource}.${operation}`;
		});

		expect([...new Set(looked)].sort()).toEqual((await loadedOperations(stage().client)).sort());
	});

	test('changes with the operation that is chosen', async () => {
		const panel = await editor.openNode('account.getBalance');
		await panel.choose('resource', 'Phone Number');
		const afterResource = await panel.fields();
		await panel.choose('resource', 'Call');
		await panel.choose('operation', 'Check Code');
		const afterOperation = await panel.fields();
		await panel.close();

		expect(afterResource).toContain('Phone Number');
		expect(afterOperation).toEqual(expect.arrayContaining(['Call ID or Token', 'Code']));
		expect(afterOperation).not.toContain('Phone Number');
	});
});

function placeInGrid(position: number): [x: number, y: number] {
	return [(position % COLUMNS) * 250, Math.floor(position / COLUMNS) * 200];
}
