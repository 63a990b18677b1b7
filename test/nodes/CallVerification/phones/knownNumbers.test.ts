import type { TimeSlice } from '../../../../nodes/CallVerification/pacing/time';
import { writeKnownNumbers } from '../../../../nodes/CallVerification/phones/knownNumbers';
import { ListFile } from '../../../../nodes/CallVerification/phones/listFile';
import { ListNumber } from '../../../../nodes/CallVerification/phones/listNumbers';
import { NO_RESULT } from '../../../../nodes/CallVerification/phones/resultColumns';
import { endlessSlice, pausesIn } from './endlessSlice';

const HEADER = 'phone,valid,phone_e164,mobile,operator,country,region,reason,checked_at,price';

const numberOf = (text: string, day: string, cost?: number) =>
	Object.assign(new ListNumber(text, text), {
		result: {
			cost,
			...NO_RESULT,
			valid: 'TRUE',
			phone_e164: text,
			checked_at: `2026-11-${day}T10:00:00.000Z`,
		},
	});

async function checkedFile(text: string) {
	const file = await ListFile.read(Buffer.from(text), endlessSlice, { mayHaveNoRows: true });
	return { file, owners: await file.ownersOfResults([0], endlessSlice) };
}

/** Each number with the day of its result and its price. */
async function written(
	numbers: ListNumber[],
	files: string[] = [],
	most?: number,
	countryCode?: string,
): Promise<string[]> {
	const checked = await Promise.all(files.map(checkedFile));
	const bytes = await writeKnownNumbers(numbers, checked, { most, countryCode }, endlessSlice);
	const [header, ...lines] = bytes.toString('utf8', 3).trimEnd().split('\n');
	expect(header).toBe(HEADER);
	return lines.map((line) => {
		const cells = line.split(',');
		return [cells[0], cells[8]?.slice(8, 10), cells[9]].join(' ');
	});
}

const fileOf = (...rows: Array<readonly [phone: string, day: string, price?: string]>) =>
	`${HEADER}\n${rows.map(([phone, day, price = '']) => `${phone},TRUE,${phone},,,,,,2026-11-${day}T10:00:00.000Z,${price}\n`).join('')}`;

const [A, B, C] = ['+79000000001', '+79000000002', '+79000000003'] as const;

describe('the file of known numbers', () => {
	it('has the newest result of each number, from whichever file', async () => {
		const [first, second] = [
			fileOf([A, '05', '1'], [B, '07', '2']),
			fileOf([A, '06', '3'], [B, '01']),
		];
		expect(await written([], [first, second])).toEqual([`${A} 06 3`, `${B} 07 2`]);
		expect(await written([], [second, first])).toEqual([`${A} 06 3`, `${B} 07 2`]);
		expect(await written([numberOf(A, '08', 0.25), numberOf(C, '02')], [first])).toEqual([
			`${A} 08 0.25`,
			`${B} 07 2`,
			`${C} 02 `,
		]);
	});

	it('keeps the price of a result that was reused', async () => {
		expect(await written([numberOf(A, '05')], [fileOf([A, '05', '0.05'])])).toEqual([
			`${A} 05 0.05`,
		]);
	});

	it('drops the oldest results beyond its limit', async () => {
		const file = fileOf([A, '05'], [B, '01'], [C, '05']);
		expect(await written([], [file], 3)).toHaveLength(3);
		expect(await written([], [file], 2)).toEqual([`${A} 05 `, `${C} 05 `]);
		expect(await written([], [file], 1)).toEqual([`${A} 05 `]);
		const mixed = fileOf([A, '02'], [B, '03'], [C, '01']);
		expect(await written([], [mixed], 2)).toEqual([`${A} 02 `, `${B} 03 `]);
		expect(await written([numberOf('+79000000004', '09')], [file], 2)).toEqual([
			`${A} 05 `,
			'+79000000004 09 ',
		]);
	});

	it('has no numbers without a result', async () => {
		const open = new ListNumber(A, A);
		open.result = { ...NO_RESULT, reason: 'not_checked: …' };
		const nameless = numberOf(B, '05');
		nameless.result = { ...nameless.result, valid: 'FALSE', phone_e164: '' };
		expect(await written([open, nameless, new ListNumber(C, C)])).toEqual([]);
	});

	it.each([
		['as it was written, without punctuation', '8 (900) 000-00-01', '89000000001'],
		['without a plus, if the list had none', '79000000001', '79000000001'],
		['as it was found, if the cell was changed', B, A],
		['as it was found, if the cell is empty now', '', A],
	])('has a number %s', async (_how, cell, expected) => {
		const row = (phone: string, e164: string) =>
			`${phone},TRUE,${e164},,,,,,2026-11-05T10:00:00.000Z,\n`;
		// By its other rows, the phone column is found.
		const file = `${HEADER}\n${row(cell, A)}${row(C, C)}`;
		expect(await written([], [file])).toEqual([`${expected} 05 `, `${C} 05 `]);
	});

	it('has an invalid number as it was sent, whatever the country code is now', async () => {
		const row = '8613800000000,FALSE,8613800000000,,,,,Too short,2026-11-05T10:00:00.000Z,';
		const file = `${HEADER}\n${row}\n`;
		expect(await written([], [file], undefined, '86')).toEqual(['8613800000000 05 ']);
	});

	it('has the numbers of a file whose own cells are gone', async () => {
		const rows = fileOf([A, '05'], [B, '06']).replace(/^[^,]*,/gm, '');
		expect(await written([], [rows])).toEqual([`${A} 05 `, `${B} 06 `]);
	});

	it('has no number of a file that is neither valid nor invalid', async () => {
		const file = fileOf([A, '05'], [B, '05'], [C, '05']);
		const changed = file.replace(`${A},TRUE`, `${A},`).replace(`${B},TRUE`, `${B},FALSE`);
		expect(await written([], [changed])).toEqual([`${B} 05 `, `${C} 05 `]);
	});

	it('is complete, however long it is', async () => {
		const phones = Array.from({ length: 2_000 }, (_, index) => `+7900000${1_000 + index}`);
		const file = await written(phones.map((phone) => numberOf(phone, '05', 0.5)));
		expect(file).toEqual(phones.map((phone) => `${phone} 05 0.5`));
	});

	it('lets n8n do other work while it is written', async () => {
		const numbers = [numberOf(A, '01'), numberOf(B, '02'), numberOf(C, '03')];
		const write = async (slice: TimeSlice) =>
			await writeKnownNumbers(numbers, [], { most: 2 }, slice);
		// To find the newest, to find the oldest, and to write the two that are kept.
		expect(await pausesIn(write)).toBe(3 + 3 + 2);
	});
});
