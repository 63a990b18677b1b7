import { chain, manualTrigger } from '../../harness/sampleWorkflow';
import { CallVerificationTrigger } from '../../nodes/CallVerification/CallVerificationTrigger.node';
import { resources } from '../../nodes/CallVerification/operations';
import { describeInBrowser } from './inBrowser';
import type { Editor } from '../../harness/browser/editor';

describeInBrowser('the node picker', (stage) => {
	let editor: Editor;

	beforeAll(async () => {
		const { id } = await stage().client.workflows.create(chain('Picking', manualTrigger));
		editor = await stage().openEditor();
		await editor.openWorkflow(id);
		await editor.picker.open();
	});

	test.each(['verify', 'phone', 'phone number', 'validate phone', 'otp', 'Call Verification'])(
		'offers the node to people who type “%s”',
		async (text) => {
			await editor.picker.find(text, 'Call Verification');
		},
	);

	test('says in a line what node and trigger do', async () => {
		await editor.picker.find('verify', 'Call Verification');
		await editor.page.getByText(new CallVerificationTrigger().description.description).waitFor();
	});

	test('shows what the node can do, what most people want first', async () => {
		await editor.picker.find('verify', 'Call Verification');

		const actions = resources.flatMap(({ operations }) => operations.map(({ action }) => action));
		const offered = await editor.picker.choose('Call Verification');
		expect(offered.filter((name) => actions.includes(name))).toEqual(actions);
	});
});
