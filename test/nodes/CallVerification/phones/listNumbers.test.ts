import type { TimeSlice } from '../../../../nodes/CallVerification/pacing/time';
import { ListFile } from '../../../../nodes/CallVerification/phones/listFile';
import { belongsTo, ListNumbers } from '../../../../nodes/CallVerification/phones/listNumbers';
import { NO_RESULT } from '../../../../nodes/CallVerification/phones/resultColumns';
import { endlessSlice, pausesIn } from './endlessSlice';

const PHONE = '+79000000001';
const HEADER = 'phone,valid,phone_e164,mobile,operator,country,region,reason,checked_at';
const REUSE = { now: Date.parse('2026-11-20T00:00:00.000Z'), days: 10 };

const read = async (text: string) => await ListFile.read(Buffer.from(text), endlessSlice);

async function checkedFile(...rows: string[]) {
	const file = await read(`${HEADER}\n${rows.join('\n')}\n`);
	return { file, owners: await file.ownersOfResults([0], endlessSlice) };
}

/** On a day of November, or at any other time. */
const timeOf = (day: string) => (day.length === 2 ? `2026-11-${day}T00:00:00.000Z` : day);
const rowOf = (day: string, valid = 'TRUE', cell = PHONE, phone = PHONE) =>
	`${cell},${valid},${phone},,,,,,${timeOf(day)}`;
const checkedOn = async (day: string, valid?: string) => await checkedFile(rowOf(day, valid));

/** The numbers of a list whose first column has them. */
async function numbersOf(text: string, reuse = REUSE, slice = endlessSlice) {
	const list = await read(text);
	const [results] = await list.resultSetsFor([0], endlessSlice);
	if (results === undefined) throw new Error('The list has no phone column');
	return await ListNumbers.read(list, [{ column: 0, results }], reuse, slice);
}

/** The day of the result that the number of a list gets from these files, and whether it is good enough. */
async function resultFrom(
	files: ReadonlyArray<ReturnType<typeof checkedFile>>,
	{ list = `phone\n${PHONE}\n`, reuse = REUSE } = {},
) {
	const numbers = await numbersOf(list, reuse);
	for (const file of files) await numbers.addKnown(await file, endlessSlice);
	const [unknown] = await numbers.findUnknown(endlessSlice);
	const [number] = numbers.all;
	const { valid, checked_at: at } = unknown?.outdated ?? number?.result ?? {};
	return { day: at?.slice(8, 10), valid, isUnknown: unknown !== undefined };
}

describe('a number that several files know', () => {
	it.each([
		['the newest first', ['18', '15', '12'], { day: '18', isUnknown: false }],
		['the newest last', ['12', '15', '18'], { day: '18', isUnknown: false }],
		['an outdated one first', ['01', '12'], { day: '12', isUnknown: false }],
		['an outdated one last', ['12', '01'], { day: '12', isUnknown: false }],
		['only outdated ones', ['01', '03', '02'], { day: '03', isUnknown: true }],
		['one from the future first', ['22', '18'], { day: '18', isUnknown: false }],
		['one from the future last', ['18', '22'], { day: '18', isUnknown: false }],
		['one of an unknown time first', ['05.11.2026', '03'], { day: '03', isUnknown: true }],
		['one of an unknown time last', ['03', '05.11.2026'], { day: '03', isUnknown: true }],
	])('gets the newest result: %s', async (_order, days, expected) => {
		expect(await resultFrom(days.map((day) => checkedOn(day)))).toMatchObject(expected);
	});

	it.each([
		['new', '15', false],
		['outdated', '01', true],
	])('keeps the first of two %s results of the same time', async (_what, day, isUnknown) => {
		const files = [checkedOn(day, 'FALSE'), checkedOn(day, 'TRUE')];
		expect(await resultFrom(files)).toMatchObject({ valid: 'FALSE', isUnknown });
	});
});

