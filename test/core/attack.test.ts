import { checkCode, checkPhone, getCall, getNumber, startCall } from './parameters';
import type { EventResult, PostedEvent } from './inbound';
import { EVENT, NOW, postToTrigger, queryOf, sealed, WaitingExecution } from './inbound';
import { credential, runNode, SECRET_KEY } from '../../harness/engine/n8nCore';
import { wire, wireAt } from './wire';

/** The two endpoints that strangers can reach, each with the seal that it accepts. */
interface AttackTarget {
	readonly url: string;
	post(event: PostedEvent, account?: typeof rotated): Promise<EventResult>;
}

/** After the key was changed. */
const rotated = credential({ secretKey: 'the new key' });

let opened = 0;

/** A new trigger each time, so that no test sees the calls of another. */
function openTrigger(): AttackTarget {
	const nodeId = `attacked-${++opened}`;
	return {
		url: 'https://n8n.test/webhook/hook-id/inbound-call',
		post: async (event, account) => await postToTrigger({ nodeId, credential: account }, event),
	};
}

/** Waits for the call that the tests' event reports. */
const WAIT = { resource: 'inboundCall', operation: 'wait', uid: EVENT.callId, limitWaitTime: 10 };

async function openExecution(): Promise<AttackTarget> {
	const executionId = String(9_000 + ++opened);
	const execution = await WaitingExecution.start(WAIT, { name: 'Ann' }, { executionId });
	return {
		url: `https://n8n.test/webhook-waiting/${executionId}/inbound-call?signature=n8n-own-token`,
		post: async (event, account) => await execution.post(event, account),
	};
}

const TARGETS: Array<[name: string, open: () => AttackTarget | Promise<AttackTarget>]> = [
	['the trigger', openTrigger],
	['a waiting execution', openExecution],
];

/** The query of a callback for this target. */
const sealFor = ({ url }: AttackTarget, changes: Parameters<typeof sealed>[0] = {}) =>
	sealed({ target: new URL(url).pathname.split('/').at(-2) ?? '', ...changes });

const TEN_MEGABYTES = 10_000_000;
const ELSEWHERE = { target: 'another-id' };
const FORM = 'application/x-www-form-urlencoded';

/** Refused with a short answer that repeats nothing from the sender. */
const expectRefusal = (result: EventResult, statuses = [400, 401]) => {
	expect(result).toMatchObject({ items: undefined, isHanging: false });
	expect(statuses).toContain(result.status);
	const { reason } = result.answer as { reason: string };
	expect(result.answer).toEqual({ accepted: false, reason: expect.any(String) });
	expect(reason.length).toBeLessThan(100);
	expect(reason).not.toContain(SECRET_KEY);
};

const nested = (depth: number): unknown =>
	JSON.parse(`${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`);

