import { createHash } from 'node:crypto';

import type { IDataObject, INode, INodeParameters, WorkflowExecuteMode } from 'n8n-workflow';

import { checkSeal } from '../../nodes/CallVerification/inbound/callbackSeal';
import { queryOf, triggerHooks, triggerNode } from './inbound';
import {
	credential,
	execute,
	runNode,
	SECRET_KEY,
	verifyNode,
	workflowOf,
} from '../../harness/engine/n8nCore';
import { getNumber } from './parameters';
import { wire, wireAt } from './wire';

const ANSWER = {
	body: { status: true, vendor_id: 1234567, phone: '7***01', confirmation_number: '78000000000' },
};
const PHONE = '79000000001';
const start = (values: INodeParameters = {}) =>
	getNumber({ phone: '+7 900 000-00-01', callbackTarget: 'trigger', callbackUrl: '', ...values });
const published = { callVerificationTriggers: { 'trigger-id': 'webhook/hook-id/inbound-call' } };

const callbackOf = (sent: Array<{ fields: IDataObject | Record<string, unknown> }>): string =>
	String(sent[0]?.fields.callback_url);

const sealOf = (url: string, key = SECRET_KEY, target = '1') =>
	checkSeal(queryOf(url), PHONE, key, Math.floor(Date.now() / 1_000), target);

describe('the target “trigger”', () => {
	it('is found automatically when it is published in the same workflow', async () => {
		const sent = wire(ANSWER);
		const { success } = await runNode({ parameters: start(), staticData: published });
		expect(callbackOf(sent)).toMatch(/^https:\/\/n8n\.test\/webhook\/hook-id\/inbound-call\?exp=/);
		expect(success[0]?.json.callback_url).toBe('https://n8n.test/webhook/hook-id/inbound-call');
	});

	it('is the pasted URL when there is one', async () => {
		const sent = wire(ANSWER);
		const callbackUrl = 'https://other.test/n8n/webhook/abc/inbound-call';
		await runNode({ parameters: start({ callbackUrl }), staticData: published });
		expect(callbackOf(sent).startsWith(`${callbackUrl}?exp=`)).toBe(true);
	});

	it('is refused with advice when there is none', async () => {
		const sent = wire(ANSWER);
		const { error } = await runNode({ parameters: start(), workflow: { id: 'without-trigger' } });
		expect(error?.message).toBe('No published trigger was found in this workflow');
		expect(error?.description).toContain('paste the trigger’s production URL');
		expect(error?.description).not.toContain('Code node');
		expect(sent).toEqual([]);
	});

	it('is refused with the likely cause when a Code node erased its entry', async () => {
		const { error } = await runNode({
			parameters: start(),
			staticData: { counter: 7 },
			workflow: { id: 'erased-elsewhere', active: true },
		});
		expect(error?.message).toBe('No published trigger was found in this workflow');
		expect(error?.description).toContain('a Code node has probably overwritten');
		expect(error?.description).toContain('Unpublish the workflow and publish it again');
	});

	describe('without static data, as on a worker of n8n 2.41', () => {
		const askBeside = async (
			trigger: Partial<INode>,
			{ active = false, mode = 'webhook' }: { active?: boolean; mode?: WorkflowExecuteMode } = {},
		) => {
			const sent = wire(ANSWER);
			const workflow = workflowOf([verifyNode(start())], [{}], undefined, undefined, {
				id: 'on-a-worker',
				active,
			});
			workflow.nodes.Trigger = { ...triggerNode(), ...trigger };
			const run = await execute(workflow, { mode });
			return { sent, workflow, error: run.data.resultData.error };
		};

		it.each([
			{ mode: 'webhook' as const },
			{ mode: 'trigger' as const },
			{ mode: 'retry' as const, active: true },
		])('is found in the published workflow itself, and nothing is saved (%j)', async (run) => {
			const { sent, workflow } = await askBeside({}, run);
			expect(callbackOf(sent)).toMatch(
				/^https:\/\/n8n\.test\/webhook\/hook-id\/inbound-call\?exp=/,
			);
			expect(workflow.staticData.__dataChanged).toBe(false);
		});

		it.each([
			['it is disabled', { disabled: true }, {}],
			['the workflow may not be published', {}, { mode: 'retry' as const }],
			['the editor runs the workflow', {}, { mode: 'manual' as const, active: true }],
			['it has no path of its own', { webhookId: undefined }, {}],
			['it is another trigger', { type: 'n8n-nodes-base.webhook' }, {}],
		])('is refused if %s', async (_why, trigger, run) => {
			const { sent, error } = await askBeside(trigger, run);
			expect(error?.message).toBe('No published trigger was found in this workflow');
			expect(sent).toEqual([]);
		});
	});

	it('is refused with advice when there are several', async () => {
		const staticData = { callVerificationTriggers: { a: 'webhook/a/x', b: 'webhook/b/x' } };
		const { error } = await runNode({ parameters: start(), staticData });
		expect(error?.message).toContain('more than one published Call Verification Trigger');
	});

	it('must not be a test URL in a production run, but may be one in the editor', async () => {
		const sent = wire(ANSWER);
		const callbackUrl = 'https://n8n.test/webhook-test/hook-id/inbound-call';
		const { error } = await runNode({ parameters: start({ callbackUrl }) });
		expect(error?.message).toContain('is a test URL');
		expect(sent).toEqual([]);

		const manual = await runNode({ parameters: start({ callbackUrl }), mode: 'manual' });
		expect(manual.error).toBeUndefined();
		expect(sent).toHaveLength(1);
	});

	it.each(['ftp://x.test', 'x.test/hook', 'nonsense'])('is not %s', async (callbackUrl) => {
		const { error } = await runNode({ parameters: start({ callbackUrl }) });
		expect(error?.message).toBe('“Callback URL” is not a complete URL');
	});
});

