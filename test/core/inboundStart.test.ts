import { createHash } from 'node:crypto';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { checkSeal } from '../../nodes/CallVerification/api/callbackSeal';
import { queryOf, triggerHooks, triggerNode } from './inbound';
import { credential, runNode, SECRET_KEY, workflowOf } from './n8nCore';
import { service, serviceAt } from './service';

const ANSWER = {
	body: { status: true, vendor_id: 1234567, phone: '7***01', confirmation_number: '78000000000' },
};
const PHONE = '79000000001';
const start = (values: INodeParameters = {}): INodeParameters => ({
	resource: 'inboundCall',
	operation: 'start',
	phone: '+7 900 000-00-01',
	callbackTarget: 'trigger',
	callbackUrl: '',
	options: {},
	...values,
});
const published = { callVerificationTriggers: { 'trigger-id': 'webhook/hook-id/inbound-call' } };

const callbackOf = (sent: Array<{ fields: IDataObject | Record<string, unknown> }>): string =>
	String(sent[0]?.fields.callback_url);

const sealOf = (url: string, key = SECRET_KEY, target = '1') =>
	checkSeal(queryOf(url), PHONE, key, Math.floor(Date.now() / 1_000), target);

describe('the target “trigger”', () => {
	it('is found by itself when it is published in the same workflow', async () => {
		const sent = service(ANSWER);
		const { success } = await runNode({ parameters: start(), staticData: published });
		expect(callbackOf(sent)).toMatch(/^https:\/\/n8n\.test\/webhook\/hook-id\/inbound-call\?exp=/);
		expect(success[0]?.json.callback_url).toBe('https://n8n.test/webhook/hook-id/inbound-call');
	});

	it('is the pasted URL when there is one', async () => {
		const sent = service(ANSWER);
		const callbackUrl = 'https://other.test/n8n/webhook/abc/inbound-call';
		await runNode({ parameters: start({ callbackUrl }), staticData: published });
		expect(callbackOf(sent).startsWith(`${callbackUrl}?exp=`)).toBe(true);
	});

	it('is refused with advice when there is none', async () => {
		const sent = service(ANSWER);
		const { error } = await runNode({ parameters: start() });
		expect(error?.message).toBe('No published trigger was found in this workflow');
		expect(error?.description).toContain('paste the trigger’s production URL');
		expect(sent).toEqual([]);
	});

	it('is refused with advice when there are several', async () => {
		const staticData = { callVerificationTriggers: { a: 'webhook/a/x', b: 'webhook/b/x' } };
		const { error } = await runNode({ parameters: start(), staticData });
		expect(error?.message).toContain('more than one published Call Verification Trigger');
	});

	it('is no test URL in a production run, but may be one in the editor', async () => {
		const sent = service(ANSWER);
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
		expect(error?.message).toBe('The callback URL is not a web address');
	});
});

describe('the target “execution”', () => {
	it('is the resume URL of this execution', async () => {
		const sent = service(ANSWER);
		const { success } = await runNode({
			parameters: start({ callbackTarget: 'execution' }),
			executionId: '77',
		});
		expect(callbackOf(sent)).toMatch(/^https:\/\/n8n\.test\/webhook-waiting\/77\/inbound-call\?/);
		expect(success[0]?.json.callback_url).toBe('https://n8n.test/webhook-waiting/77/inbound-call');
	});
});

describe('the target “url”', () => {
	it('is sent as it is, without a seal', async () => {
		const sent = service(ANSWER);
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

	it('is right for the number, with the reference in it', async () => {
		const sent = service(ANSWER);
		await runNode({ parameters: sealed });
		expect(sealOf(callbackOf(sent))).toMatchObject({ ok: true, reference: 'contact & 42 #ü' });
		expect(sealOf(callbackOf(sent), 'another key')).toEqual({ ok: false, reason: 'forged' });
		expect(sealOf(callbackOf(sent), SECRET_KEY, '2')).toEqual({ ok: false, reason: 'forged' });
	});

	it('expires when it was told to', async () => {
		const sent = service(ANSWER);
		const before = Math.floor(Date.now() / 1_000);
		const { success } = await runNode({
			parameters: start({ callbackTarget: 'execution', options: { expiresAfter: 5 } }),
		});
		const exp = Number(queryOf(callbackOf(sent)).exp);
		expect(exp - before).toBeGreaterThanOrEqual(300);
		expect(exp - before).toBeLessThan(330);
		expect(success[0]?.json.expires_at).toBe(new Date(exp * 1_000).toISOString());
	});

	it('is nowhere in the execution’s data, and the key not in the URL', async () => {
		const sent = service(ANSWER);
		const { run } = await runNode({ parameters: sealed });
		const signature = queryOf(callbackOf(sent)).sig ?? 'none';
		const stored = JSON.stringify(run);
		expect(stored).not.toContain(signature);
		expect(stored).not.toContain(SECRET_KEY);
		expect(callbackOf(sent)).not.toContain(SECRET_KEY);
		expect(callbackOf(sent)).not.toContain(createHash('sha256').update(SECRET_KEY).digest('hex'));
	});

	it('takes a reference of 500 characters and refuses a longer one', async () => {
		const sent = service(ANSWER);
		const reference = (length: number) =>
			start({ callbackTarget: 'execution', options: { reference: 'x'.repeat(length) } });
		expect((await runNode({ parameters: reference(500) })).error).toBeUndefined();
		const { error } = await runNode({ parameters: reference(501) });
		expect(error?.message).toBe('The reference is longer than 500 characters');
		expect(sent).toHaveLength(1);
	});
});

describe('a callback that nobody can reach', () => {
	it('is warned about when the service is somewhere else', async () => {
		service(ANSWER);
		const { hints } = await runNode({
			parameters: start({ callbackTarget: 'url', callbackUrl: 'http://localhost:5678/hook' }),
		});
		expect(hints).toEqual([expect.stringContaining('localhost:5678, which cannot be reached')]);
	});

	it('is no matter when the service is local too', async () => {
		serviceAt('http://127.0.0.1:8090', ANSWER);
		const { hints } = await runNode({
			parameters: start({ callbackTarget: 'url', callbackUrl: 'http://localhost:5678/hook' }),
			credential: credential({ baseUrl: 'http://127.0.0.1:8090' }),
		});
		expect(hints).toEqual([]);
	});

	it('is not warned about without reason', async () => {
		service(ANSWER);
		const { hints } = await runNode({
			parameters: start({ callbackTarget: 'url', callbackUrl: 'https://crm.example.com/hook' }),
		});
		expect(hints).toEqual([]);
	});
});

describe('publishing a trigger', () => {
	const global = (staticData: IDataObject) => {
		const node = triggerNode();
		const workflow = workflowOf([node], [], staticData);
		return { node, workflow };
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

	it('leaves other triggers of the workflow alone', async () => {
		const { node, workflow } = global({ callVerificationTriggers: { other: 'webhook/o/x' } });
		const hooks = triggerHooks(workflow, node);
		await hooks.create();
		await hooks.remove();
		expect(workflow.getStaticData('global')).toMatchObject({
			callVerificationTriggers: { other: 'webhook/o/x' },
		});
	});

	it('is not what listening in the editor does', async () => {
		const { node, workflow } = global({ ...published });
		const hooks = triggerHooks(workflow, node, 'manual');
		await hooks.create();
		await hooks.remove();
		expect(workflow.getStaticData('global')).toMatchObject(published);
	});
});
