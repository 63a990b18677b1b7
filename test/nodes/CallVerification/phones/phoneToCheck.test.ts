import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { readPhoneToCheck, sameNumberKey } from '../../../../nodes/CallVerification/phones/phone';

describe('the text of a number to check', () => {
	it.each(['+7 900 000-00-01', ' 8 (900) ', 'call me', '00', '٧٩٠', '7,5', '7\u0007'])(
		'stays as typed: %j',
		(text) => {
			expect(readPhoneToCheck(text)).toEqual({ source: text, text });
		},
	);

	it('may come as a number', () => {
		expect(readPhoneToCheck(79000000001)).toEqual({ source: '79000000001', text: '79000000001' });
		expect(readPhoneToCheck(7.9000000001e10).text).toBe('79000000001');
	});

	it('loses its invisible marks, which the source keeps', () => {
		const pasted = '\u202a+7 900\u200b 000-00-01\u202c';
		expect(readPhoneToCheck(pasted)).toEqual({ source: pasted, text: '+7 900 000-00-01' });
	});

	it.each([
		['79000000001.0', '79000000001'],
		['7,9000000001E+10', '79000000001'],
		['+89000000001.0', '+89000000001'],
	])('is the number that a spreadsheet has written as %s', (source, text) => {
		expect(readPhoneToCheck(source)).toEqual({ source, text });
	});

	it.each([
		[undefined, ''],
		[null, ''],
		['', ''],
		[' \t\n', ' \t\n'],
		['\u200b \u200e\u2066\ufeff', '\u200b \u200e\u2066\ufeff'],
		['\u0000', '\u0000'],
	])('is a problem when nothing is visible: %j', (value, source) => {
		expect(readPhoneToCheck(value)).toEqual({ source, problem: 'The phone number is empty' });
	});

	it('is a problem when a spreadsheet has rounded it', () => {
		const problem = 'A spreadsheet has rounded the phone number: format the column as text';
		expect(readPhoneToCheck('7.9E+10')).toEqual({ source: '7.9E+10', problem });
		expect(readPhoneToCheck(2 ** 53)).toEqual({ source: '9007199254740992', problem });
	});

	it.each([1.5, 0, -1, NaN])('is a problem when it is the number %j', (value) => {
		const problem = 'Not a phone number';
		expect(readPhoneToCheck(value)).toEqual({ source: String(value), problem });
	});

	it.each([{}, [], true])('is refused when it is %j', (value) => {
		expect(() => readPhoneToCheck(value)).toThrow(InputError);
	});
});

describe('the same number', () => {
	it.each([
		['+7 900 000-00-01', '79000000001'],
		['(7) 900.000.00.01', '+79000000001'],
		['8 900', '8900'],
		['call me', 'call me'],
		['79000000001.0', '+7 900 000-00-01'],
		['7,9000000001E+10', '79000000001.00'],
		['+8 900 000-00-01', '+89000000001,0'],
		['\u200e+7 900', '7900'],
		['\u200ecall me', 'call me'],
	])('is written as %s or %s', (one, other) => {
		expect(sameNumberKey(one)).toBe(sameNumberKey(other));
	});

	it.each([
		['89000000001', '+89000000001'],
		['0049151000000', '+0049151000000'],
		['79000000001', '79000000002'],
		['7 900 x', '7900x'],
		['7+900', '7900'],
		['79000000001.0', '790000000010'],
		['89000000001.0', '+89000000001.0'],
		['7.9E+10', '79000000000'],
	])('is not %s and %s', (one, other) => {
		expect(sameNumberKey(one)).not.toBe(sameNumberKey(other));
	});
});
