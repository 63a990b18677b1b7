import { createHash } from 'node:crypto';

import type { IDataObject, INode, INodeParameters, WorkflowExecuteMode } from 'n8n-workflow';

import { checkSeal } from '../../nodes/CallVerification/inbound/callbackSeal';
import { NOW, queryOf, triggerHooks, triggerNode } from './inbound';
import {
	credential,
	execute,
	runNode,
	type RunContext,
	SECRET_KEY,
	verifyNode,
	workflowOf,
} from '../../harness/engine/n8nCore';
import { getNumber } from './parameters';
import { runOn, wire, wireAt } from './wire';

const ANSWER = {
	body: { status: true, vendor_id: 1234567, phone: '7***01', confirmation_number: '78000000000' },
};
const start = (values: INodeParameters = {}) =>
	getNumber({ phone: '+7 900 000-00-01', callbackTarget: 'trigger', callbackUrl: '', ...values });
const forExecution = (options: INodeParameters = {}) =>
	start({ callbackTarget: 'execution', options });
const published = { callVerificationTriggers: { 'trigger-id': 'webhook/hook-id/inbound-call' } };
const TRIGGER_URL = 'https://n8n.test/webhook/hook-id/inbound-call';
const NONE = 'No published trigger was found in this workflow';
let workflows = 0;
/** A process remembers the triggers that were published in a workflow. */
const newWorkflow = () => `workflow-${++workflows}`;

/** Gets a number to call; `callback` is the URL that the service was given. */
const ask = async (parameters: INodeParameters, run: Partial<RunContext> = {}) => {
	const result = await runOn(ANSWER, parameters, run);
	return { ...result, callback: String(result.sent[0]?.fields.callback_url) };
};

const sealOf = (url: string, key = SECRET_KEY, target = '1') =>
	checkSeal(queryOf(url), '79000000001', key, NOW, target);