describe('a result from another file', () => {
	it.each([
		['less than ten days ago', '2026-11-10T00:00:00.001Z', 10, true],
		['ten days ago', '2026-11-10T00:00:00.000Z', 10, false],
		['by a clock that is ahead', '2026-11-20T23:59:59.999Z', 10, true],
		['a day ahead', '2026-11-21T00:00:00.000Z', 10, false],
		['just now, but nothing is reused', '2026-11-20T00:00:00.000Z', 0, false],
		['by a clock that is ahead, but nothing is reused', '2026-11-20T01:00:00.000Z', 0, false],
		['at a time without its zone', '2026-11-18 10:00', 10, true],
		['on a day without a time', '2026-11-18', 10, false],
		['as a spreadsheet writes it', '18.11.2026 10:00', 10, false],
		['with words before it', 'on 2026-11-18 10:00', 10, false],
		['nobody knows when', '', 10, false],
	])('is reused as long as it is young: %s', async (_when, time, days, isReused) => {
		const reuse = { ...REUSE, days };
		expect(await resultFrom([checkedOn(time)], { reuse })).toMatchObject({ isUnknown: !isReused });
	});

	const [NATIONAL, OTHER] = ['8 900 000-00-01', '+79000000002'];

	it.each([
		['its number', PHONE, rowOf('18', 'TRUE', NATIONAL), false],
		[
			'its cell, of which only the service knew the country',
			NATIONAL,
			rowOf('18', 'TRUE', NATIONAL),
			false,
		],
		['a cell that was changed since', OTHER, rowOf('18', 'TRUE', OTHER), true],
		['the number that was in a cell before', PHONE, rowOf('18', 'TRUE', OTHER), false],
		['a number without a result', PHONE, rowOf('18', ''), true],
		['a result that somebody has changed', PHONE, rowOf('18', 'maybe'), true],
		['a result without its number', PHONE, rowOf('18', 'FALSE', PHONE, ''), true],
	])('is looked for by %s', async (_what, cell, row, isUnknown) => {
		const list = `phone\n${cell}\n`;
		// By its other rows, the phone column is found.
		const rest = rowOf('18', 'TRUE', '+79000000003', '+79000000003');
		expect(await resultFrom([checkedFile(row, rest, rest)], { list })).toMatchObject({ isUnknown });
	});

	it.each(['86 138 0000 0000', '8613800000000'])(
		'without a plus is found with the default country code: %s',
		async (cell) => {
			const reuse = { ...REUSE, countryCode: '86' };
			const files = [checkedFile(rowOf('18', 'FALSE', cell, '8613800000000'))];
			const list = 'phone\n+86 138 0000 0000\n';
			expect(await resultFrom(files, { list, reuse })).toEqual({
				day: '18',
				valid: 'FALSE',
				isUnknown: false,
			});
		},
	);
});

describe('the result of a cell', () => {
	it.each([
		['valid', rowOf('18'), { from: 'before', isUnknown: false }],
		['invalid', rowOf('18', 'FALSE'), { from: 'before', isUnknown: false }],
		['valid, and old', rowOf('01'), { isUnknown: true, outdated: 'TRUE' }],
		['invalid, and old', rowOf('01', 'FALSE'), { isUnknown: true }],
		['empty', rowOf('18', ''), { isUnknown: true }],
		['in other words', rowOf('18', 'maybe'), { isUnknown: true }],
		['of another number', rowOf('18', 'TRUE', PHONE, '+79000000002'), { isUnknown: true }],
	])('that is %s', async (_what, row, expected) => {
		const numbers = await numbersOf(`${HEADER}\n${row}\n`);
		const [unknown] = await numbers.findUnknown(endlessSlice);
		expect({
			from: numbers.all[0]?.from,
			isUnknown: unknown !== undefined,
			outdated: unknown?.outdated?.valid,
		}).toEqual({ from: undefined, outdated: undefined, ...expected });
	});

	it('that is old and invalid hides no new one from another file', async () => {
		const list = `${HEADER}\n${rowOf('01', 'FALSE')}\n`;
		const result = await resultFrom([checkedOn('18')], { list });
		expect(result).toEqual({ day: '18', valid: 'TRUE', isUnknown: false });
	});

	it.each([
		['+79000000001', '+79000000001', true],
		['8 900 000-00-01', '+79000000001', true],
		['900 000-00-01', '+79000000001', true],
		['29 123-45-67', '+375291234567', true],
		['9 123-45-67', '+375291234567', false],
		['+9000000001', '+79000000001', false],
		['8 79000000001', '+79000000001', false],
		['900 000-00-02', '+79000000001', false],
		['79000000001', 'x79000000001', false],
		['79000000001', '79000000001x', false],
		['79000000001', '', false],
	])('belongs to %s if it is of %s: %j', (text, phone_e164, expected) => {
		for (const valid of ['TRUE', 'FALSE']) {
			expect(belongsTo(text, { ...NO_RESULT, valid, phone_e164 })).toBe(expected);
		}
		for (const valid of ['', 'maybe']) {
			expect(belongsTo(text, { ...NO_RESULT, valid, phone_e164 })).toBe(false);
		}
	});
});

