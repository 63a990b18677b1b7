import { ListFile } from '../../../../nodes/CallVerification/phones/listFile';
import { ListNumbers } from '../../../../nodes/CallVerification/phones/listNumbers';
import { endlessSlice } from './endlessSlice';

const PHONE = '+79000000001';
const HEADER = 'phone,valid,phone_e164,mobile,operator,country,region,reason,checked_at';
const REUSE = { now: Date.parse('2026-11-20T00:00:00.000Z'), days: 10 };

const read = async (text: string) => await ListFile.read(Buffer.from(text), endlessSlice);

async function checkedOn(day: string, valid = 'TRUE') {
	const at = `2026-11-${day}T00:00:00.000Z`;
	const file = await read(`${HEADER}\n${PHONE},${valid},${PHONE},,,,,,${at}\n`);
	return { file, owners: await file.ownersOfResults([], endlessSlice) };
}

/** The day of the result that the number of a list gets from these files, and whether it is good enough. */
async function resultFrom(files: ReadonlyArray<ReturnType<typeof checkedOn>>) {
	const list = await read(`phone\n${PHONE}\n`);
	const [results] = await list.resultSetsFor([0], endlessSlice);
	if (results === undefined) throw new Error('The list has no phone column');
	const columns = [{ column: 0, results }];
	const numbers = await ListNumbers.read(list, columns, REUSE, endlessSlice);
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
	])('gets the newest result: %s', async (_order, days, expected) => {
		expect(await resultFrom(days.map((day) => checkedOn(day)))).toMatchObject(expected);
	});

	it('keeps the first of two results of the same time', async () => {
		const files = [checkedOn('15', 'FALSE'), checkedOn('15', 'TRUE')];
		expect(await resultFrom(files)).toMatchObject({ valid: 'FALSE', isUnknown: false });
	});
});
