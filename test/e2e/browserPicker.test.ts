import { chain, manualTrigger } from '../../harness/sampleWorkflow';
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

	test('shows what the node can do', async () => {
		await editor.picker.find('verify', 'Call Verification');

		expect(await editor.picker.choose('Call Verification')).toEqual(
			expect.arrayContaining([
				'Check phone number',
				'Call person with code',
				'Check code typed by person',
			]),
		);
	});
});
