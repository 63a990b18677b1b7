import { randomBytes } from 'node:crypto';

import fc from 'fast-check';
import type { Workflow } from 'n8n-workflow';

import { sealCallback, sealNonce } from '../../nodes/CallVerification/inbound/callbackSeal';
import type { PostedEvent, Trigger } from './inbound';
import { EVENT, postToTrigger, queryOf, triggerHooks, triggerNode } from './inbound';
import { credential, runNode, SECRET_KEY, workflowOf } from '../../harness/engine/n8nCore';
import { wire } from './wire';

const NOW = Math.floor(Date.now() / 1_000);
const URL_OF_TRIGGER = 'https://n8n.test/webhook/hook-id/inbound-call';

const sealed = ({
	phone = EVENT.clientNumber,
	expiresAt = NOW + 600,
	reference = 'contact-42',
	key = SECRET_KEY,
	issuer = 'workflow-id',
	nonce = sealNonce(randomBytes),
} = {}) =>
	queryOf(sealCallback(URL_OF_TRIGGER, { phone, expiresAt, reference, issuer, nonce }, key));

/** The optional fields of an event. */
const OPTIONAL = Object.keys(EVENT).filter((name) => name !== 'callId' && name !== 'clientNumber');

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

	it('is one whose callback the action made with the same credential', async () => {
		const sent = wire({ body: { status: true, vendor_id: 1, confirmation_number: '7' } });
		await runNode({
			parameters: {
				resource: 'inboundCall',
				operation: 'start',
				phone: '+7 900 000-00-01',
				callbackTarget: 'trigger',
				callbackUrl: '',
				options: { reference: 'Ünï & #1' },
			},
			staticData: { callVerificationTriggers: { t: 'webhook/hook-id/inbound-call' } },
		});
		const query = queryOf(String(sent[0]?.fields.callback_url));

		const accepted = await postToTrigger({}, { body: event(), query });
		expect(accepted.items?.[0]).toMatchObject({
			reference: 'Ünï & #1',
			issued_by: 'workflow-id',
		});
		const other = await postToTrigger(
			{ credential: credential({ secretKey: 'another' }) },
			{ body: event(), query },
		);
		expect(other).toMatchObject({ status: 401, items: undefined });
	});

	it.each([
		['numbers instead of texts', { callId: 5_999_001, clientNumber: 79000000001 }],
		['nulls', { operatorName: null, operatorNameMnp: null, regionName: null, isMnp: null }],
		[
			'nothing but call ID and number',
			Object.fromEntries(OPTIONAL.map((name) => [name, undefined])),
		],
		['what nobody can read', Object.fromEntries(OPTIONAL.map((name) => [name, { a: [1] }]))],
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
					exp: value,
					ref: value,
					iss: value,
					nonce: value,
					sig: value,
					__proto__: fc.constant(real),
				},
				{ requiredKeys: [] },
			),
		});
		let answered = 0;
		await fc.assert(
			fc.asyncProperty(attack, async ({ body, query }) => {
				const given = new Map<string, unknown>(Object.entries(query));
				fc.pre(!Object.entries(real).every(([name, part]) => given.get(name) === part));
				const { status, items, isHanging } = await postToTrigger({}, { body, query });
				expect(items).toBeUndefined();
				expect(isHanging).toBe(false);
				expect([400, 401]).toContain(status);
				answered += 1;
			}),
			{ numRuns: 1_000 },
		);
		expect(answered).toBe(1_000);
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
	const parameters = { options: { ipAllowlist: '192.0.2.10, 2001:db8::/32' } };

	it.each([
		['192.0.2.10', 200],
		['::ffff:192.0.2.10', 200],
		['2001:db8::1', 200],
		['192.0.2.11', 403],
		['2001:db9::1', 403],
	])('answers %s with %i', async (ip, status) => {
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
		const broken = { options: { ipAllowlist: '192.0.2.10, nonsense' } };
		const result = await postToTrigger(
			{ parameters: broken },
			{ body: event(), query: sealed(), ip: '192.0.2.10' },
		);
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
	const PHONE = EVENT.clientNumber;
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
	};
	const sealedEvent = (values = {}) => ({ body: event(values), query: sealed() });

	it.each<[string, Trigger, () => PostedEvent, string]>([
		['without a seal', {}, () => ({ body: event() }), WHY.bare],
		['about another number', {}, () => sealedEvent({ clientNumber: '79000000002' }), WHY.unfit],
		[
			'that is late',
			{},
			() => ({ body: event(), query: sealed({ expiresAt: NOW - 1 }) }),
			'The signature has expired',
		],
		['without a call ID', {}, () => sealedEvent({ callId: null }), 'The field "callId" is missing'],
		[
			'from an address that is not listed',
			options({ ipAllowlist: '192.0.2.10' }),
			sealedEvent,
			'Events from this address are not accepted',
		],
		['from a workflow not listed', options({ issuers: 'another' }), sealedEvent, WHY.unlisted],
		[
			'while an option returns nothing',
			options({ ipAllowlist: '={{ $json.nothing }}' }),
			sealedEvent,
			WHY.nothing,
		],
		[
			'while the credential is broken',
			{ credential: credential({ baseUrl: '' }) },
			sealedEvent,
			'It could not be checked: ',
		],
	])('%s leaves a line in n8n’s log that says why', async (_what, trigger, posted, why) => {
		const workflow = ownWorkflow();
		const { log, items } = await postToTrigger({ ...trigger, workflow }, posted());
		expect(items).toBeUndefined();
		expect(log).toEqual([
			expect.stringContaining(
				`An event about an inbound call was refused (workflow “”, ID ${workflow.id}): ${why}`,
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
		expect(shown.join()).not.toContain(PHONE);
	});
});

/** Repeats are recognized by the seal, or by the call if there is no seal. */
const KINDS = [
	['signed', {}, () => sealed()],
	['unsigned', { parameters: { eventAuthentication: 'none' } }, () => ({})],
] as const;

describe.each(KINDS)('a repeated event that is %s', (_kind, trigger, queryFor) => {
	const duplicate = { status: 200, answer: { accepted: true, duplicate: true }, items: undefined };

	it('is answered and starts nothing, even when both come at once', async () => {
		const delivery = { body: event(), query: queryFor() };
		const results = await Promise.all(
			[1, 2, 3].map(async () => await postToTrigger(trigger, delivery)),
		);
		expect(results.map(({ status }) => status)).toEqual([200, 200, 200]);
		expect(results.filter(({ items }) => items !== undefined)).toHaveLength(1);
		expect(await postToTrigger(trigger, delivery)).toMatchObject(duplicate);
	});

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
		expect(await postToTrigger(trigger, delivery)).toMatchObject(duplicate);
	});

	it.each(['answers 500', 'is hung up on and fails'] as const)(
		'is not a repeat when it is resent because n8n %s',
		async (n8n) => {
			const delivery = { body: event(), query: queryFor() };
			await postToTrigger(trigger, { ...delivery, n8n });
			expect((await postToTrigger(trigger, delivery)).items).toHaveLength(1);
			expect((await postToTrigger(trigger, delivery)).items).toBeUndefined();
		},
	);

	it('starts nothing even if the sender hung up before the answer', async () => {
		const delivery = { body: event(), query: queryFor() };
		await postToTrigger(trigger, { ...delivery, n8n: 'is hung up on' });
		expect(await postToTrigger(trigger, delivery)).toMatchObject(duplicate);
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
			expect(await postToTrigger({}, delivery)).toMatchObject({
				status: 200,
				answer: { duplicate: true },
				items: undefined,
			});
		}
		afterHours(31 * 24);
		expect(await postToTrigger({}, delivery)).toMatchObject({ status: 401, items: undefined });
	});

	it('that was used is refused for any other call, as if it were forged', async () => {
		const query = sealed();
		await postToTrigger({}, { body: event(), query });
		const replayed = await postToTrigger({}, { body: event(), query });
		const forged = await postToTrigger({}, { body: event(), query: sealed({ key: 'guess' }) });
		expect(replayed).toMatchObject({ status: 401, items: undefined, isHanging: false });
		expect(replayed.answer).toEqual(forged.answer);
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
