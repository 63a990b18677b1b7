import { check } from '../../../../../nodes/CallVerification/operations/phoneNumber/check';
import { fakeItem, run } from '../fakeItem';

const answer = ({ phone }: Readonly<Record<string, unknown>>) => ({
	source: phone,
	phone: 79160000001,
	country: 'Russia',
	provider: 'MTS',
	mobile: true,
	cost: 0.5,
});

async function checkNumber(phone: string, options: object = {}, simplify = true) {
	const fake = fakeItem(answer);
	const output = await run(check, fake.item, { phone, simplify }, { ...options });
	return { ...fake, output };
}

describe('the raw data of a number', () => {
	it.each(['+7 916 000-00-01', 'nobody knows'])(
		'begins with what people look for: %s',
		async (phone) => {
			const { output } = await checkNumber(phone, {}, false);
			const first = ['valid', 'phone_e164', 'mobile', 'provider', 'reason'];
			expect(Object.keys(output).slice(0, first.length)).toEqual(first);
			expect(output).toHaveProperty('country');
		},
	);
});

describe('the hint about numbers that begin with 8', () => {
	const EIGHT = '8 916 000-00-01';

	it('is shown if no country is chosen', async () => {
		const { hints, sent } = await checkNumber(EIGHT);
		expect(hints).toEqual([[expect.stringContaining('set it to 7')]]);
		expect(sent).toEqual([{ phone: EIGHT }]);
	});

	it.each([
		[EIGHT, '7'],
		[EIGHT, '49'],
		[EIGHT, '84'],
		['+7 916 000-00-01', undefined],
	])('is not shown for %s with the country %s', async (phone, defaultCountryCode) => {
		const { hints } = await checkNumber(phone, { defaultCountryCode });
		expect(hints).toEqual([]);
	});
});
