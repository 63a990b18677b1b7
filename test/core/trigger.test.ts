import fc from 'fast-check';
import type { Workflow } from 'n8n-workflow';

import type { PostedEvent, Trigger } from './inbound';
import {
	EVENT,
	NOW,
	postToTrigger,
	queryOf,
	sealed,
	triggerHooks,
	triggerNode,
	WaitingExecution,
} from './inbound';
import { credential, workflowOf } from '../../harness/engine/n8nCore';
import { getNumber } from './parameters';
import { runOn } from './wire';

/** The optional fields of an event. */
const OPTIONAL = Object.keys(EVENT).filter((name) => name !== 'callId' && name !== 'clientNumber');
const optional = (value: unknown) => Object.fromEntries(OPTIONAL.map((name) => [name, value]));

let calls = 0;
/** A new call each time, because the trigger remembers the calls it has seen. */
const event = (values: object = {}) => ({
	...EVENT,
	callId: String(5_000_000 + ++calls),
	...values,
});

describe('a genuine event', () => {
	it('starts the workflow with its eight fields, the reference, the issuer and the time', async () => {
		const body = event();
		const result = await postToTrigger({}, { body, query: sealed() });
		expect(result).toMatchObject({ status: 200, answer: { accepted: true } });
		expect(result.items).toEqual([
			{
				...body,
				reference: 'contact-42',
				issued_by: 'workflow-id',
				received_at: expect.stringMatching(/^\d{4}-.*Z$/),
			},
		]);
		expect(typeof result.items?.[0]?.callId).toBe('string');
	});

	it('starts it with text that a database takes', async () => {
		const body = event({ operatorName: 'A\0 \ud83d' });
		const { items } = await postToTrigger({}, { body, query: sealed() });
		expect(items?.[0]?.operatorName).toBe('A\ufffd \ufffd');
	});

	it.each([
		'application/json; charset=utf-8',
		'application/json; was=application/x-www-form-urlencoded',
	])('may be of the type %s', async (type) => {
		const headers = { 'content-type': type };
		const { items } = await postToTrigger({}, { body: event(), query: sealed(), headers });
		expect(items).toHaveLength(1);
	});

	it('is one whose callback the action made with the same credential', async () => {
		const reference = 'Ünï & #1';
		const { sent } = await runOn(
			{ body: { status: true, vendor_id: 1, confirmation_number: '7' } },
			getNumber({ callbackTarget: 'trigger', callbackUrl: '', options: { reference } }),
			{ staticData: { callVerificationTriggers: { t: 'webhook/hook-id/inbound-call' } } },
		);
		const query = queryOf(String(sent[0]?.fields.callback_url));

		const accepted = await postToTrigger({}, { body: event(), query });
		expect(accepted.items?.[0]).toMatchObject({ reference, issued_by: 'workflow-id' });
		const another = { credential: credential({ secretKey: 'another' }) };
		const other = await postToTrigger(another, { body: event(), query });
		expect(other).toMatchObject({ status: 401, items: undefined });
	});

	it.each([
		['numbers instead of texts', { callId: 5_999_001, clientNumber: 79000000001 }],
		['nulls', { operatorName: null, operatorNameMnp: null, regionName: null, isMnp: null }],
		['nothing but call ID and number', optional(undefined)],
		['what nobody can read', optional({ a: [1] })],
	])('may come with %s, and comes out in the documented types', async (_what, values) => {
		const body = event(values);
		const result = await postToTrigger({}, { body, query: sealed() });
		expect(result).toMatchObject({ status: 200, answer: { accepted: true } });
		const [item = {}] = result.items ?? [];
		const { reference: _reference, issued_by: _issuer, received_at: _time, ...fields } = item;
		expect(item).toMatchObject({ callId: String(body.callId), clientNumber: '79000000001' });
		expect(Object.keys(fields).sort()).toEqual(Object.keys(EVENT).sort());
		for (const [name, value] of Object.entries(EVENT)) {
			expect([name, typeof fields[name]]).toEqual([name, typeof value]);
		}
	});
});

