import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { ANSWERS, checkPhone, getNumber, startCall } from './parameters';
import { runOn } from './wire';

const HINT = /eleven digits and begin with 8.*“Default Country Code”/;
const OPTION = { defaultCountryCode: '7' };

const OPERATIONS: Record<string, INodeParameters> = {
	'phoneNumber.check': checkPhone(),
	'call.start': startCall(),
	'inboundCall.start': getNumber(),
};

const CALLS = ['call.start', 'inboundCall.start'];

const run = async (name: string, written: readonly unknown[], options: INodeParameters = {}) => {
	return await runOn(
		{ body: ANSWERS[name] },
		{ ...OPERATIONS[name], phone: '={{ $json.number }}', options },
		{ items: written.map((number) => ({ number }) as IDataObject) },
	);
};

describe.each(Object.keys(OPERATIONS))('%s', (name) => {
	const asSent = (digits: string) => (CALLS.includes(name) ? Number(digits) : `+${digits}`);

	it.each([
		['7', '8 (900) 000-00-01', '79000000001'],
		[7, '900 000-00-01', '79000000001'],
		['+44', '07700 900123', '447700900123'],
		['1', 2025550123, '12025550123'],
		['={{ 3 + 4 }}', '89000000001', '79000000001'],
	])('with %j as default country code completes %j', async (code, written, digits) => {
		const { phones, error, hints } = await run(name, [written], { defaultCountryCode: code });
		expect(error).toBeUndefined();
		expect(phones).toEqual([asSent(digits)]);
		expect(hints.join()).not.toMatch(HINT);
	});

	it('sends nothing if the code is none', async () => {
		const { phones, error } = await run(name, ['89000000001'], { defaultCountryCode: '8' });
		expect(error?.message).toBe('“Default Country Code” is not a country code');
		expect(error?.description).toContain('Enter its digits, e.g. 7 for Russia');
		expect(phones).toEqual([]);
	});

	it.each(['+8 490 000-00-01', '+7 900 000-00-01', '375290000000'])(
		'does not name the option for %s',
		async (written) => {
			const { hints } = await run(name, [written]);
			expect(hints.join()).not.toMatch(HINT);
		},
	);
});

describe('phoneNumber.check without a default country code', () => {
	it('leaves a number that begins with 8 to the service, and names the option', async () => {
		const { phones, hints } = await run('phoneNumber.check', ['8 900 000-00-01']);
		expect(phones).toEqual(['8 900 000-00-01']);
		expect(hints.filter((hint) => HINT.test(hint))).toHaveLength(1);
	});
});

describe.each(CALLS)('%s without the default country code that fits', (name) => {
	const numbers = ['8 (495) 123-45-67', '84951234567', '8 (495) 123-45-678', '8 029 123-45-67'];

	it.each(numbers)('calls nobody at %s, because +84 … is somebody in Vietnam', async (written) => {
		for (const code of ['', '44', '996']) {
			const { phones, error } = await run(name, [written], { defaultCountryCode: code });
			expect(phones).toEqual([]);
			expect(error?.message).toMatch(/may lack its country code|has a digit too many/);
			expect(error?.description).toContain('Enter the number with its country code');
		}
	});
});

describe('phoneNumber.check with a default country code', () => {
	it('pays once for a number in all its writings, and shows each as it was', async () => {
		const forms = [
			'8 (900) 000-00-01',
			'+7 900 000-00-01',
			9000000001,
			'="89000000001"',
			'wa.me/79000000001',
			'8 900 000 00 01 доб. 3',
		];
		const { phones, outputs, hints } = await run('phoneNumber.check', forms, OPTION);
		expect(phones).toEqual(['+79000000001']);
		expect(outputs.map(({ source, cost }) => [source, cost])).toEqual(
			forms.map((form, index) => [String(form), index === 0 ? 0.5 : 0]),
		);
		expect(hints).toEqual(['6 of 6 items done, 5 duplicate requests avoided, total cost 0.5']);
	});
});

describe.each(CALLS)('%s with a default country code', (name) => {
	it('applies Allowed Prefixes to the whole number', async () => {
		const prefixes = { allowedPrefixes: '79' };
		expect((await run(name, ['447900000001'], prefixes)).error?.message).toBe(
			'The phone number does not start with any of the allowed prefixes',
		);
		const { phones, error } = await run(name, ['8 900 000-00-01'], { ...prefixes, ...OPTION });
		expect(error).toBeUndefined();
		expect(phones).toEqual([79000000001]);
		// What a stranger writes without a plus must not pass for a local number of an allowed country.
		const refused = await run(name, ['447900000001'], { ...prefixes, ...OPTION });
		expect(refused.error?.message).toContain('allowed prefixes');
		expect(refused.phones).toEqual([]);
	});

	it('does not call one of two numbers in a cell', async () => {
		const { phones, error } = await run(name, ['89000000001, 89000000002'], OPTION);
		expect(error?.message).toBe('The phone number contains two numbers');
		expect(phones).toEqual([]);
	});
});

describe('call.start with a default country code', () => {
	const keysOf = async (written: readonly string[], options: INodeParameters) => {
		const keys = new Set<unknown>();
		for (const phone of written) {
			const { sent } = await run('call.start', [phone], options);
			expect(sent).toHaveLength(1);
			keys.add(sent[0]?.fields.unique);
		}
		return keys;
	};
	const WRITINGS = ['+7 900 000-00-77', '8 (900) 000-00-77', '9000000077'];

	it.each([
		['idempotency key', {}],
		['key during the cooldown', { cooldown: 10 }],
	])('has the same %s for all writings of a number', async (_what, options) => {
		expect((await keysOf(WRITINGS, { ...OPTION, ...options })).size).toBe(1);
	});
});
