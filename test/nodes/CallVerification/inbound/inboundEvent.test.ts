import fc from 'fast-check';

import { readInboundEvent } from '../../../../nodes/CallVerification/inbound/inboundEvent';

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

const eventOf = (body: unknown) => {
	const reading = readInboundEvent(body);
	if (!reading.ok) throw new Error(reading.reason);
	return reading.event;
};

describe('the event of an inbound call', () => {
	it('comes out with its eight fields', () => {
		expect(readInboundEvent(EVENT)).toEqual({ ok: true, event: EVENT });
	});

	it('may have empty texts about operator and region', () => {
		const plain = { ...EVENT, isMnp: false, operatorName: '', operatorNameMnp: '', regionName: '' };
		expect(readInboundEvent(plain)).toEqual({ ok: true, event: plain });
	});

	it('is complete with a call ID and a number; the rest is then empty', () => {
		const { callId, clientNumber } = EVENT;
		expect(eventOf({ callId, clientNumber })).toEqual({
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
		const event = eventOf(body);
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
				const event = eventOf(fields);
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
		expect(eventOf({ ...EVENT, [field]: value })).toMatchObject({ [field]: text });
	});

	it.each([undefined, null, '', ' ', true, {}, [], ['1'], 1.5, NaN, Infinity, 2 ** 53, 1e21])(
		'must not be %p',
		(value) => {
			const reason = `The field "${field}" is missing or of the wrong type`;
			expect(readInboundEvent({ ...EVENT, [field]: value })).toEqual({ ok: false, reason });
		},
	);

	it('has at most 10,000 characters, because accepted events are stored', () => {
		expect(readInboundEvent({ ...EVENT, [field]: 'x'.repeat(10_000) }).ok).toBe(true);
		expect(readInboundEvent({ ...EVENT, [field]: 'x'.repeat(10_001) })).toEqual({
			ok: false,
			reason: `The field "${field}" is too long`,
		});
	});
});

describe('what is optional in an event', () => {
	it.each(OPTIONAL_TEXTS)('is a text in the field %s, or else empty', (field) => {
		const read = (value: unknown) => new Map(Object.entries(eventOf({ ...EVENT, [field]: value })));
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
			expect(eventOf({ ...EVENT, [field]: long })).toMatchObject({ [field]: long });
			expect(eventOf({ ...EVENT, [field]: `${long}x` })).toMatchObject({ [field]: '' });
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
		expect(eventOf({ ...EVENT, isMnp: value }).isMnp).toBe(isMnp);
	});
});

describe('what is plainly not an event', () => {
	it.each([undefined, null, [], [EVENT], 'text', JSON.stringify(EVENT), 5])('is %j', (body) => {
		expect(readInboundEvent(body)).toEqual({
			ok: false,
			reason: 'The body is not a JSON object',
		});
	});

	it('is any other JSON value, whatever it is', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (body) => {
				const reading = readInboundEvent(body);
				return !reading.ok && reading.reason !== '';
			}),
		);
	});
});