describe('any other request starts nothing and is answered', () => {
	it('naming what an honest sender should fix', async () => {
		const { callId: _left, ...body } = EVENT;
		const { answer } = await postToTrigger({}, { body, query: sealed() });
		expect(answer).toMatchObject({ reason: 'The field "callId" is missing or of the wrong type' });
	});

	it('of 1,000 invented ones, none is accepted and all are answered', async () => {
		const real = sealed();
		const value = fc.oneof(
			fc.string(),
			fc.constantFrom(...Object.values(real)),
			fc.integer(),
			fc.array(fc.string()),
			fc.constant(undefined),
		);
		const attack = fc.record({
			body: fc.oneof(
				fc.jsonValue(),
				fc.record({ callId: fc.string(), clientNumber: fc.string() }),
				fc.constant(event()),
				fc
					.record({ clientNumber: fc.constantFrom('79000000002', '7900000000', '+7') })
					.map((change) => event(change)),
			),
			query: fc.record(
				{
					...Object.fromEntries(Object.keys(real).map((name) => [name, value])),
					['__proto__']: fc.constant(real),
				},
				{ requiredKeys: [] },
			),
		});
		let [sent, answered] = [0, 0];
		await fc.assert(
			fc.asyncProperty(attack, async ({ body, query }) => {
				const given = new Map<string, unknown>(Object.entries(query));
				fc.pre(!Object.entries(real).every(([name, part]) => given.get(name) === part));
				sent += 1;
				const { status, items, isHanging } = await postToTrigger({}, { body, query });
				expect(items).toBeUndefined();
				expect(isHanging).toBe(false);
				expect([400, 401]).toContain(status);
				answered += 1;
			}),
			{ numRuns: 1_000 },
		);
		expect(answered).toBe(sent);
	});
});

describe('the setting “Without a Signature”', () => {
	const parameters = { eventAuthentication: 'none' };

	it('accepts an event without a seal, and gives it no reference', async () => {
		const query = { ref: 'forged', iss: 'forged' };
		const result = await postToTrigger({ parameters }, { body: event(), query });
		expect(result.items?.[0]).toMatchObject({ reference: null, issued_by: null });
	});

	it('still refuses what is not an event', async () => {
		expect((await postToTrigger({ parameters }, { body: {} })).status).toBe(400);
	});
});

describe('the IP allowlist', () => {
	const LIST = '192.0.2.10, 2001:db8::/32';

	it.each([
		[LIST, '192.0.2.10', 200],
		[LIST, '::ffff:192.0.2.10', 200],
		[LIST, '2001:db8::1', 200],
		[LIST, '192.0.2.11', 403],
		[LIST, '2001:db9::1', 403],
		['={{ ["192.0.2.10"] }}', '192.0.2.10', 200],
		['={{ ["192.0.2.99"] }}', '192.0.2.10', 403],
	])('%s answers %s with %i', async (ipAllowlist, ip, status) => {
		const parameters = { options: { ipAllowlist } };
		const result = await postToTrigger({ parameters }, { body: event(), query: sealed(), ip });
		expect(result.status).toBe(status);
		expect(result.items === undefined).toBe(status !== 200);
	});

	it('is checked when the workflow is published', async () => {
		const node = triggerNode({ options: { ipAllowlist: '192.0.2.10; 192.0.2.11' } });
		const hooks = triggerHooks(workflowOf([node], []), node);
		await expect(hooks.checkExists()).rejects.toThrow('192.0.2.10;');
	});

	it('refuses everyone when it cannot be read', async () => {
		const broken = { parameters: { options: { ipAllowlist: '192.0.2.10, nonsense' } } };
		const listed = { body: event(), query: sealed(), ip: '192.0.2.10' };
		const result = await postToTrigger(broken, listed);
		expect(result).toMatchObject({ status: 500, items: undefined });
	});
});

