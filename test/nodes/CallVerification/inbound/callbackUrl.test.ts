import type { IDataObject, IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';

import { CallVerificationTrigger } from '../../../../nodes/CallVerification/CallVerificationTrigger.node';
import {
	isPrivateHost,
	readCallbackUrl,
	registeredPaths,
	targetIdOf,
	triggerCallback,
	triggerPathOf,
	unconfirmedPaths,
} from '../../../../nodes/CallVerification/inbound/callbackUrl';
import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { thrownBy } from '../thrown';

describe('a callback URL', () => {
	it.each(['https://crm.test/hook?a=1&b=ü#top', 'http://127.0.0.1:5678/x', 'HTTPS://crm.test'])(
		'is kept unchanged: %s',
		(url) => {
			expect(readCallbackUrl(url)).toBe(url);
		},
	);

	it.each(['', 'crm.test/hook', 'ftp://crm.test', 'javascript:alert(1)', 'https://', undefined, 5])(
		'is not %j',
		(value) => {
			expect(() => readCallbackUrl(value)).toThrow(InputError);
		},
	);

	it('loses the blanks around it', () => {
		expect(readCallbackUrl(' https://crm.test/hook\n')).toBe('https://crm.test/hook');
	});

	it('that is not a URL is refused with what to enter', () => {
		expect(thrownBy(() => readCallbackUrl('view-source:https://crm.test'))).toMatchObject({
			message: '“Callback URL” is not a complete URL',
			advice:
				'Enter a complete URL that the service can reach from the internet, e.g. https://example.com/inbound-call.',
		});
	});
});

const surroundings = (values: object = {}) => ({
	resumeUrl: 'https://n8n.test/webhook-waiting/17?signature=t%2Fk',
	triggerPaths: ['webhook/id/inbound-call'],
	unconfirmedPaths: [],
	isPublished: true,
	isManual: false,
	...values,
});

describe('the URL of a trigger', () => {
	it.each([
		['https://n8n.test/webhook-waiting/17', 'https://n8n.test/webhook/id/inbound-call'],
		['https://n8n.test/webhook-waiting/17?signature=x', 'https://n8n.test/webhook/id/inbound-call'],
		['http://localhost:5678/webhook-waiting/17', 'http://localhost:5678/webhook/id/inbound-call'],
		['https://x.test/sub/n8n/webhook-waiting/17', 'https://x.test/sub/n8n/webhook/id/inbound-call'],
	])('follows the base of %s', (resumeUrl, url) => {
		expect(triggerCallback('', surroundings({ resumeUrl }))).toBe(url);
	});

	it.each([
		['https://n8n.test/webhook/id/inbound-call', 'id', 'webhook/id/inbound-call'],
		['https://x.test/sub/n8n/hooks/id/inbound-call', 'id', 'hooks/id/inbound-call'],
		['https://x.test/sub/webhook/w/node/inbound-call', undefined, 'webhook/w/node/inbound-call'],
	])('leaves only its own part behind: %s (webhook ID %s)', (url, webhookId, path) => {
		expect(triggerPathOf(url, webhookId)).toBe(path);
	});

	it.each(['', '  ', undefined, null])('is looked for when %j was pasted', (pasted) => {
		expect(triggerCallback(pasted, surroundings())).toBe(
			'https://n8n.test/webhook/id/inbound-call',
		);
	});

	it.each([5, false, {}, ['https://n8n.test/webhook/id/inbound-call']])(
		'is not looked for when %j was entered, but refused',
		(entered) => {
			expect(thrownBy(() => triggerCallback(entered, surroundings()))).toMatchObject({
				message: '“Callback URL” is not a complete URL',
			});
		},
	);

	it.each([
		['in a published workflow', {}, true],
		['in an editor run', { isManual: true }, true],
		['in a workflow that is not published', { isPublished: false }, false],
	])('that is missing %s may have been erased: %j', (_where, values, mayBeErased) => {
		const where = surroundings({ triggerPaths: [], ...values });
		const { message, advice } = thrownBy(() => triggerCallback('', where)) as InputError;
		expect(message).toBe('No published trigger was found in this workflow');
		expect(advice).toContain('paste the trigger’s production URL');
		expect(advice?.includes('a Code node has probably overwritten')).toBe(mayBeErased);
		expect(advice?.includes('Unpublish the workflow and publish it again')).toBe(mayBeErased);
	});

	it('may contain “webhook-test” as part of a longer name', () => {
		const url = 'https://n8n.test/my-webhook-tests/x';
		expect(triggerCallback(url, surroundings())).toBe(url);
	});
});

describe('the target of a callback', () => {
	it.each([
		['https://n8n.test/webhook/id/inbound-call', 'id'],
		['https://n8n.test/webhook-test/id/inbound-call', 'id'],
		['https://n8n.test/sub/webhook-waiting/17/inbound-call?signature=t', '17'],
		['https://gateway.test/calls', undefined],
		['https://gateway.test/n8n/calls', undefined],
		['https://gateway.test/inbound-call', undefined],
		['https://gateway.test/', undefined],
	])('of %s is %j', (url, target) => {
		expect(targetIdOf(url)).toBe(target);
	});
});

describe('the webhook of a trigger', () => {
	it('is opened for what the service posts to the URL of its seal', () => {
		const { webhooks = [] } = new CallVerificationTrigger().description;
		const opened = webhooks.filter(({ restartWebhook }) => restartWebhook !== true);
		expect(opened.map(({ httpMethod }) => httpMethod)).toEqual(['POST']);
		expect(opened.map(({ path }) => targetIdOf(`https://n8n.test/webhook/id/${path}`))).toEqual([
			'id',
		]);
	});
});

describe('the triggers of a workflow', () => {
	const TRIGGER = {
		type: 'n8n-nodes-call-verification.callVerificationTrigger',
		webhookId: 'hook-id',
	};
	const PATH = 'webhook/hook-id/inbound-call';
	const inside = {
		workflow: { nodes: { Trigger: TRIGGER } },
		additionalData: { webhookBaseUrl: 'https://n8n.test/webhook' },
	};
	let workflows = 0;

	interface Run {
		readonly mode?: WorkflowExecuteMode;
		readonly registry?: IDataObject;
		/** What n8n has no methods for. */
		readonly values?: object;
	}

	/** In a published workflow of its own, because a process remembers what it has seen there. */
	const run = ({ mode = 'webhook', registry, values = {} }: Run = {}) => {
		const workflow = { id: `workflow ${++workflows}`, active: true };
		return {
			getMode: () => mode,
			getWorkflow: () => workflow,
			getWorkflowStaticData: () => (registry ? { callVerificationTriggers: registry } : {}),
			...inside,
			...values,
		} as unknown as IExecuteFunctions;
	};

	it('are found without an entry where n8n keeps the nodes', () => {
		expect(registeredPaths(run())).toEqual([PATH]);
	});

	it.each([
		['no workflow', { workflow: undefined }],
		['no nodes', { workflow: {} }],
		['nothing under the name of a node', { workflow: { nodes: { Trigger: null } } }],
		['no settings', { additionalData: undefined }],
		['no base URL', { additionalData: {} }],
		['a base URL without an endpoint', { additionalData: { webhookBaseUrl: 'https://n8n.test/' } }],
	])('are none if another n8n has %s there', (_what, values) => {
		expect(registeredPaths(run({ values }))).toEqual([]);
	});

	it('are those with an entry, as long as none lacks one', () => {
		const registry = { 'trigger-id': 'webhook/old-id/inbound-call' };
		expect(registeredPaths(run({ registry }))).toEqual(['webhook/old-id/inbound-call']);
	});

	it('have texts for entries, whatever a Code node has written there', () => {
		const registry = { one: 5, 'trigger-id': PATH, other: null };
		expect(registeredPaths(run({ mode: 'manual', registry }))).toEqual([PATH]);
	});

	it('may not be published as the editor has them, so they are to be confirmed', () => {
		expect(registeredPaths(run({ mode: 'manual' }))).toEqual([]);
		expect(unconfirmedPaths(run({ mode: 'manual' }))).toEqual([PATH]);
	});

	it.each<[string, Run]>([
		['a production run', {}],
		['a run of the editor that sees that all were unpublished', { mode: 'manual', registry: {} }],
	])('are not to be confirmed in %s', (_what, values) => {
		expect(unconfirmedPaths(run(values))).toEqual([]);
	});
});

describe('a host that cannot be reached from the internet', () => {
	const PRIVATE = `
		http://localhost:5678/x http://n8n:5678 http://127.0.0.1 http://10.1.2.3 http://172.16.0.1
		http://172.31.255.255 http://192.168.1.1 http://169.254.1.1 http://100.64.0.1 http://0.0.0.0
		http://[::1]:5678 http://[fd00::1] http://[fe80::1] http://[::ffff:10.0.0.1]
		http://nas.local http://n8n.internal http://app.localhost http://router.lan
	`;
	const PUBLIC = `
		https://n8n.example.com http://8.8.8.8 http://172.32.0.1 http://11.0.0.1 http://100.128.0.1
		http://[2001:db8::1] https://localhost.example.com https://mylocal.com https://n8n.local.example.com
	`;

	it.each(PRIVATE.trim().split(/\s+/))('is %s', (url) => {
		expect(isPrivateHost(url)).toBe(true);
	});

	it.each(PUBLIC.trim().split(/\s+/))('is not %s', (url) => {
		expect(isPrivateHost(url)).toBe(false);
	});
});