describe('the target “execution”', () => {
	it('is the resume URL of this execution', async () => {
		const sent = wire(ANSWER);
		const { success } = await runNode({
			parameters: start({ callbackTarget: 'execution' }),
			executionId: '77',
		});
		expect(callbackOf(sent)).toMatch(/^https:\/\/n8n\.test\/webhook-waiting\/77\/inbound-call\?/);
		expect(success[0]?.json.callback_url).toBe('https://n8n.test/webhook-waiting/77/inbound-call');
	});
});

describe('the target “url”', () => {
	it('is sent unchanged, without a seal', async () => {
		const sent = wire(ANSWER);
		const callbackUrl = 'https://crm.test/hook?ref=1&sig=2#x';
		const { success } = await runNode({
			parameters: start({ callbackTarget: 'url', callbackUrl }),
		});
		expect(callbackOf(sent)).toBe(callbackUrl);
		expect(success[0]?.json).toMatchObject({ callback_url: callbackUrl, expires_at: null });
	});
});

describe('the seal', () => {
	const sealed = start({ callbackTarget: 'execution', options: { reference: 'contact & 42 #ü' } });

	it('matches the number and contains the reference', async () => {
		const sent = wire(ANSWER);
		await runNode({ parameters: sealed });
		expect(sealOf(callbackOf(sent))).toMatchObject({ reference: 'contact & 42 #ü' });
		expect(sealOf(callbackOf(sent), 'another key')).toBe('forged');
		expect(sealOf(callbackOf(sent), SECRET_KEY, '2')).toBe('forged');
	});

	it('differs for each item, even with the same number and reference', async () => {
		const sent = wire(ANSWER);
		await runNode({ parameters: sealed, items: [{}, {}, {}] });
		const nonces = sent.map(({ fields }) => queryOf(String(fields.callback_url)).nonce);
		expect(nonces).toEqual(nonces.map(() => expect.stringMatching(/^[\w-]{22}$/)));
		expect(new Set(nonces).size).toBe(3);
	});

	it.each([5, 5.0021])('expires after the chosen time: %f minutes', async (expiresAfter) => {
		const sent = wire(ANSWER);
		const before = Math.floor(Date.now() / 1_000);
		const { success } = await runNode({
			parameters: start({ callbackTarget: 'execution', options: { expiresAfter } }),
		});
		const exp = Number(queryOf(callbackOf(sent)).exp);
		expect(exp - before).toBeGreaterThanOrEqual(300);
		expect(exp - before).toBeLessThan(330);
		expect(success[0]?.json.expires_at).toBe(new Date(exp * 1_000).toISOString());
	});

	it('is nowhere in the execution’s data, and the key not in the URL', async () => {
		const sent = wire(ANSWER);
		const { run } = await runNode({ parameters: sealed });
		const { sig = 'none', nonce = 'none' } = queryOf(callbackOf(sent));
		const stored = JSON.stringify(run);
		expect(stored).not.toContain(sig);
		expect(stored).not.toContain(nonce);
		expect(stored).not.toContain(SECRET_KEY);
		expect(callbackOf(sent)).not.toContain(SECRET_KEY);
		expect(callbackOf(sent)).not.toContain(createHash('sha256').update(SECRET_KEY).digest('hex'));
	});

	it('takes a reference of 500 characters and refuses a longer one', async () => {
		const sent = wire(ANSWER);
		const reference = (length: number) =>
			start({ callbackTarget: 'execution', options: { reference: 'x'.repeat(length) } });
		expect((await runNode({ parameters: reference(500) })).error).toBeUndefined();
		const { error } = await runNode({ parameters: reference(501) });
		expect(error?.message).toBe('“Reference” is longer than 500 characters');
		expect(sent).toHaveLength(1);
	});
});

describe('a warning about the callback URL', () => {
	const LOCAL = 'http://localhost:5678';

	it.each([
		[
			'appears when the service cannot reach it',
			start({ callbackTarget: 'url', callbackUrl: `${LOCAL}/hook` }),
			[
				'The service will report the call to localhost:5678, which cannot be reached from the internet. Enter a URL that the service can reach.',
			],
		],
		[
			'names n8n’s setting for a trigger',
			start({ callbackUrl: `${LOCAL}/webhook/id/inbound-call` }),
			[expect.stringContaining('Set n8n’s WEBHOOK_URL')],
		],
		['does not appear for a public address', start({ callbackTarget: 'execution' }), []],
	])('%s', async (_what, parameters, expected) => {
		wire(ANSWER);
		expect((await runNode({ parameters })).hints).toEqual(expected);
	});

	it('does not appear when the service is local too', async () => {
		const baseUrl = 'http://127.0.0.1:8090';
		wireAt(baseUrl, ANSWER);
		const { hints } = await runNode({
			parameters: start({ callbackTarget: 'url', callbackUrl: `${LOCAL}/hook` }),
			credential: credential({ baseUrl }),
		});
		expect(hints).toEqual([]);
	});
});

