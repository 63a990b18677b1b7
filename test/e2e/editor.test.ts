import type { IDataObject, INodeTypeDescription } from 'n8n-workflow';
import type { Browser } from 'playwright-core';
import { fetch } from 'undici';
import { z } from 'zod';

import { CallVerification } from '../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../nodes/CallVerification/CallVerificationTrigger.node';
import { resources } from '../../nodes/CallVerification/operations';
import { ALWAYS_SUCCEEDS } from '../../emulator/service/numbers';
import { launchChromium } from '../../harness/browser/chromium';
import { Editor } from '../../harness/browser/editor';
import { freshConnections } from '../../harness/rest/restSession';
import { chain, manualTrigger } from '../../harness/rest/workflowFile';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import {
	ACTION_NODE,
	actionNode,
	inboundNode,
	loadedOperations,
	NODE,
	type OperationParameters,
	triggerNode,
	workflowWith,
} from '../../harness/workflows/nodeRunner';
import { describeIfChromium } from './inBrowser';
import { describeInN8n } from './inN8n';
import panelTable from './panelTable.json';
import { testButtonWords } from './testButtonWords';
import { waitsAfter } from './waitsAfter';

const COLUMNS = 4;
const RINGS = 'one phone rings per item';
const LIMIT = 'add “Max Total Cost” under Options';
const PUBLISH = 'this only works in a published workflow';

const check = { resource: 'phoneNumber', operation: 'check', phone: '={{ $json.phone }}' };
const icons = z.object({ light: z.string(), dark: z.string() });
const { builderHint, usableAsTool, waitingNodeTooltip } = new CallVerification().description;
const asTool = typeof usableAsTool === 'object' ? usableAsTool.replacements?.description : '';

