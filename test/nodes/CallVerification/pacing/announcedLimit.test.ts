import { announcedLimit } from '../../../../nodes/CallVerification/pacing/announcedLimit';

const headers = (limit: unknown, remaining: unknown) => ({
	'x-rate-limit-limit': limit,
	'x-rate-limit-remaining': remaining,
});

describe('announcedLimit', () => {
	it.each([['x-rate-limit-'], ['x-ratelimit-'], ['ratelimit-']])('reads %s…', (prefix) => {
		expect(announcedLimit({ [`${prefix}limit`]: '30', [`${prefix}remaining`]: '0' })).toEqual({
			limit: 30,
			remaining: 0,
		});
	});

	it.each([
		['30', '30', 30, 30],
		[' 30 ', ' 7 ', 30, 7],
		[30, 7, 30, 7],
		[['30'], ['7'], 30, 7],
		['100, 100;w=60', '7', 100, 7],
		['100;w=60', '7', 100, 7],
		['999999999', '1', 999_999_999, 1],
	])('reads %p and %p as %i and %i', (limit, remaining, ...expected) => {
		const read = announcedLimit(headers(limit, remaining));
		expect([read?.limit, read?.remaining]).toEqual(expected);
	});

	it.each([
		['30', undefined],
		[undefined, '7'],
		['', ''],
		['30', '31'],
		['0', '0'],
		['-30', '-1'],
		['30', '-1'],
		['30', 'none'],
		['thirty', '7'],
		['30 per second', '7'],
		['30', '7.5'],
		['1e3', '7'],
		['0x30', '7'],
		[NaN, NaN],
		['Infinity', '7'],
		['9999999999', '7'],
		[null, null],
		[{}, {}],
	])('ignores %p and %p', (limit, remaining) => {
		expect(announcedLimit(headers(limit, remaining))).toBeUndefined();
	});

	it('ignores the reset, whose unit is unknown', () => {
		const said = headers('30', '7');
		for (const reset of ['1', '1893456000', '1893456000000', 'soon', '-1']) {
			const withReset = { ...said, 'x-rate-limit-reset': reset };
			expect(announcedLimit(withReset)).toEqual(announcedLimit(said));
		}
	});
});