describe('publishing a trigger', () => {
	/** A separate workflow each time: a process remembers the triggers published in a workflow. */
	let workflows = 0;
	const global = (staticData: IDataObject, id = `published-${++workflows}`) => {
		const node = triggerNode();
		const workflow = workflowOf([node], [], staticData, undefined, { id });
		return { node, workflow };
	};
	const askIn = async (id: string, staticData: IDataObject) => {
		wire(ANSWER);
		const { error, success } = await runNode({
			parameters: start(),
			staticData,
			workflow: { id, active: true },
		});
		return error?.message ?? success[0]?.json.callback_url;
	};

	it('registers its path for actions of the same workflow, and unpublishing removes it', async () => {
		const staticData: IDataObject = {};
		const { node, workflow } = global(staticData);
		const hooks = triggerHooks(workflow, node);

		expect(await hooks.checkExists()).toBe(false);
		expect(await hooks.create()).toBe(true);
		expect(workflow.getStaticData('global')).toMatchObject(published);
		expect(await hooks.checkExists()).toBe(true);
		expect(await hooks.create()).toBe(true);
		expect(workflow.getStaticData('global')).toMatchObject(published);

		expect(await hooks.remove()).toBe(true);
		expect(await hooks.remove()).toBe(true);
		expect(workflow.getStaticData('global')).toMatchObject({ callVerificationTriggers: {} });
		expect(await hooks.checkExists()).toBe(false);
	});

	it('registers the longer path that n8n gives a trigger without a webhook ID', async () => {
		const { node, workflow } = global({}, 'imported');
		delete node.webhookId;
		await triggerHooks(workflow, node).create();
		expect(workflow.getStaticData('global')).toMatchObject({
			callVerificationTriggers: { [node.id]: 'webhook/imported/trigger/inbound-call' },
		});
	});

	it('cannot be published without a webhook ID, if n8n would not find it by its name', async () => {
		const { workflow } = global({});
		const node = { ...triggerNode(), name: 'Call Verification Trigger', webhookId: undefined };
		await expect(triggerHooks(workflow, node).checkExists()).rejects.toThrow('no webhook ID');
	});

	it('survives a Code node that saves its own copy of the static data, and is put back', async () => {
		const { node, workflow } = global({});
		await triggerHooks(workflow, node).create();
		// The execution began before the publishing and ended after it, so n8n overwrote the data with its copy.
		const erased = { counter: 7 };
		const sent = wire(ANSWER);
		const later = workflowOf([verifyNode(start())], [{}], erased, undefined, { id: workflow.id });
		const run = await execute(later);
		expect(run.data.resultData.error).toBeUndefined();
		expect(callbackOf(sent)).toMatch(/^https:\/\/n8n\.test\/webhook\/hook-id\/inbound-call\?/);
		// What n8n saves after the execution, for other processes and for restarts.
		expect(later.getStaticData('global')).toEqual({ counter: 7, ...published });
		expect(later.staticData.__dataChanged).toBe(true);
	});

	it('is remembered for its own workflow, and only while it is published', async () => {
		const { node, workflow } = global({});
		const hooks = triggerHooks(workflow, node);
		await hooks.create();
		expect(await askIn('another', {})).toBe('No published trigger was found in this workflow');
		expect(await askIn(workflow.id, {})).toBe('https://n8n.test/webhook/hook-id/inbound-call');
		await hooks.remove();
		expect(await askIn(workflow.id, {})).toBe('No published trigger was found in this workflow');
	});

	it('is overruled by the static data where that has an entry', async () => {
		const { node, workflow } = global({});
		await triggerHooks(workflow, node).create();
		// Unpublished by another n8n process.
		const unpublished = { callVerificationTriggers: {} };
		const none = 'No published trigger was found in this workflow';
		expect(await askIn(workflow.id, unpublished)).toBe(none);
		expect(await askIn(workflow.id, {})).toBe(none);
	});

	it('leaves other triggers of the workflow alone', async () => {
		const { node, workflow } = global({ callVerificationTriggers: { other: 'webhook/o/x' } });
		const hooks = triggerHooks(workflow, node);
		await hooks.create();
		await hooks.remove();
		expect(workflow.getStaticData('global')).toMatchObject({
			callVerificationTriggers: { other: 'webhook/o/x' },
		});
	});

	it('is not affected by listening in the editor', async () => {
		const { node, workflow } = global({ ...published });
		const hooks = triggerHooks(workflow, node, 'manual');
		await hooks.create();
		await hooks.remove();
		expect(workflow.getStaticData('global')).toMatchObject(published);
	});
});