describe('the option “Allowed Workflows”', () => {
	const post = async (issuers: string, issuer: string, values: object = {}) => {
		const parameters = { options: { issuers }, ...values };
		const workflow = workflowOf([triggerNode(parameters)], [], {}, undefined, { id: 'own-id' });
		const query = sealed({ issuer });
		return await postToTrigger({ parameters, workflow }, { body: event(), query });
	};

	it.each([
		['', 'anyone'],
		['own-id', 'own-id'],
		['other-id, own-id', 'own-id'],
		['={{ $workflow.id }}', 'own-id'],
		['={{ ["other-id", $workflow.id] }}', 'own-id'],
	])('%j accepts a call that %s requested', async (issuers, issuer) => {
		const { items } = await post(issuers, issuer);
		expect(items?.[0]).toMatchObject({ issued_by: issuer });
	});

	it.each([
		['own-id', 'other-id'],
		['own-id', 'own'],
		['own-id', ''],
		['={{ $workflow.id }}', 'other-id'],
	])('%j refuses a call that %j requested, as if its seal were forged', async (...row) => {
		const refused = await post(...row);
		const forged = await postToTrigger({}, { body: event(), query: sealed({ key: 'guess' }) });
		expect(refused).toMatchObject({ status: 401, items: undefined });
		expect(refused.answer).toEqual(forged.answer);
	});
});

describe('a refused event', () => {
	let workflows = 0;
	const ownWorkflow = () =>
		workflowOf([triggerNode()], [], {}, undefined, { id: `refusing-${++workflows}` });
	const options = (values: object) => ({ parameters: { options: { ...values } } });

	afterEach(() => {
		jest.restoreAllMocks();
	});

	const WHY = {
		bare: 'The URL has no signature, or only part of one',
		unfit:
			'The signature does not fit the event: it is forged, changed, or for another number, trigger, execution or key',
		unlisted: 'The workflow that requested the call is not in “Allowed Workflows”',
		nothing: 'It could not be checked: The expression in “IP Allowlist” returned nothing',
		elsewhere: 'Events from this address are not accepted',
	};
	const sealedEvent = (values = {}) => ({ body: event(values), query: sealed() });
	const late = () => ({ body: event(), query: sealed({ expiresAt: NOW - 1 }) });
	const listing = (ipAllowlist: string) => options({ ipAllowlist });
	const broken = { credential: credential({ baseUrl: '' }) };

	it.each<[string, Trigger, () => PostedEvent, string]>([
		['without a seal', {}, () => ({ body: event() }), WHY.bare],
		['about another number', {}, () => sealedEvent({ clientNumber: '79000000002' }), WHY.unfit],
		['that is late', {}, late, 'The signature has expired'],
		['without a call ID', {}, () => sealedEvent({ callId: null }), 'The field "callId" is missing'],
		['from an address that is not listed', listing('192.0.2.10'), sealedEvent, WHY.elsewhere],
		['from a workflow not listed', options({ issuers: 'another' }), sealedEvent, WHY.unlisted],
		['while an option returns nothing', listing('={{ $json.nothing }}'), sealedEvent, WHY.nothing],
		['while the credential is broken', broken, sealedEvent, 'It could not be checked: '],
	])('%s leaves a line in n8n’s log that says why', async (_what, trigger, posted, why) => {
		const workflow = ownWorkflow();
		const { log, items } = await postToTrigger({ ...trigger, workflow }, posted());
		expect(items).toBeUndefined();
		expect(log).toEqual([
			expect.stringContaining(
				`An event about an inbound call was rejected (workflow “”, ID ${workflow.id}): ${why}`,
			),
		]);
		expect(log.join()).not.toMatch(/\d{4}|[\w-]{22}/);
	});

	it('that reuses a seal leaves a line, but a repeated delivery does not', async () => {
		const workflow = ownWorkflow();
		const delivery = { body: event(), query: sealed() };
		expect((await postToTrigger({ workflow }, delivery)).log).toEqual([]);
		expect((await postToTrigger({ workflow }, delivery)).log).toEqual([]);
		const reused = await postToTrigger({ workflow }, { ...delivery, body: event() });
		expect(reused.log).toEqual([
			expect.stringContaining('The signature has already been used for another call'),
		]);
	});

	it('is not what an empty request is, by which Get Number to Call looks for the trigger', async () => {
		const { status, answer, log } = await postToTrigger({ workflow: ownWorkflow() }, { body: {} });
		expect([status, answer, log]).toEqual([
			400,
			{ accepted: false, reason: 'The request has no body' },
			[],
		]);
	});

	it('is logged once per reason, workflow and minute, with a count of the others', async () => {
		const [workflow, other] = [ownWorkflow(), ownWorkflow()];
		const forged = { body: event(), query: sealed({ key: 'guess' }) };
		const logged = async (target: Workflow) =>
			(await postToTrigger({ workflow: target }, forged)).log;
		const shown = [];
		for (let sent = 0; sent < 50; sent += 1) shown.push(...(await logged(workflow)));
		expect(shown).toHaveLength(1);
		expect(await logged(other)).toHaveLength(1);
		expect((await postToTrigger({ workflow }, { body: event() })).log).toHaveLength(1);

		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
		expect(await logged(workflow)).toEqual([
			expect.stringMatching(/\(49 more since the last such line\)$/),
		]);
		expect(shown.join()).not.toContain(EVENT.clientNumber);
	});
});

