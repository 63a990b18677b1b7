import { parseRetryAfter } from '../../../../nodes/CallVerification/pacing/retryAfter';

const now = Date.UTC(2030, 0, 1, 12, 0, 0);

describe('parseRetryAfter', () => {
	it.each([
		['0', 0],
		['1', 1000],
		[' 7 ', 7000],
		['0.25', 250],
		[3, 3000],
		['300', 300_000],
		['86400', 86_400_000],
		// Longer than a timer can be set to.
		['99999999999999999999999', 2_147_483_647],
		['Tue, 01 Jan 2030 12:00:30 GMT', 30_000],
		['Tue, 01 Jan 2030 11:59:00 GMT', 0],
		['Wed, 02 Jan 2030 12:00:00 GMT', 86_400_000],
	])('reads %p as %p ms', (header, expected) => {
		expect(parseRetryAfter(header, now)).toBe(expected);
	});

	it.each([
		[undefined],
		[null],
		[''],
		['-1'],
		['+1'],
		['1e3'],
		['1.'],
		['.5'],
		['soon'],
		['1 minute'],
		['in 5'],
		[NaN],
		[Infinity],
		[{}],
		['2030-01-01T12:00:30Z'],
		['Tue, 01 Jan 2030 12:00:30 CET'],
		['Tue, 01 Jan 2030 12:00:30 GMT+01:00'],
		['x Tue, 01 Jan 2030 12:00:30 GMT'],
		['Tue, 1 Jan 2030 12:00:30 GMT'],
		['Tue, 01 Xyz 2030 12:00:30 GMT'],
		['Tue, 01 Jan 2030 25:00:00 GMT'],
	])('ignores %p', (header) => {
		expect(parseRetryAfter(header, now)).toBeUndefined();
	});
});