const withProto = (value: object): unknown => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`);

describe.each(TARGETS)('attacks on %s', (_name, open) => {
	let target: AttackTarget;
	let seal: Record<string, string>;

	beforeEach(async () => {
		target = await open();
		seal = sealFor(target);
	});

	/** Whatever was attempted before, the honest event is accepted: refusing everything would be a bug too. */
	const expectHonestEventAccepted = async () => {
		const result = await target.post({ body: EVENT, query: seal });
		expect(result).toMatchObject({ status: 200, answer: { accepted: true } });
		expect(result.items).toHaveLength(1);
	};

	type Attack = () => PostedEvent;
	/** The honest event with another query, or another body with the honest query. */
	const asked = (query: unknown): PostedEvent => ({ body: EVENT, query: query as typeof seal });
	const withQuery = (change: () => object) => () => asked({ ...seal, ...change() });
	const withBody = (body: unknown) => (): PostedEvent => ({ body, query: seal });
	const withType = (type: string) => (): PostedEvent => ({
		...asked(seal),
		headers: { 'content-type': type },
	});
	const withEvent = (change: object) => withBody({ ...EVENT, ...change });
	const sealedWith = (changes: Parameters<typeof sealed>[0]) => () =>
		asked(sealFor(target, changes));
	const inLists = () => Object.fromEntries(Object.entries(seal).map(([k, v]) => [k, [v]]));
	const inUrl = () => ({ callbackLink: `${target.url}&sig=${seal.sig}` });

	it.each<[what: string, status: number, attack: Attack]>([
		['no seal', 401, () => ({ body: EVENT })],
		['a seal under another key', 401, sealedWith({ key: 'guess' })],
		['an expired seal', 401, sealedWith({ expiresAt: NOW })],
		['a seal for another number', 401, sealedWith({ phone: '79000000002' })],
		['a seal for another trigger or execution of the same credential', 401, sealedWith(ELSEWHERE)],
		['a doubled seal', 401, withQuery(() => ({ sig: [seal.sig, seal.sig] }))],
		['a signature with something behind it', 401, withQuery(() => ({ sig: `${seal.sig}=` }))],
		['a signature in other letters', 401, withQuery(() => ({ sig: seal.sig?.toLowerCase() }))],
		['a signature with a line break', 401, withQuery(() => ({ sig: `${seal.sig}\n` }))],
		['a later expiry', 401, withQuery(() => ({ exp: String(Number(seal.exp) + 1) }))],
		['an expiry spelled differently', 401, withQuery(() => ({ exp: `0${seal.exp}` }))],
		['another issuer', 401, withQuery(() => ({ iss: 'another' }))],
		['an empty issuer', 401, withQuery(() => ({ iss: '' }))],
		['lists of issuers', 401, withQuery(() => ({ iss: [seal.iss, 'another'] }))],
		['another reference', 401, withQuery(() => ({ ref: 'contact-43' }))],
		['a reference with a zero character', 401, withQuery(() => ({ ref: `${seal.ref}\0` }))],
		['a reference of 10 MB', 401, withQuery(() => ({ ref: 'x'.repeat(TEN_MEGABYTES) }))],
		['a seal without its nonce', 401, withQuery(() => ({ nonce: undefined }))],
		['an empty nonce', 401, withQuery(() => ({ nonce: '' }))],
		['another nonce', 401, withQuery(() => ({ nonce: 'A'.repeat(22) }))],
		['the nonce of another seal', 401, withQuery(() => ({ nonce: sealFor(target).nonce }))],
		['a nonce with something behind it', 401, withQuery(() => ({ nonce: `${seal.nonce}=` }))],
		['lists of one', 401, withQuery(inLists)],
		['numbered lists', 401, withQuery(() => ({ sig: { 0: seal.sig, length: 1 } }))],
		['what turns into the text', 401, withQuery(() => ({ sig: { toString: () => seal.sig } }))],
		['text objects', 401, withQuery(() => ({ sig: Object(seal.sig) as unknown }))],
		['a seal in the prototype of the query', 401, () => asked(Object.create(seal))],
		['a seal under __proto__', 401, () => asked(withProto(seal))],
		['a seal in the body', 401, () => ({ body: { ...EVENT, ...seal } })],
		['a seal in the headers', 401, () => ({ body: EVENT, headers: seal })],
		['a seal in the URL of the event', 401, () => ({ body: { ...EVENT, ...inUrl() } })],
		['a number cut short', 401, withEvent({ clientNumber: EVENT.clientNumber.slice(0, -1) })],
		['two numbers in one', 401, withEvent({ clientNumber: `${EVENT.clientNumber},79000000002` })],
		['a number in other digits', 401, withEvent({ clientNumber: '٧٩٠٠٠٠٠٠٠٠١' })],
		['a number of 10 MB', 400, withEvent({ clientNumber: '7'.repeat(TEN_MEGABYTES) })],
		['no number', 400, withEvent({ clientNumber: undefined })],
		['a number that JSON has rounded', 400, withEvent({ clientNumber: 2 ** 60 })],
		['a call ID of 10 MB', 400, withEvent({ callId: '1'.repeat(TEN_MEGABYTES) })],
		['a call ID that JSON has rounded', 400, withEvent({ callId: 2 ** 53 })],
		['no call ID', 400, withEvent({ callId: null })],
		['nothing but depth', 400, withBody(nested(100_000))],
		['depth in a needed field', 400, withEvent({ callId: nested(100_000) })],
		['an event under __proto__', 400, withBody(withProto(EVENT))],
		['an event under constructor.prototype', 400, withBody({ constructor: { prototype: EVENT } })],
		['a list', 400, withBody([EVENT])],
		['a list that has the fields', 400, withBody(Object.assign([], EVENT))],
		['a buffer', 400, withBody(Buffer.from(JSON.stringify(EVENT)))],
		['the event as text', 400, withBody(JSON.stringify(EVENT))],
		['the event as a form', 400, withType(FORM)],
		['the event as a form, behind a blank that Node leaves there', 400, withType(`\u00a0${FORM}`)],
		['an empty body', 400, withBody({})],
		['no body', 400, withBody(undefined)],
		['null', 400, withBody(null)],
		['a number as the body', 400, withBody(17)],
	])(
		'%s: refused with an answer (%i), and the honest event is still accepted',
		async (_what, status, attack) => {
			expectRefusal(await target.post(attack()), [status]);
			expect(({} as Record<string, unknown>).callId).toBeUndefined();
			await expectHonestEventAccepted();
		},
	);

	it('every prefix of the signature, and the signature with any character changed: refused', async () => {
		const { sig = '' } = seal;
		for (let at = 0; at < sig.length; at += 1) {
			const changed = sig.slice(0, at) + (sig[at] === 'A' ? 'B' : 'A') + sig.slice(at + 1);
			for (const wrong of [sig.slice(0, at), changed]) {
				expectRefusal(await target.post({ body: EVENT, query: { ...seal, sig: wrong } }), [401]);
			}
		}
		await expectHonestEventAccepted();
	});

	it('every wrong seal gets the same answer, so that none reveals how close it was', async () => {
		const expired = sealFor(target, { expiresAt: NOW - 1 });
		const queries = [
			{},
			{ ...seal, sig: 'x' },
			{ ...seal, sig: 'A'.repeat(43) },
			expired,
			sealFor(target, ELSEWHERE),
			sealFor(target, { phone: '79000000002' }),
		];
		const answers = new Set<string>();
		for (const query of queries) {
			const { status, answer } = await target.post({ body: EVENT, query });
			answers.add(JSON.stringify([status, answer]));
		}
		expect([...answers]).toHaveLength(1);
	});

	it('a stranger’s fields never reach the output, however large or deep', async () => {
		const filler = 'x'.repeat(TEN_MEGABYTES);
		const body = {
			...EVENT,
			operatorName: nested(100_000),
			regionName: filler,
			filler,
			deep: nested(100_000),
			error: 'x',
			received: false,
			reference: 'y',
		};
		const { items } = await target.post({ body, query: seal });
		expect(JSON.stringify(items).length).toBeLessThan(1_000);
		expect(items?.[0]).toMatchObject({ reference: 'contact-42', operatorName: '', regionName: '' });
		expect(items?.[0]).not.toHaveProperty('error');
	});

	it('values that look like expressions come out unchanged', async () => {
		const expression = '={{ $env.HOME }}{{ $json.constructor.constructor("return process")() }}';
		const reference = `=${expression}`;
		const body = { ...EVENT, operatorName: expression, regionName: `=${expression}` };
		const { items } = await target.post({ body, query: sealFor(target, { reference }) });
		expect(items?.[0]).toMatchObject({
			operatorName: expression,
			regionName: `=${expression}`,
			reference,
		});
	});

	it('neither the seal nor n8n’s own token reaches the output', async () => {
		const link = `${target.url}${target.url.includes('?') ? '&' : '?'}${new URLSearchParams(seal).toString()}`;
		const { items } = await target.post({ body: { ...EVENT, callbackLink: link }, query: seal });
		expect(items?.[0]?.callbackLink).toBe(target.url.split('?')[0]);
		expect(JSON.stringify(items)).not.toContain(seal.sig);
		expect(JSON.stringify(items)).not.toContain(seal.nonce);
		expect(JSON.stringify(items)).not.toContain('n8n-own-token');
	});

	it('after the key was changed, callbacks in flight are refused', async () => {
		expectRefusal(await target.post({ body: EVENT, query: seal }, rotated), [401]);
	});
});

describe('a callback URL in the wrong hands', () => {
	afterEach(() => {
		jest.restoreAllMocks();
	});

	it('reports its number once, under any call ID, and the true event is then refused', async () => {
		const trigger = openTrigger();
		const query = sealFor(trigger, { reference: 'request-1' });
		const forged = await trigger.post({ body: { ...EVENT, callId: '1' }, query });
		expect(forged.items?.[0]).toMatchObject({ callId: '1', reference: 'request-1' });
		expectRefusal(await trigger.post({ body: EVENT, query }), [401]);
	});

	it('cannot use up someone else’s event', async () => {
		const trigger = openTrigger();
		const attackers = '79000000002';
		const forged = { ...EVENT, clientNumber: attackers };
		const query = sealFor(trigger, { phone: attackers });
		expect((await trigger.post({ body: forged, query })).items).toHaveLength(1);

		const honest = await trigger.post({ body: EVENT, query: sealFor(trigger) });
		expect(honest.items).toHaveLength(1);
	});

	it('does not resume an execution under another call ID, nor a second time', async () => {
		const execution = await openExecution();
		const query = sealFor(execution);
		expectRefusal(await execution.post({ body: { ...EVENT, callId: '1' }, query }), [409]);
		expect((await execution.post({ body: EVENT, query })).items).toHaveLength(1);
		expectRefusal(await execution.post({ body: EVENT, query }), [409]);
		jest.spyOn(Date, 'now').mockReturnValue((NOW + 599) * 1_000);
		expectRefusal(await execution.post({ body: EVENT, query }), [409]);
	});
});

describe('two visitors who enter the same phone number', () => {
	const ask = getNumber({ phone: EVENT.clientNumber, callbackTarget: 'execution' });
	const wait = { ...WAIT, uid: '={{ $json.vendor_id }}' };
	const NUMBERS = { victim: '74950000001', attacker: '74950000002' };

	it('are each verified only by a call to their own number', async () => {
		const sent = wire(
			{ body: { status: true, vendor_id: 1, confirmation_number: NUMBERS.victim } },
			{ body: { status: true, vendor_id: 2, confirmation_number: NUMBERS.attacker } },
		);
		const victim = await WaitingExecution.start(wait, {}, { ask, executionId: 'victim' });
		const attacker = await WaitingExecution.start(wait, {}, { ask, executionId: 'attacker' });
		const [victims, attackers] = sent.map(({ fields }) => queryOf(String(fields.callback_url)));

		// The service may report the victim's call to whoever asked last.
		const stolen = { ...EVENT, callId: '2', confirmationNumber: NUMBERS.victim };
		const refused = await attacker.post({ body: stolen, query: attackers });
		expectRefusal(refused, [409]);
		expect(refused.log).toEqual([
			expect.stringContaining('The execution is waiting for a call to another number'),
		]);

		const own = { ...EVENT, callId: '1', confirmationNumber: NUMBERS.victim };
		expect((await victim.post({ body: own, query: victims })).items).toHaveLength(1);
	});
});

describe('an execution that waits while the key is changed', () => {
	it('continues without the call when its limit ends', async () => {
		const execution = await WaitingExecution.start(WAIT, { name: 'Ann' });
		const { success } = await execution.resumeByTimer(rotated);
		expect(success.map(({ json }) => json)).toEqual([{ name: 'Ann', received: false }]);
	});
});

describe('parameters from a stranger', () => {
	const EVIL = 'https://elsewhere.test';

	it.each([
		getCall({ uid: `${EVIL}/1`, simplify: false }),
		getCall({ uid: '../../1' }),
		checkCode({ uid: '@elsewhere.test' }),
		startCall({ phone: '79000000001@elsewhere.test' }),
		checkPhone({ phone: `${EVIL}?baseUrl=${EVIL}` }),
		{ resource: '../elsewhere', operation: 'get' },
		{ resource: 'account', operation: '__proto__' },
		{
			resource: 'account',
			operation: 'get',
			baseUrl: EVIL,
			url: EVIL,
			requestOptions: { baseURL: EVIL, proxy: EVIL },
		},
		getNumber({ callbackUrl: EVIL }),
		getNumber({ callbackUrl: EVIL, callbackTarget: 'trigger' }),
	])(
		'never send a request anywhere but to the service: $resource.$operation',
		async (parameters) => {
			const elsewhere = wireAt(EVIL, { body: {} });
			const sent = wire({ body: { status: false, error: 'No', code: 400 } });
			await runNode({ parameters });
			expect(elsewhere).toEqual([]);
			expect(sent.every(({ path }) => /^\/v1\.0\/[a-zA-Z]+$/.test(path))).toBe(true);
			expect(sent.length).toBeLessThanOrEqual(1);
		},
	);
});
