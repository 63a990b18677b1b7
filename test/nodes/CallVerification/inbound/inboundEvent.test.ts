import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import fc from 'fast-check';
import type { IWebhookFunctions } from 'n8n-workflow';

import {
	alwaysRespond,
	claimOnce,
	eventFields,
	eventOutput,
	logRejection,
	readInboundEvent,
	Rejection,
} from '../../../../nodes/CallVerification/inbound/inboundEvent';
import { reportedCalls, usedSeals } from '../../../../nodes/CallVerification/inbound/processMemory';
import { thrownBy } from '../thrown';

const EVENT = {
	callId: '1234567',
	callbackLink: 'https://n8n.test/webhook/x',
	clientNumber: '79000000001',
	confirmationNumber: '78000000000',
	isMnp: true,
	operatorName: 'A',
	operatorNameMnp: 'B',
	regionName: 'C',
};
const NEEDED = ['callId', 'clientNumber'];
const OPTIONAL_TEXTS = [
	'callbackLink',
	'confirmationNumber',
	'operatorName',
	'operatorNameMnp',
	'regionName',
];
const TYPES = Object.fromEntries(
	Object.entries(EVENT).map(([name, value]) => [name, typeof value]),
);

describe('the event of an inbound call', () => {
	it('comes out with its eight fields', () => {
		expect(readInboundEvent(EVENT)).toEqual(EVENT);
	});

	it('is complete with a call ID and a number; the rest is then empty', () => {
		const { callId, clientNumber } = EVENT;
		expect(readInboundEvent({ callId, clientNumber })).toEqual({
			callId,
			callbackLink: '',
			clientNumber,
			confirmationNumber: '',
			isMnp: false,
			operatorName: '',
			operatorNameMnp: '',
			regionName: '',
		});
	});

	it('contains nothing that the contract does not name', () => {
		const body: unknown = JSON.parse(
			JSON.stringify({ ...EVENT, error: 'x', constructor: 1 }).replace(
				'{',
				'{"__proto__":{"admin":true},',
			),
		);
		const event = readInboundEvent(body);
		expect(event).toEqual(EVENT);
		expect(Object.keys(event)).toHaveLength(8);
		expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
	});

	it('has its eight fields in the documented types, whatever JSON is in them (§6.body)', () => {
		const body = fc.record(
			Object.fromEntries(Object.keys(EVENT).map((name) => [name, fc.jsonValue()])),
			{ requiredKeys: [] },
		);
		const strange = fc.tuple(body, fc.jsonValue()).map(([fields, extra]) => ({
			...fields,
			callId: 1,
			clientNumber: '2',
			extra,
		}));
		fc.assert(
			fc.property(strange, (fields) => {
				const event = readInboundEvent(fields);
				const types = Object.entries(event).map(([name, value]) => [name, typeof value]);
				expect(Object.fromEntries(types)).toEqual(TYPES);
			}),
			{ numRuns: 1000 },
		);
	});
});

describe.each(NEEDED)('the needed field %s', (field) => {
	it.each([
		[79000000001, '79000000001'],
		[Number.MAX_SAFE_INTEGER, '9007199254740991'],
		[0, '0'],
		[' 79000000001\n', '79000000001'],
	])('may be %j', (value, text) => {
		expect(readInboundEvent({ ...EVENT, [field]: value })).toMatchObject({ [field]: text });
	});

	it.each([undefined, null, '', ' ', true, {}, [], ['1'], 1.5, NaN, Infinity, 2 ** 53, 1e21])(
		'must not be %p',
		(value) => {
			const reason = `The field "${field}" is missing or of the wrong type`;
			expect(thrownBy(() => readInboundEvent({ ...EVENT, [field]: value }))).toMatchObject({
				status: 400,
				reason,
			});
		},
	);

	it('has at most 10,000 characters, because accepted events are stored', () => {
		const withLength = (length: number) =>
			readInboundEvent({ ...EVENT, [field]: 'x'.repeat(length) });
		expect(withLength(10_000)).toHaveProperty(field);
		expect(thrownBy(() => withLength(10_001))).toMatchObject({
			status: 400,
			reason: `The field "${field}" is too long`,
		});
	});
});