describeInN8n('the node', {}, (n8n) => {
	test('has a special description where it is offered as a tool, and elsewhere the usual one', async () => {
		const types = await n8n.client.nodeTypes.ofPackage('n8n-nodes-call-verification');
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
		const types = [
			...(await n8n.client.nodeTypes.ofPackage('n8n-nodes-call-verification')),
			await n8n.client.nodeTypes.credential(CREDENTIAL_TYPE),
		];
		const { cookie } = n8n.client.session.authentication;
		for (const type of types) {
			const { light, dark } = icons.parse(type?.iconUrl);
			for (const path of [light, dark]) {
				const answer = await fetch(`${n8n.url}/${path}`, {
					headers: { cookie },
					dispatcher: freshConnections,
				});
				expect([answer.status, await answer.text()]).toEqual([
					200,
					expect.stringContaining('<svg'),
				]);
			}
		}
	});

	// The newest release line only.
	if (n8n.line !== '2.x') return;

	describeIfChromium('in the editor', () => {
		let browser: Browser;
		let editor: Editor;

		beforeAll(async () => {
			browser = await launchChromium();
			editor = await Editor.open(browser, n8n.client);
		});

		afterAll(async () => await browser?.close());

		describe('the node picker', () => {
			beforeAll(async () => {
				const { id } = await n8n.client.workflows.create(chain('Picking', manualTrigger));
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
				await editor.page
					.getByText(new CallVerificationTrigger().description.description)
					.waitFor();
			});

			test('shows what the node can do, what most people want first', async () => {
				await editor.picker.find('verify', 'Call Verification');

				const actions = resources.flatMap(({ operations }) =>
					operations.map(({ action }) => action),
				);
				const offered = await editor.picker.choose('Call Verification');
				expect(offered.filter((name) => actions.includes(name))).toEqual(actions);
			});
		});

		describe('the form of the credential', () => {
			beforeAll(async () => {
				const parameters = { resource: 'account', operation: 'getBalance' };
				const { id } = await n8n.client.workflows.create(workflowWith(n8n.credential, parameters));
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
				await editor.credentialForm.fill('secretKey', n8n.emulator.secretKey);
				await editor.credentialForm.save();

				await editor.credentialForm.waitForGreen();
			});
		});

		describe('a run in the editor', () => {
			test.each<[hint: string, parameters: OperationParameters]>([
				[RINGS, { resource: 'call', operation: 'start', phone: '={{ $json.phone }}' }],
				[LIMIT, check],
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
				const panel = await openNodeWith({ ...check, phone: '+7 900 000-00-01' });

				await panel.execute();
				await panel.waitForOutputText('North Line');

				expect(await panel.columnsInSight()).toEqual(
					expect.arrayContaining(['valid', 'phone_e164', 'mobile', 'operator']),
				);
				expect(await panel.outputText()).not.toMatch(/null|empty|undefined/);
			});

			test('keeps the columns of a list when told to', async () => {
				const panel = await openNodeWith({ ...check, options: { includeInputFields: true } }, [
					{ name: 'Ann', phone: '+7 900 000-00-01', error: 'bounced' },
				]);

				await panel.execute();

				await panel.waitForOutputText('input_error');
				const [first, second, third] = await panel.columnsInSight();
				expect([first, second, third]).toEqual(['name', 'phone', 'input_error']);
			});

			test('of a list shows in one line what was done and what it cost', async () => {
				const phones = ['+7 900 000-00-01', '79000000001', '+7 000 000-00-01'];
				const panel = await openNodeWith(
					check,
					phones.map((phone) => ({ phone })),
				);

				await panel.execute();

				await panel.waitForOutputText(
					'3 of 3 items done, 1 invalid, 1 duplicate request avoided, total cost 0.05',
				);
			});

			test('that fails shows what happened, what to do, and a link to more', async () => {
				const panel = await openNodeWith({ resource: 'call', operation: 'get', uid: 123 });

				await panel.execute();

				const { message, description } = await panel.error();
				expect(message).toContain('uid 123 is no call');
				expect(description).toContain('the call ID');
				// As a link: its tags are not part of what people read.
				expect(description).toMatch(/ More about this error$/);
			});

			test('that waits for a call says in the node’s panel what it waits for, and continues when the call comes', async () => {
				const { id } = await n8n.client.workflows.create(
					chain(
						'Waits in the editor',
						manualTrigger,
						inboundNode(n8n.credential, 'Ask', 'start', {
							phone: ALWAYS_SUCCEEDS,
							callbackTarget: 'execution',
						}),
						inboundNode(n8n.credential, 'Wait', 'wait', {
							uid: '={{ $json.vendor_id }}',
							limitWaitTime: 60,
						}),
					),
				);
				await editor.openWorkflow(id);
				const { page } = editor;
				await page.getByTestId('execute-workflow-button').first().click();

				await waitsAfter(n8n.client, id, 'Ask');
				await editor.openNode('Wait');
				await page.getByText(String(waitingNodeTooltip)).first().waitFor();

				expect(await n8n.emulator.callFrom(ALWAYS_SUCCEEDS)).toMatchObject({ status: 200 });
				await page.getByText('Workflow executed successfully').waitFor();
			});

			async function openNodeWith(parameters: OperationParameters, items?: readonly IDataObject[]) {
				const workflow = workflowWith(n8n.credential, parameters, { items });
				const { id } = await n8n.client.workflows.create(workflow);
				await editor.openWorkflow(id);
				return await editor.openNode(NODE);
			}
		});

		// The last one changes a workflow and does not save it.
		describe('the panel of the node', () => {
			beforeAll(async () => {
				const actions = panelTable.action.map(({ title, parameters }) => ({
					...actionNode(n8n.credential, parameters),
					id: title,
					name: title,
				}));
				const triggers = panelTable.trigger.map(({ title, parameters }) => ({
					...triggerNode(n8n.credential, title, parameters.eventAuthentication),
					parameters: { ...parameters, options: {} },
				}));
				const nodes = [...triggers, ...actions].map((node, position) => ({
					...node,
					position: placeInGrid(position),
				}));
				const { id } = await n8n.client.workflows.create({
					name: 'Panels',
					nodes,
					connections: {},
				});
				await editor.openWorkflow(id);
			});

			const choices = ['Resource', 'Operation'];
			test.each([
				...panelTable.action.map(({ title, fields }) => [title, [...choices, ...fields]] as const),
				...panelTable.trigger.map(({ title, fields }) => [title, fields] as const),
			])('shows the fields of %s and no others', async (title, fields) => {
				const panel = await editor.openNode(title);
				const shown = await panel.fields();
				await panel.close();

				expect(shown).toEqual(fields);
			});

			test('was looked at for every operation', async () => {
				const looked = panelTable.action.map(
					({ parameters: { resource, operation } }) => `${resource}.${operation}`,
				);

				expect([...new Set(looked)].sort()).toEqual((await loadedOperations(n8n.client)).sort());
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

		test('the console stays free of errors', () => {
			expect(editor.complaints).toEqual([]);
		});
	});
});

function placeInGrid(position: number): [x: number, y: number] {
	return [(position % COLUMNS) * 250, Math.floor(position / COLUMNS) * 200];
}