/** Repeats are recognized by the seal, or by the call if there is no seal; an execution waits for one call. */
const DUPLICATE = { status: 200, answer: { accepted: true, duplicate: true }, items: undefined };
const UNSIGNED: Trigger = { parameters: { eventAuthentication: 'none' } };
const WAIT = { resource: 'inboundCall', operation: 'wait', uid: EVENT.callId, limitWaitTime: 10 };
const toTrigger = (trigger: Trigger) => async () => async (delivery: PostedEvent) =>
	await postToTrigger(trigger, delivery);
const toExecution = async () => {
	const execution = await WaitingExecution.start(WAIT, {}, { executionId: `repeated-${++calls}` });
	return async (delivery: PostedEvent) => await execution.post(delivery);
};

describe.each([
	['signed', toTrigger({}), () => ({ body: event(), query: sealed() }), DUPLICATE],
	['unsigned', toTrigger(UNSIGNED), () => ({ body: event() }), DUPLICATE],
	[
		'awaited by an execution',
		toExecution,
		() => ({ body: EVENT, query: sealed() }),
		{ status: 409, items: undefined },
	],
])('a repeated event that is %s', (_kind, open, deliver, duplicate) => {
	it('is answered and starts nothing, even when both come at once', async () => {
		const [post, delivery] = [await open(), deliver()];
		const results = await Promise.all([1, 2, 3].map(async () => await post(delivery)));
		const others = results.filter(({ items }) => items === undefined);
		expect(others).toMatchObject([duplicate, duplicate]);
		expect(await post(delivery)).toMatchObject(duplicate);
	});

	it.each(['answers 500', 'is hung up on and fails'] as const)(
		'is not a repeat when it is resent because n8n %s',
		async (n8n) => {
			const [post, delivery] = [await open(), deliver()];
			await post({ ...delivery, n8n });
			expect((await post(delivery)).items).toHaveLength(1);
			expect(await post(delivery)).toMatchObject(duplicate);
		},
	);

	it('starts nothing even if the sender hung up before the answer', async () => {
		const [post, delivery] = [await open(), deliver()];
		await post({ ...delivery, n8n: 'is hung up on' });
		expect(await post(delivery)).toMatchObject(duplicate);
	});
});

describe.each([
	['signed', {}, () => sealed()],
	['unsigned', UNSIGNED, () => ({})],
])('a repeated event that is %s', (_kind, trigger, queryFor) => {
	it('still starts another trigger', async () => {
		const delivery = { body: event(), query: queryFor() };
		await postToTrigger(trigger, delivery);
		const other = await postToTrigger({ ...trigger, nodeId: 'another' }, delivery);
		expect(other.items).toHaveLength(1);
	});

	it('starts the workflow each time when someone listens in the editor', async () => {
		const delivery = { body: event(), query: queryFor() };
		for (const mode of ['manual', 'manual', 'webhook', 'manual'] as const) {
			expect((await postToTrigger({ ...trigger, mode }, delivery)).items).toHaveLength(1);
		}
		expect(await postToTrigger(trigger, delivery)).toMatchObject(DUPLICATE);
	});
});

