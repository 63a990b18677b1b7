import type { Editor } from '../../harness/browser/editor';
import { describeInBrowser } from './inBrowser';
import { NODE, workflowWith } from '../../harness/workflows/nodeRunner';
import { testButtonWords } from './testButtonWords';

describeInBrowser('the form of the credential', (stage) => {
	let editor: Editor;

	beforeAll(async () => {
		const { client, service, openEditor } = stage();
		const parameters = { resource: 'account', operation: 'getBalance' };
		const { id } = await client.workflows.create(workflowWith(service.credential, parameters));
		editor = await openEditor();
		await editor.openWorkflow(id);
		const panel = await editor.openNode(NODE);
		await panel.openCredential();
	});

	test('asks for address, key, service and how to send them', async () => {
		expect(await editor.credentialForm.fields()).toEqual([
			'Base URL',
			'Secret Key',
			'Service ID',
			'Authentication Scheme',
			'Address',
			// n8n adds this one to credentials that can be used in its HTTP Request node.
			'Allowed HTTP Request Domains',
		]);
	});

	test('is green when the service accepts the key', async () => {
		await editor.credentialForm.waitForGreen();
	});

	test('is red, and says what to check, when the service refuses the key', async () => {
		await editor.credentialForm.fill('secretKey', 'wrong');
		await editor.credentialForm.save();

		expect(await editor.credentialForm.waitForRed()).toMatch(testButtonWords.wrongKey);
	});

	test('is green again when the right key is entered', async () => {
		await editor.credentialForm.fill('secretKey', stage().service.emulator.secretKey);
		await editor.credentialForm.save();

		await editor.credentialForm.waitForGreen();
	});
});