describe('what is optional in an event', () => {
	it.each(OPTIONAL_TEXTS)('is a text in the field %s, or else empty', (field) => {
		const read = (value: unknown) =>
			new Map(Object.entries(readInboundEvent({ ...EVENT, [field]: value })));
		expect(read('x').get(field)).toBe('x');
		expect(read(17).get(field)).toBe('17');
		for (const unreadable of [undefined, null, true, {}, [], ['x'], 2 ** 53, NaN]) {
			expect(read(unreadable).get(field)).toBe('');
		}
	});

	it.each(OPTIONAL_TEXTS)(
		'is empty beyond 10,000 characters in the field %s, because accepted events are stored',
		(field) => {
			const long = 'x'.repeat(10_000);
			expect(readInboundEvent({ ...EVENT, [field]: long })).toMatchObject({ [field]: long });
			expect(readInboundEvent({ ...EVENT, [field]: `${long}x` })).toMatchObject({ [field]: '' });
		},
	);

	it.each([
		[true, true],
		['true', true],
		[1, true],
		['1', true],
		[false, false],
		['false', false],
		[0, false],
		['0', false],
		[undefined, false],
		[null, false],
		['', false],
		['no', false],
		[{}, false],
		[[true], false],
	])('is in the field isMnp, where %j means %j', (value, isMnp) => {
		expect(readInboundEvent({ ...EVENT, isMnp: value }).isMnp).toBe(isMnp);
	});
});

describe('what is plainly not an event', () => {
	it.each([undefined, null, [], [EVENT], 'text', JSON.stringify(EVENT), 5])('is %j', (body) => {
		expect(thrownBy(() => readInboundEvent(body))).toMatchObject({
			status: 400,
			reason: 'The body is not a JSON object',
		});
	});

	it('is any other JSON value, whatever it is', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (body) => {
				expect(() => readInboundEvent(body)).toThrow(Rejection);
			}),
		);
	});
});

describe('what comes out of an accepted event', () => {
	const seal = {
		phone: EVENT.clientNumber,
		reference: 'contact-42',
		issuer: 'workflow-id',
		nonce: 'n',
		expiresAt: 1_800_000_000,
	};

	it('is in the documented fields, each of which has a meaning', () => {
		const output = Object.entries(eventOutput({ event: EVENT, seal }, 0));
		expect(output.map(([name, value]) => [name, typeof value])).toEqual(
			Object.entries(eventFields).map(([name, { type }]) => [name, type]),
		);
		for (const { meaning } of Object.values(eventFields)) expect(meaning).toMatch(/./);
	});

	it('has the number of the seal, or without a seal the one in the event', () => {
		const event = { ...EVENT, clientNumber: '8 (900) 000-00-01' };
		expect(eventOutput({ event, seal }, 0).clientNumber).toBe('79000000001');
		expect(eventOutput({ event, seal: null }, 0).clientNumber).toBe('8 (900) 000-00-01');
	});
});

/** Posts to a real Node server, because these tests depend on which events a response emits, and when. */
async function takesBack(status: number, { hangsUp }: { hangsUp: boolean }): Promise<boolean> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const requested = once(server, 'request');
	const socket = connect(port, '127.0.0.1');
	socket.on('error', () => {});
	socket.resume();
	socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
	const [, response] = (await requested) as [unknown, ServerResponse];

	const context: Partial<IWebhookFunctions> = {
		getResponseObject: () => response as ReturnType<IWebhookFunctions['getResponseObject']>,
	};
	const taker = [`trigger ${status} ${hangsUp}`];
	const claim = () =>
		claimOnce(context as IWebhookFunctions, taker, { event: EVENT, seal: null }, Date.now());
	expect(claim()).toBe('first');
	const closed = once(response, 'close');
	if (hangsUp) {
		socket.destroy();
		await closed;
	}
	response.statusCode = status;
	response.end('{}');
	await closed;
	socket.destroy();
	server.close();
	return claim() === 'first';
}

