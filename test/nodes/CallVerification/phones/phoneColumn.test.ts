import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { ListFile } from '../../../../nodes/CallVerification/phones/listFile';
import {
	type ChosenColumns,
	findPhoneColumns,
} from '../../../../nodes/CallVerification/phones/phoneColumn';
import { RESULT_COLUMNS } from '../../../../nodes/CallVerification/phones/resultColumns';
import { TimeSlice } from '../../../../nodes/CallVerification/pacing/time';
import { endlessSlice } from './endlessSlice';

const NUMBER = '+7 (900) 000-00-01';
const NOT_FOUND = 'The column with the phone numbers could not be found';

async function fileOf(header: string, ...rows: string[]): Promise<ListFile> {
	return await ListFile.read(Buffer.from([header, ...rows].join('\n')), endlessSlice);
}

/** The names of the columns, joined with “+”. */
async function found(file: Promise<ListFile>, chosen: ChosenColumns = ''): Promise<string> {
	const { columns } = await file;
	const places = await findPhoneColumns(await file, chosen, endlessSlice);
	return places.map((place) => columns[place]).join('+');
}

async function refusal(file: Promise<ListFile>, chosen: ChosenColumns = ''): Promise<InputError> {
	const opened = await file;
	const failing = findPhoneColumns(opened, chosen, endlessSlice);
	await expect(failing).rejects.toBeInstanceOf(InputError);
	return (await failing.catch((error: unknown) => error)) as InputError;
}

describe('a chosen column', () => {
	const file = fileOf('id;Phone;phone; Работа ;x;x', '1;2;3;4;5;6');

	it('is the one of exactly that name, or else whatever its case and spaces', async () => {
		expect(await found(file, 'phone')).toBe('phone');
		expect(await found(file, 'Phone')).toBe('Phone');
		expect(await found(file, 'ID')).toBe('id');
		expect(await found(file, ' работа')).toBe(' Работа ');
	});

	it.each([
		['Tel', 'The file has no column “Tel”'],
		['+7 900 000-00-01', 'The file has no column “+•••01”'],
		['id, Tel', 'The file has no column “Tel”'],
	])('is refused, with a list of all, if it is %s', async (chosen, message) => {
		const error = await refusal(file, chosen);
		expect(error.message).toBe(message);
		expect(error.advice).toBe(
			'Enter the name of the column with the phone numbers in “Phone Column”, or several names, separated by commas. The file has: “id”, “Phone (1)”, “phone (2)”, “Работа”, “x (1)”, “x (2)”.',
		);
	});

	it.each([
		['PHONE', '“Phone (1)”, “phone (2)”'],
		['x', '“x (1)”, “x (2)”'],
		['id, x', '“x (1)”, “x (2)”'],
	])(
		'is one of several if it is %s, and the error says how to tell them apart',
		async (chosen, names) => {
			const error = await refusal(file, chosen);
			expect(error.message).toMatch(/^The file has 2 columns called “(?:PHONE|x)”$/);
			expect(error.advice).toBe(
				`Enter which one you mean in “Phone Column”, or several of them, separated by commas: ${names}.`,
			);
		},
	);

	it('is told apart from others of its name by its number', async () => {
		const places = async (chosen: ChosenColumns) =>
			await findPhoneColumns(await file, chosen, endlessSlice);
		expect(await places('x (2)')).toEqual([5]);
		expect(await places('X (1)')).toEqual([4]);
		expect(await places('x (2), x (1),phone (2)')).toEqual([2, 4, 5]);
		const taken = await fileOf('Телефон;Телефон;Телефон (2);', '1;2;3;4');
		expect(taken.labels).toEqual(['Телефон (1)', 'Телефон (3)', 'Телефон (2)', 'Column 4']);
		expect(await findPhoneColumns(taken, 'телефон (2)', endlessSlice)).toEqual([2]);
	});

	it('may be one of several, whose names may have commas, too', async () => {
		const several = fileOf('Phone, home;Phone;home;"work, mobile, other"', '1;2;3;4');
		expect(await found(several, 'Phone, home')).toBe('Phone, home');
		expect(await found(several, 'Phone,home')).toBe('Phone+home');
		expect(await found(several, 'home, work, mobile, other, ')).toBe('home+work, mobile, other');
		expect(await found(several, 'Phone, home, Phone, Phone')).toBe('Phone, home+Phone');
		expect(await found(several, ['Phone, home', 'home'])).toBe('Phone, home+home');
		expect((await refusal(several, ['Phone,home'])).message).toBe(
			'The file has no column “Phone,home”',
		);
	});

	it('cannot be one that the operation itself writes, because it would lose its numbers', async () => {
		const checked = fileOf(`a;${RESULT_COLUMNS.join(';')}`, '1;TRUE;+79000000001');
		const error = await refusal(checked, 'phone_e164');
		expect(error.advice).toMatch(/The file has: “a”\.$/);
	});
});

