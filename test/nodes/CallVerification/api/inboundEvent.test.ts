import fc from 'fast-check';

import { readInboundEvent } from '../../../../nodes/CallVerification/api/inboundEvent';

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
const FIELDS = Object.keys(EVENT);

describe('the event of an inbound call', () => {
	it('comes out with its eight fields', () => {
		expect(readInboundEvent(EVENT)).toEqual({ ok: true, event: EVENT });
	});

	it('may have empty texts about operator and region', () => {
		const plain = { ...EVENT, isMnp: false, operatorName: '', operatorNameMnp: '', regionName: '' };
		expect(readInboundEvent(plain)).toEqual({ ok: true, event: plain });
	});

	it('brings nothing along that the contract does not name', () => {
		const body: unknown = JSON.parse(
			JSON.stringify({ ...EVENT, error: 'x' }).replace('{', '{"__proto__":{"admin":true},'),
		);
		expect(readInboundEvent(body)).toEqual({ ok: true, event: EVENT });
	});

	it.each(FIELDS)('needs the field %s', (field) => {
		const { [field]: _left, ...rest } = EVENT as Record<string, unknown>;
		const reason = `The field "${field}" is missing or of the wrong type`;
		expect(readInboundEvent(rest)).toEqual({ ok: false, reason });
	});

	it.each(FIELDS)('needs the declared type in the field %s', (field) => {
		for (const wrong of [null, 17, {}, [], field === 'isMnp' ? 'true' : true]) {
			expect(readInboundEvent({ ...EVENT, [field]: wrong }).ok).toBe(false);
		}
	});

	it.each(['callId', 'clientNumber'])('is about nobody when the field %s is empty', (field) => {
		expect(readInboundEvent({ ...EVENT, [field]: '' }).ok).toBe(false);
	});

	it.each(FIELDS.filter((field) => field !== 'isMnp'))(
		'has at most 10,000 characters in the field %s, because accepted events are stored',
		(field) => {
			expect(readInboundEvent({ ...EVENT, [field]: 'x'.repeat(10_000) }).ok).toBe(true);
			expect(readInboundEvent({ ...EVENT, [field]: 'x'.repeat(10_001) })).toEqual({
				ok: false,
				reason: `The field "${field}" is too long`,
			});
		},
	);

	it.each([null, [], 'text', 5])('is not %j', (body) => {
		expect(readInboundEvent(body)).toEqual({
			ok: false,
			reason: 'The body is not a JSON object',
		});
	});

	it('is no other JSON value, whatever it is', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (body) => {
				const reading = readInboundEvent(body);
				return !reading.ok && reading.reason !== '';
			}),
		);
	});
});