describe('the target “trigger”', () => {
	it('is found automatically when it is published in the same workflow', async () => {
		const { callback, json } = await ask(start(), { staticData: published });
		expect(callback.startsWith(`${TRIGGER_URL}?exp=`)).toBe(true);
		expect(json.callback_url).toBe(TRIGGER_URL);
	});

	it('is the pasted URL when there is one', async () => {
		const callbackUrl = 'https://other.test/n8n/webhook/abc/inbound-call';
		const { callback } = await ask(start({ callbackUrl }), { staticData: published });
		expect(callback.startsWith(`${callbackUrl}?exp=`)).toBe(true);
	});

	it('is refused with advice when there is none', async () => {
		const { error, sent } = await ask(start(), { workflow: { id: 'without-trigger' } });
		expect(error?.message).toBe(NONE);
		expect(error?.description).toContain('paste the trigger’s production URL');
		expect(error?.description).not.toContain('Code node');
		expect(sent).toEqual([]);
	});

	it('is refused with the likely cause when a Code node erased its entry', async () => {
		const workflow = { id: 'erased-elsewhere', active: true };
		const { error } = await ask(start(), { staticData: { counter: 7 }, workflow });
		expect(error?.message).toBe(NONE);
		expect(error?.description).toContain('a Code node has probably overwritten');
		expect(error?.description).toContain('Unpublish the workflow and publish it again');
	});

	describe('without its entry: on a worker of n8n 2.41, or erased by a Code node', () => {
		interface Run {
			readonly active?: boolean;
			readonly mode?: WorkflowExecuteMode;
			readonly staticData?: IDataObject;
		}
		const askBeside = async (
			trigger: Partial<INode>,
			{ active = false, mode = 'webhook', staticData }: Run = {},
			others: Record<string, INode> = {},
		) => {
			const sent = wire(ANSWER);
			const identity = { id: newWorkflow(), active };
			const workflow = workflowOf([verifyNode(start())], [{}], staticData, undefined, identity);
			Object.assign(workflow.nodes, others, { Trigger: { ...triggerNode(), ...trigger } });
			const run = await execute(workflow, { mode });
			return { sent, workflow, error: run.data.resultData.error };
		};

		it.each([
			{ mode: 'webhook' as const },
			{ mode: 'trigger' as const, staticData: { counter: 7 } },
			{ mode: 'retry' as const, active: true },
		])('is found in the published workflow itself, and nothing is saved (%j)', async (run) => {
			const { sent, workflow } = await askBeside({}, run);
			expect(sent[0]?.fields.callback_url).toContain(`${TRIGGER_URL}?exp=`);
			expect(workflow.staticData.__dataChanged).toBe(false);
		});

		it('is refused if there are several, of which one has an entry again', async () => {
			const callVerificationTriggers = { 'trigger-id': 'webhook/hook-id/inbound-call' };
			const other = { Other: { ...triggerNode({}, 'other-id'), webhookId: 'other' } };
			const run = { staticData: { callVerificationTriggers } };
			const { sent, error } = await askBeside({}, run, other);
			expect(error?.message).toContain('more than one Call Verification Trigger');
			expect(sent).toEqual([]);
		});

		it.each([
			['it is disabled', { disabled: true }, {}],
			['the workflow may not be published', {}, { mode: 'retry' as const }],
			['it has no path of its own', { webhookId: undefined }, {}],
			['it is another trigger', { type: 'n8n-nodes-base.webhook' }, {}],
			['it was unpublished', {}, { staticData: { callVerificationTriggers: {} } }],
		])('is refused if %s', async (_why, trigger, run) => {
			const { sent, error } = await askBeside(trigger, run);
			expect(error?.message).toBe(NONE);
			expect(sent).toEqual([]);
		});
	});

	describe('in a run of the editor without static data: on a worker, or in n8n 1.x', () => {
		const n8nAnswers = (status: number, body: object) =>
			wireAt('https://n8n.test', { status, body });
		const listening = () => n8nAnswers(400, { accepted: false, reason: 'The request has no body' });
		const askByHand = async (items: IDataObject[] = [{}], callbackUrl = '') => {
			const sent = wire(ANSWER);
			const identity = { id: newWorkflow(), active: false };
			const node = verifyNode(start({ callbackUrl }));
			const workflow = workflowOf([node], items, undefined, undefined, identity);
			Object.assign(workflow.nodes, { Trigger: triggerNode() });
			const run = await execute(workflow, { mode: 'manual' });
			return { sent, error: run.data.resultData.error };
		};

		it('is found if it answers, which is asked once without a body', async () => {
			const asked = listening();
			const { sent, error } = await askByHand([{}, {}, {}]);
			expect(error).toBeUndefined();
			expect(sent).toHaveLength(3);
			expect(sent[0]?.fields.callback_url).toContain(`${TRIGGER_URL}?exp=`);
			const { pathname: path } = new URL(TRIGGER_URL);
			const headers = { accept: 'application/json' };
			expect(asked).toMatchObject([{ verb: 'POST', path, body: '', headers }]);
		});

		it.each([
			['n8n does not know the address', 404, { code: 404, message: 'not registered' }],
			['something else answers there', 200, { accepted: true }],
		])('is refused if %s, before anything is sent', async (_why, status, body) => {
			n8nAnswers(status, body);
			const { sent, error } = await askByHand();
			expect(error?.message).toBe(NONE);
			expect(error?.description).toContain('paste the trigger’s production URL');
			expect(sent).toEqual([]);
		});

		it('is refused if another address answers for it', async () => {
			const asked = wireAt('https://elsewhere.test', { body: { accepted: false } });
			const headers = { location: 'https://elsewhere.test/' };
			wireAt('https://n8n.test', { status: 302, body: {}, headers });
			const { error } = await askByHand();
			expect(error?.message).toBe(NONE);
			expect(asked).toEqual([]);
		});

		it('is not guessed if its address cannot be reached, and the error says what to paste', async () => {
			const { sent, error } = await askByHand();
			expect(error?.message).toBe('This run cannot see whether the trigger is published');
			expect(error?.description).toContain('https://n8n.test cannot be reached from here');
			expect(error?.description).toContain('Paste the trigger’s production URL');
			expect(sent).toEqual([]);
		});

		it('is not asked about if its URL was pasted', async () => {
			const asked = listening();
			const { sent } = await askByHand([{}], TRIGGER_URL);
			expect(sent).toHaveLength(1);
			expect(asked).toEqual([]);
		});
	});

	it('is refused with advice when there are several', async () => {
		const staticData = { callVerificationTriggers: { a: 'webhook/a/x', b: 'webhook/b/x' } };
		const { error } = await ask(start(), { staticData });
		expect(error?.message).toContain('more than one Call Verification Trigger');
	});

	it('must not be a test URL in a production run, but may be one in the editor', async () => {
		const parameters = start({ callbackUrl: TRIGGER_URL.replace('webhook', 'webhook-test') });
		const { error, sent } = await ask(parameters);
		expect(error?.message).toContain('is a test URL');
		expect(sent).toEqual([]);

		const manual = await ask(parameters, { mode: 'manual' });
		expect(manual.error).toBeUndefined();
		expect(manual.sent).toHaveLength(1);
	});

	it.each(['ftp://x.test', 'x.test/hook', 'nonsense'])('is not %s', async (callbackUrl) => {
		const { error } = await ask(start({ callbackUrl }));
		expect(error?.message).toBe('“Callback URL” is not a complete URL');
	});
});

