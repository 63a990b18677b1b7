import type { INodeTypeDescription } from 'n8n-workflow';
import { fetch } from 'undici';
import { z } from 'zod';

import { CallVerification } from '../../nodes/CallVerification/CallVerification.node';
import { ALWAYS_SUCCEEDS } from '../../emulator/testNumbers';
import { connect } from '../../harness';
import { chain, manualTrigger } from '../../harness/sampleWorkflow';
import { describeInBrowser } from './inBrowser';
import { instances } from './instances';
import { CREDENTIAL_TYPE } from '../../harness/workflows/emulatedService';
import { ACTION_NODE, inboundNode } from '../../harness/workflows/nodeRunner';
import { waitsAfter } from './waitsAfter';

const icons = z.object({ light: z.string(), dark: z.string() });
const { builderHint, usableAsTool, waitingNodeTooltip } = new CallVerification().description;
const asTool = typeof usableAsTool === 'object' ? usableAsTool.replacements?.description : '';

describe.each(instances)('what n8n $version knows about the node', ({ line, url }) => {
	test('is a special description where it is offered as a tool, and elsewhere the usual one', async () => {
		const client = await connect({ line, url });
		const types = await client.nodeTypes.ofPackage('n8n-nodes-call-verification');
		const find = (name: string) =>
			types.find((type) => type.name === name) as INodeTypeDescription | undefined;

		expect(find(`${ACTION_NODE}Tool`)?.description).toBe(asTool);
		expect(find(ACTION_NODE)).toMatchObject({
			description: new CallVerification().description.description,
			waitingNodeTooltip,
			builderHint,
		});
	});

	test('has a light and a dark icon wherever n8n shows one', async () => {
		const client = await connect({ line, url });
		const types = [
			...(await client.nodeTypes.ofPackage('n8n-nodes-call-verification')),
			await client.nodeTypes.credential(CREDENTIAL_TYPE),
		];
		const { cookie } = client.session.authentication;
		for (const type of types) {
			const { light, dark } = icons.parse(type?.iconUrl);
			for (const path of [light, dark]) {
				const answer = await fetch(`${url}/${path}`, { headers: { cookie } });
				expect([answer.status, await answer.text()]).toEqual([
					200,
					expect.stringContaining('<svg'),
				]);
			}
		}
	});
});

describeInBrowser('a run in the editor that waits for a call', (stage) => {
	test('says in the node’s panel what it waits for, and continues when the call comes', async () => {
		const { client, service, openEditor } = stage();
		const { credential } = service;
		const { id } = await client.workflows.create(
			chain(
				'Waits in the editor',
				manualTrigger,
				inboundNode(credential, 'Ask', 'start', {
					phone: ALWAYS_SUCCEEDS,
					callbackTarget: 'execution',
				}),
				inboundNode(credential, 'Wait', 'wait', {
					uid: '={{ $json.vendor_id }}',
					limitWaitTime: 60,
				}),
			),
		);
		const editor = await openEditor();
		await editor.openWorkflow(id);
		const { page } = editor;
		await page.getByTestId('execute-workflow-button').first().click();

		await waitsAfter(client, id, 'Ask');
		await editor.openNode('Wait');
		await page.getByText(String(waitingNodeTooltip)).first().waitFor();

		expect(await service.emulator.callFrom(ALWAYS_SUCCEEDS)).toMatchObject({ status: 200 });
		await page.getByText('Workflow executed successfully').waitFor();
	});
});