describe('the option “Ignore Duplicates”, off', () => {
	const options = { options: { ignoreDuplicates: false } };

	it('starts the workflow again for an unsigned event', async () => {
		const trigger = { parameters: { eventAuthentication: 'none', ...options } };
		const delivery = { body: event() };
		await postToTrigger(trigger, delivery);
		expect((await postToTrigger(trigger, delivery)).items).toHaveLength(1);
	});

	it('does not make a sealed URL work twice', async () => {
		// n8n drops a hidden option when it loads the workflow; here it is passed anyway.
		const trigger = { parameters: options, workflow: workflowOf([triggerNode()], []) };
		const delivery = { body: event(), query: sealed() };
		await postToTrigger(trigger, delivery);
		expect((await postToTrigger(trigger, delivery)).items).toBeUndefined();
	});
});

describe('a sealed URL', () => {
	const HOUR = 3_600;

	afterEach(() => {
		jest.restoreAllMocks();
	});

	const afterHours = (hours: number) => {
		jest.spyOn(Date, 'now').mockReturnValue((NOW + hours * HOUR) * 1_000);
	};

	it('works once, until the last second of 31 days', async () => {
		const delivery = { body: event(), query: sealed({ expiresAt: NOW + 31 * 24 * HOUR }) };
		expect((await postToTrigger({}, delivery)).items).toHaveLength(1);
		for (const hours of [1, 25, 31 * 24 - 0.001]) {
			afterHours(hours);
			expect(await postToTrigger({}, delivery)).toMatchObject(DUPLICATE);
		}
		afterHours(31 * 24);
		expect(await postToTrigger({}, delivery)).toMatchObject({ status: 401, items: undefined });
	});

	it('that was used is refused for any other call, as if it were forged', async () => {
		const [body, query] = [event(), sealed()];
		await postToTrigger({}, { body, query });
		const forged = await postToTrigger({}, { body: event(), query: sealed({ key: 'guess' }) });
		for (let time = 0; time < 50; time += 1) {
			const replayed = await postToTrigger({}, { body: event(), query });
			expect(replayed).toMatchObject({ status: 401, items: undefined, isHanging: false });
			expect(replayed.answer).toEqual(forged.answer);
		}
		const moved = { body: { ...body, regionName: 'elsewhere' }, query };
		expect(await postToTrigger({}, moved)).toMatchObject(DUPLICATE);
	});

	it('is not used up by an invalid or forged event', async () => {
		const query = sealed();
		const body = event();
		await postToTrigger({}, { body: {}, query });
		await postToTrigger({}, { body: event({ clientNumber: '79000000002' }), query });
		await postToTrigger({}, { body, query: sealed({ key: 'guess' }) });
		expect((await postToTrigger({}, { body, query })).items).toHaveLength(1);
	});
});

describe('the entry of a published trigger that a Code node has erased', () => {
	const registered = { callVerificationTriggers: { 'trigger-id': 'webhook/hook-id/inbound-call' } };
	const workflowWith = (staticData: object, id: string) =>
		workflowOf([triggerNode()], [], { ...staticData }, undefined, { id, active: true });

	it('is restored when an event comes', async () => {
		const workflow = workflowWith({ counter: 7 }, 'erased-1');
		const { items } = await postToTrigger({ workflow }, { body: event(), query: sealed() });
		expect(items).toHaveLength(1);
		expect(workflow.getStaticData('global')).toEqual({ counter: 7, ...registered });
		expect(workflow.staticData.__dataChanged).toBe(true);
	});

	it('is left alone, and nothing saved, when it is still there', async () => {
		const workflow = workflowWith(registered, 'erased-2');
		await postToTrigger({ workflow }, { body: event(), query: sealed() });
		expect(workflow.staticData.__dataChanged).toBe(false);
	});

	it.each([
		['a forged event', { query: sealed({ key: 'guess' }), mode: 'webhook' as const }],
		['listening in the editor', { query: sealed(), mode: 'manual' as const }],
	])('is not restored by %s', async (_what, { query, mode }) => {
		const workflow = workflowWith({ counter: 7 }, 'erased-3');
		await postToTrigger({ workflow, mode }, { body: event(), query });
		expect(workflow.getStaticData('global')).toEqual({ counter: 7 });
	});
});