describe('a claim on an event', () => {
	it.each([
		[200, false, false],
		[200, true, false],
		[400, false, true],
		[401, false, true],
		[500, false, true],
		[500, true, true],
	])('when n8n answers %i and the sender has hung up (%j), is taken back: %j', async (...row) => {
		const [status, hangsUp, isTakenBack] = row;
		expect(await takesBack(status, { hangsUp })).toBe(isTakenBack);
	});
});

describe('an event that cannot be checked', () => {
	it.each([
		[new Error('The key is gone'), 'It could not be checked: The key is gone'],
		['no error', 'It could not be checked:'],
	])('because of %p is answered, and a line in the log says why', async (thrown, why) => {
		const [status, warn] = [jest.fn(() => ({ json: () => {} })), jest.fn()];
		const context = {
			getResponseObject: () => ({ status }),
			getWorkflow: () => ({ id: 'unchecked', name: 'W' }),
			logger: { warn },
		};
		const receive = jest.fn().mockRejectedValue(thrown);
		const result = await alwaysRespond(context as unknown as IWebhookFunctions, 0, receive);
		// Otherwise n8n would answer, too.
		expect(result).toEqual({ noWebhookResponse: true });
		expect(status.mock.calls).toEqual([[500]]);
		expect(warn.mock.calls).toEqual([
			[`An event about an inbound call was rejected (workflow “W”, ID unchecked): ${why}`],
		]);
	});
});

describe('lines about rejected events', () => {
	const NOW = 1_800_000_000_000;
	const MINUTE = 60_000;

	/** How many lines a rejection writes. */
	const linesAbout = (why: string, at: number) => {
		const warn = jest.fn();
		const context = { getWorkflow: () => ({ id: 'w' }), logger: { warn } };
		logRejection(context as unknown as IWebhookFunctions, why, at);
		return warn.mock.calls.length;
	};

	it('are not silenced by a clock that is set back', () => {
		linesAbout('expired', NOW);
		expect(linesAbout('expired', NOW - 60 * MINUTE)).toBe(1);
	});

	it('come again after a minute', () => {
		linesAbout('forged', NOW);
		expect(linesAbout('forged', NOW + MINUTE - 1)).toBe(0);
		expect(linesAbout('forged', NOW + MINUTE)).toBe(1);
	});

	it('take a bounded memory, and forget the kind first that was shown longest ago', () => {
		for (let kind = 0; kind <= 1_000; kind += 1) linesAbout(String(kind), NOW + kind);
		expect(linesAbout('1', NOW + 1_000)).toBe(0);
		expect(linesAbout('0', NOW + 1_000)).toBe(1);
	});
});