describe('numbers that begin with 8', () => {
	const NATIONAL = '8 900 000-00-01';

	it.each([
		['to be sent', `phone\n${PHONE}\n${NATIONAL}\n`, true],
		['with a result', `${HEADER}\n${PHONE},,,,,,,,\n${rowOf('18', 'TRUE', NATIONAL)}\n`, false],
		['of which there are none', `phone\n${PHONE}\n`, false],
	])('%s', async (_what, list, expected) => {
		expect(await (await numbersOf(list)).anyBeginsWith8(endlessSlice)).toBe(expected);
	});
});

describe('the counts of a list', () => {
	const NONE = { valid: 0, invalid: 0, cell: 0, before: 0, service: 0, outdated: 0, failed: 0 };
	const none = { ...NONE, not_checked: 0 };

	it('have a number in each of its cells, and not before it has a result', async () => {
		const open = await numbersOf(`phone\n${PHONE}\n${PHONE}\n`);
		expect(await open.countCells(endlessSlice)).toStrictEqual(none);
		expect(open.resultOf(0, 0)).toEqual(NO_RESULT);
		expect(await open.countValid(endlessSlice)).toEqual({ ofColumns: [0], rows: 0 });
		const rows = [rowOf('18'), rowOf('18'), `${PHONE},,,,,,,,`, 'n/a,,,,,,,,'];
		const invalid = rowOf('18', 'FALSE', '+79000000002', '+79000000002');
		const known = await numbersOf(`${HEADER}\n${[...rows, invalid].join('\n')}\n`);
		await known.findUnknown(endlessSlice);
		const counts = { ...none, valid: 3, invalid: 1, before: 4, cell: 1 };
		expect(await known.countCells(endlessSlice)).toStrictEqual(counts);
		expect(await known.countValid(endlessSlice)).toEqual({ ofColumns: [3], rows: 3 });
		expect([0, 2, 4].map((row) => known.resultOf(row, 0).valid)).toEqual(['TRUE', 'TRUE', 'FALSE']);
		expect(known.resultOf(3, 0)).toEqual({ ...NO_RESULT, reason: 'unreadable: no number' });
	});
});

describe('work on a long list', () => {
	const phones = [PHONE, '+79000000002', '+79000000003'];
	const checked = phones.map((phone) => rowOf('01', 'FALSE', phone, phone));
	const list = `${HEADER}\n${checked.join('\n')}\n`;

	it.each<[string, (numbers: ListNumbers, slice: TimeSlice) => Promise<unknown>]>([
		['reads', async (_, slice) => await numbersOf(list, REUSE, slice)],
		['looks for known results', async (numbers, slice) => await numbers.addKnownOfList(slice)],
		['looks for the others', async (numbers, slice) => await numbers.findUnknown(slice)],
		['looks at first digits', async (numbers, slice) => await numbers.anyBeginsWith8(slice)],
		['counts cells', async (numbers, slice) => await numbers.countCells(slice)],
		['counts rows', async (numbers, slice) => await numbers.countValid(slice)],
	])('lets n8n do other work while it %s', async (_what, work) => {
		const numbers = await numbersOf(list);
		expect(await pausesIn(async (slice) => await work(numbers, slice))).toBe(phones.length);
	});
});