describe('a column that is found by its name', () => {
	const ENGLISH =
		'phone|PHONE|Phone Number|phone_number|phoneNumber|Phone No.|Telephone|tel|Tel.|Mobile|Mobile Phone|cell|Cell phone|MSISDN|Contact Phone|phone 1|Phone 1 - Value|Business Phone 2|Company Main Phone|Other Phone|"phone\uFEFF"';
	const RUSSIAN =
		'Телефон|НОМЕР ТЕЛЕФОНА|Мобильный|моб. телефон|Тел.|Сотовый|контактный телефон|телефон клиента|Доп. телефон|Дополнительный телефон|Другой телефон|Рабочий прямой телефон|Городской телефон|Телефон организации';
	const OTHERS =
		'number|номер|id|value|other|Phone type|Phone 1 - Label|Has phone|mobile operator|номер клиента|phone_e164';

	it.each([...ENGLISH.split('|'), ...RUSSIAN.split('|')])('may be called %s', async (name) => {
		expect(await found(fileOf(`id;${name};x`, `89000000001;8 900 000-00-01;1`))).toBe(
			name.replaceAll('"', ''),
		);
	});

	it.each(OTHERS.split('|'))('is not called %s', async (name) => {
		expect((await refusal(fileOf(`${name};x`, '79000000001;1'))).message).toBe(NOT_FOUND);
	});

	it.each([
		'Mobile;Phone',
		'Телефон;Рабочий телефон',
		'Phone;Телефон',
		'Phone 1;Phone 2',
		'Phone;phone',
		'Phone;Phone',
	])('is one of several, which are all found: %s', async (header) => {
		expect(await found(fileOf(header, '79000000001;79000000002'))).toBe(header.replace(';', '+'));
	});

	it('is found beside another one, however few of its cells are filled', async () => {
		const rows = Array.from({ length: 10_000 }, (_, row) =>
			row === 7_777 ? `x;${NUMBER};${NUMBER}` : `x;${NUMBER};`,
		);
		expect(await found(fileOf('Name;Phone;Work phone', ...rows))).toBe('Phone+Work phone');
	});

	it('is not an empty one, if another has the numbers', async () => {
		const file = fileOf('Phone;Mobile;Work phone', `;${NUMBER};`, `;${NUMBER};`);
		expect(await found(file)).toBe('Mobile');
		expect(await found(fileOf('a;Phone;Mobile', '1;;', '2;;'))).toBe('Phone+Mobile');
	});

	it('holds something like numbers, or nothing yet', async () => {
		expect(await found(fileOf('mobile;Work phone', 'yes;79000000001', 'no;x'))).toBe('Work phone');
		expect(await found(fileOf('a;phone', '1;', '2;'))).toBe('phone');
		expect((await refusal(fileOf('a;mobile', 'x;TRUE', 'y;FALSE'))).message).toBe(NOT_FOUND);
	});
});