it('the target “execution” is the resume URL of this execution', async () => {
	const { callback, json } = await ask(forExecution(), { executionId: '77' });
	const url = 'https://n8n.test/webhook-waiting/77/inbound-call';
	expect(callback.startsWith(`${url}?`)).toBe(true);
	expect(json.callback_url).toBe(url);
});

it('the target “url” is sent unchanged, without a seal', async () => {
	const callbackUrl = 'https://crm.test/hook?ref=1&sig=2#x';
	const { callback, json } = await ask(start({ callbackTarget: 'url', callbackUrl }));
	expect(callback).toBe(callbackUrl);
	expect(json).toMatchObject({ callback_url: callbackUrl, expires_at: null });
});

describe('the seal', () => {
	const sealed = forExecution({ reference: 'contact & 42 #ü' });

	it('matches the number and contains the reference', async () => {
		const { callback } = await ask(sealed);
		expect(sealOf(callback)).toMatchObject({ reference: 'contact & 42 #ü' });
		expect(sealOf(callback, 'another key')).toBe('forged');
		expect(sealOf(callback, SECRET_KEY, '2')).toBe('forged');
	});

	it('names the workflow that has requested the call', async () => {
		const workflow = { id: 'requesting-workflow', active: true };
		const { callback } = await ask(sealed, { workflow });
		expect(sealOf(callback)).toMatchObject({ issuer: 'requesting-workflow' });
		expect(queryOf(callback).iss).toBe('requesting-workflow');
	});

	it('differs for each item, even with the same number and reference', async () => {
		const { sent } = await ask(sealed, { items: [{}, {}, {}] });
		const nonces = sent.map(({ fields }) => queryOf(String(fields.callback_url)).nonce);
		expect(nonces).toEqual(nonces.map(() => expect.stringMatching(/^[\w-]{22}$/)));
		expect(new Set(nonces).size).toBe(3);
	});

	it.each([5, 5.0021])('expires after the chosen time: %f minutes', async (expiresAfter) => {
		const before = Math.floor(Date.now() / 1_000);
		const { callback, json } = await ask(forExecution({ expiresAfter }));
		const exp = Number(queryOf(callback).exp);
		expect(exp - before).toBeGreaterThanOrEqual(300);
		expect(exp - before).toBeLessThan(330);
		expect(json.expires_at).toBe(new Date(exp * 1_000).toISOString());
	});

	it('is nowhere in the execution’s data, and the key not in the URL', async () => {
		const { callback, run } = await ask(sealed);
		const { sig = 'none', nonce = 'none' } = queryOf(callback);
		const stored = JSON.stringify(run);
		for (const secret of [sig, nonce, SECRET_KEY]) expect(stored).not.toContain(secret);
		expect(callback).not.toContain(SECRET_KEY);
		expect(callback).not.toContain(createHash('sha256').update(SECRET_KEY).digest('hex'));
	});

	it('takes a reference of 500 characters and refuses a longer one', async () => {
		const reference = 'x'.repeat(500);
		expect((await ask(forExecution({ reference }))).sent).toHaveLength(1);
		const { error, sent } = await ask(forExecution({ reference: `${reference}x` }));
		expect(error?.message).toBe('“Reference” is longer than 500 characters');
		expect(sent).toEqual([]);
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
			[expect.stringContaining('N8N_WEBHOOK_URL to its public address')],
		],
		['does not appear for a public address', forExecution(), []],
	])('%s', async (_what, parameters, expected) => {
		expect((await ask(parameters)).hints).toEqual(expected);
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
	const global = (staticData: IDataObject, id = newWorkflow()) => {
		const node = triggerNode();
		const workflow = workflowOf([node], [], staticData, undefined, { id });
		return { node, workflow };
	};
	/** As the editor of n8n 1.x runs it, without static data, unless given. */
	const askIn = async (id: string, staticData: IDataObject = {}) => {
		const { error, json } = await ask(start(), {
			staticData,
			mode: 'manual',
			workflow: { id, active: true },
		});
		return error?.message ?? json.callback_url;
	};

	it('registers its path for actions of the same workflow, and unpublishing removes it', async () => {
		const staticData: IDataObject = {};
		const { node, workflow } = global(staticData);
		const hooks = triggerHooks(workflow, node);

		expect(await hooks.checkExists()).toBe(false);
		for (let time = 0; time < 2; time++) {
			expect(await hooks.create()).toBe(true);
			expect(workflow.getStaticData('global')).toMatchObject(published);
			expect(await hooks.checkExists()).toBe(true);
		}
		for (let time = 0; time < 2; time++) {
			expect(await hooks.remove()).toBe(true);
			expect(workflow.getStaticData('global')).toEqual({ callVerificationTriggers: {} });
			expect(await hooks.checkExists()).toBe(false);
		}
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

	it('is remembered for its own workflow, and only while it is published', async () => {
		const { node, workflow } = global({});
		const hooks = triggerHooks(workflow, node);
		await hooks.create();
		expect(await askIn(newWorkflow())).toBe(NONE);
		expect(await askIn(workflow.id, { counter: 7 })).toBe(TRIGGER_URL);
		await hooks.remove();
		expect(await askIn(workflow.id)).toBe(NONE);
	});

	it('is remembered beside another that comes back first, so that neither is taken for the only one', async () => {
		const { node, workflow } = global({});
		const entries = { ...published.callVerificationTriggers, other: 'webhook/other/inbound-call' };
		await askIn(workflow.id, { callVerificationTriggers: entries });
		await triggerHooks(workflow, node).create();
		expect(await askIn(workflow.id)).toContain('more than one Call Verification Trigger');
	});

	it('is remembered after a restart, once an execution has seen it', async () => {
		const id = newWorkflow();
		expect(await askIn(id, { ...published })).toBe(TRIGGER_URL);
		expect(await askIn(id)).toBe(TRIGGER_URL);
		// Unpublished by another n8n process.
		expect(await askIn(id, { callVerificationTriggers: {} })).toBe(NONE);
		expect(await askIn(id)).toBe(NONE);
	});

	it.each([
		['leaves other triggers of the workflow alone', { other: 'webhook/o/x' }, 'webhook' as const],
		[
			'is not affected by listening in the editor',
			published.callVerificationTriggers,
			'manual' as const,
		],
	])('%s', async (_what, callVerificationTriggers, mode) => {
		const { node, workflow } = global({ callVerificationTriggers });
		const hooks = triggerHooks(workflow, node, mode);
		await hooks.create();
		await hooks.remove();
		expect(workflow.getStaticData('global')).toMatchObject({ callVerificationTriggers });
	});
});