describe('handled events', () => {
	const now = 1_800_000_000;
	const day = 24 * 60 * 60;
	let takers = 0;

	/** A trigger or execution that claims seals; the claim is followed by n8n's response. */
	const newTaker = (names = [`taker ${++takers}`]) => {
		return (nonce: string, { call = '17', expiresAt = now + 600, at = now, status = 200 } = {}) => {
			const response = Object.assign(new EventEmitter(), { statusCode: status });
			const context = { getResponseObject: () => response } as unknown as IWebhookFunctions;
			const seal = { phone: '', reference: '', issuer: '', nonce, expiresAt };
			const event = { ...EVENT, callId: call };
			const result = claimOnce(context, names, { event, seal }, at * 1_000);
			response.emit('prefinish');
			return result;
		};
	};

	it('are accepted once by each taker (§6.retries)', () => {
		const [claim, other] = [newTaker(), newTaker()];
		expect([claim('seal'), claim('seal'), other('seal')]).toEqual(['first', 'repeated', 'first']);
	});
	it('are distinguished, whatever is in their seals', () => {
		const keys = [
			['a', 'bc'],
			['ab', 'c'],
			['a', 'b', 'c'],
			['a","b', 'c'],
			['__proto__', 'constructor'],
			['a', '\ud800'],
			['a', '\ufffd'],
			['a', ''],
			['a'],
		];
		const results = keys.map((key) => newTaker(key.slice(0, -1))(String(key.at(-1))));
		expect(results).toEqual(keys.map(() => 'first'));
	});

	it.each([60, 31 * day])('with a seal that lives %i s are remembered until it expires', (life) => {
		const claim = newTaker();
		const expiresAt = now + life;
		claim('seal', { expiresAt });
		expect(claim('seal', { expiresAt, at: expiresAt - 0.001 })).toBe('repeated');
		expect(claim('seal', { expiresAt, at: expiresAt })).toBe('first');
	});

	describe('without a seal', () => {
		/** The call ID is that of the event, unless given. */
		const newListener = (names = [`taker ${++takers}`]) => {
			const context = { getResponseObject: () => new EventEmitter() };
			return (values: Partial<typeof EVENT> = {}, at = now) =>
				claimOnce(
					context as unknown as IWebhookFunctions,
					names,
					{ event: { ...EVENT, ...values }, seal: null },
					at * 1_000,
				);
		};

		it.each([
			['the same call', {}, 'repeated'],
			['its number in other writing', { clientNumber: '+7 (900) 000-00-01' }, 'repeated'],
			['another person under the same ID', { clientNumber: '79000000002' }, 'first'],
			['another call of the same person', { callId: '1234568' }, 'first'],
		])('are told apart by number and call: %s', (_what, values, expected) => {
			const claim = newListener();
			expect(claim()).toBe('first');
			expect(claim(values)).toBe(expected);
		});

		it('are remembered for a day', () => {
			const claim = newListener();
			claim();
			expect(claim({}, now + day - 0.001)).toBe('repeated');
			expect(claim({}, now + day)).toBe('first');
		});

		it('are remembered apart, so that no flood of them pushes out a seal', () => {
			const remembered = () => [usedSeals.size, reportedCalls.size];
			usedSeals.clear();
			reportedCalls.clear();
			newTaker()('seal');
			expect(remembered()).toEqual([1, 0]);
			newListener()();
			expect(remembered()).toEqual([1, 1]);
		});
	});

	it('are still recognized after the clock was set back', () => {
		const claim = newTaker();
		claim('seal');
		expect(claim('seal', { at: now - 3600 })).toBe('repeated');
	});

	it('behave like an unbounded memory as long as it is not full', () => {
		const steps = fc.array(
			fc.record({
				status: fc.constantFrom(200, 500),
				nonce: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
				call: fc.constantFrom('1', '2'),
				life: fc.integer({ min: 1, max: 20 }),
				pause: fc.nat({ max: 4 }),
			}),
			{ size: 'medium' },
		);
		fc.assert(
			fc.property(steps, (taken) => {
				const claim = newTaker();
				const model = new Map<string, { call: string; expiresAt: number }>();
				let at = now;
				for (const { status, nonce, call, life, pause } of taken) {
					at += pause;
					const expiresAt = at + life;
					const known = model.get(nonce);
					const earlier = known !== undefined && known.expiresAt > at ? known : undefined;
					const expected = earlier?.call === call ? 'repeated' : 'conflicting';
					expect(claim(nonce, { call, expiresAt, at, status })).toBe(
						earlier === undefined ? 'first' : expected,
					);
					if (earlier !== undefined) continue;
					if (status === 200) model.set(nonce, { call, expiresAt });
					else model.delete(nonce);
				}
			}),
			{ numRuns: 1000 },
		);
	});
});