describe('a column that is found by its content', () => {
	it.each([
		'+79000000001',
		NUMBER,
		'00 49 30 1234567',
		"'+79000000001",
		'tel:+79000000001',
		'"=""+79000000001"""',
		'+44 20/7946–0018',
	])('holds international numbers such as %s', async (number) => {
		expect(await found(fileOf('id;contact', `79000000001;${number}`))).toBe('contact');
	});

	it('does so in four of five cells that are filled', async () => {
		const rows = [NUMBER, NUMBER, NUMBER, NUMBER, 'n/a', '', ' '].map((cell) => `1;${cell}`);
		expect(await found(fileOf('id;contact', ...rows))).toBe('contact');
		expect((await refusal(fileOf('id;contact', ...rows, '1;none'))).message).toBe(NOT_FOUND);
	});

	it('is found however few of its cells are filled, and never without one', async () => {
		const rows = Array.from({ length: 10_000 }, (_, row) =>
			row === 7_777 ? `x;${NUMBER};` : 'x;;',
		);
		expect(await found(fileOf('a;contact;empty', ...rows))).toBe('contact');
		expect((await refusal(fileOf('a;b', 'x;', 'y;'))).message).toBe(NOT_FOUND);
	});

	it('is never one of IDs, of our own results, or one of two', async () => {
		expect((await refusal(fileOf('id;x', '79000000001;1'))).message).toBe(NOT_FOUND);
		const checked = fileOf(`id;${RESULT_COLUMNS.join(';')}`, '1;TRUE;+79000000001');
		expect((await refusal(checked)).message).toBe(NOT_FOUND);
		const part = fileOf('id;result_phone_e164', '1;+79000000001');
		expect((await refusal(part)).message).toBe(NOT_FOUND);
		const two = fileOf('a;b', `${NUMBER};${NUMBER}`);
		expect((await refusal(two)).message).toBe(
			'Several columns may hold the phone numbers: “a”, “b”',
		);
	});

	it('is judged by rows from the whole of a long list', async () => {
		const rows = Array.from({ length: 10_000 }, (_, row) => (row < 5_000 ? `x;${NUMBER}` : 'x;y'));
		expect((await refusal(fileOf('a;b', ...rows))).message).toBe(NOT_FOUND);
	});
});

it('lists at most 30 columns, without numbers', async () => {
	const names = ['x 79000000001', ...Array.from({ length: 39 }, (_, index) => `c${index}`)];
	const { advice } = await refusal(fileOf(names.join(';'), '1;2'));
	expect(advice).toMatch(/The file has: “x •••01”, “c0”.*“c28” and 10 more\.$/);
});

describe('a strange file', () => {
	it('with more phone columns than anyone has is refused', async () => {
		const names = Array.from({ length: 51 }, (_, index) => `Phone ${index}`);
		const file = fileOf(names.join(';'), names.map(() => NUMBER).join(';'));
		expect((await refusal(file)).message).toBe(
			'The file has 51 phone columns, more than the 50 that one run can check',
		);
		expect(await found(file, names.slice(1).join(', '))).toBe(names.slice(1).join('+'));
	});

	it('with names of commas takes no time', async () => {
		const file = fileOf(`a;"${','.repeat(10_000)}"`, '1;2');
		const { message } = await refusal(file, ','.repeat(9_000).concat('x'));
		expect(message).toBe('The file has no column “x”');
	});

	it('full of columns like our results is read in a moment', async () => {
		const names = Array.from({ length: 5_000 }, (_, index) =>
			['valid', 'phone_e164', 'checked_at'].map((name) => `${name} (${index})`),
		);
		const file = await fileOf(`Phone;${names.flat().join(';')}`, NUMBER);
		expect(await file.resultSetsFor([0], endlessSlice)).toHaveLength(1);
	});

	it('with very many columns leaves room for other work', async () => {
		let time = 0;
		let pauses = 0;
		const sleep = async () => {
			pauses += 1;
		};
		const slice = new TimeSlice({ now: () => (time += 5), sleep });
		const file = await fileOf(`Phone${';x'.repeat(5_000)}`, ...new Array<string>(60).fill(NUMBER));
		expect(await findPhoneColumns(file, '', slice)).toEqual([0]);
		expect(pauses).toBeGreaterThan(10);
	});
});
