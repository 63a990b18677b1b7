import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { ListFile } from '../../../../nodes/CallVerification/phones/listFile';
import {
	NO_RESULT,
	readResultCell,
	RESULT_COLUMNS,
	type RowResult,
	writeResultCell,
} from '../../../../nodes/CallVerification/phones/resultColumns';
import { TimeSlice } from '../../../../nodes/CallVerification/pacing/time';
import { VirtualClock } from '../../../virtualClock';
import { endlessSlice } from './endlessSlice';

const AT = '2026-11-17T10:00:00.000Z';
const VALID: RowResult = {
	valid: 'TRUE',
	phone_e164: '+79000000001',
	mobile: 'TRUE',
	operator: 'MegaFon',
	country: 'RU',
	region: 'Moscow',
	reason: '',
	checked_at: AT,
};
const NAMES = RESULT_COLUMNS.join(',');

const hex = (bytes: string) => Buffer.from(bytes, 'hex');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

async function read(text: string | Uint8Array): Promise<ListFile> {
	return await ListFile.read(typeof text === 'string' ? Buffer.from(text) : text, endlessSlice);
}

/** The file after a run that has checked these columns. */
async function written(text: string, result = NO_RESULT, columns = [0]): Promise<string> {
	const file = await read(text);
	const sets = await file.resultSetsFor(columns, endlessSlice);
	const bytes = await file.write(sets, () => result, endlessSlice);
	expect(bytes.subarray(0, 3)).toEqual(Buffer.from('\uFEFF'));
	return bytes.toString('utf8', 3);
}

async function refusal(file: string | Uint8Array): Promise<string> {
	const error: unknown = await read(file).then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(error instanceof InputError)) throw new Error('It was read, or it failed otherwise');
	expect(error.advice).toMatch(/\.$/);
	expect(`${error.message} ${error.advice}`).not.toMatch(/\d{7}/);
	return error.message;
}

/** Undefined if the file has no columns of an earlier run. */
function earlier(file: ListFile, row: number): RowResult | undefined {
	const [set] = file.resultSets;
	return set && file.earlier(row, set);
}

describe('the delimiter', () => {
	it.each([
		['Name;"Last, first, middle, title";Phone\na;b;c', ';'],
		['"a;b;c","d;e",Phone\n1,2,3', ','],
		['Name;Price;Phone\na;1,5;+7\nb;2,5;+7', ';'],
		['Name, full;Phone\n"Ivan, jr";1\nAnna;2\nOlga;3', ';'],
		['a;b,c\n1;2\n3;4', ';'],
		['id,name;alias,phone\n1,x;y,2', ','],
		['sep=|\r\nName|Phone\r\na|b', '|'],
		['SEP=;\nName,first;Phone\n1;2', ';'],
		['"sep=,"\na,b;c\n1,2;3', ','],
		['Phone\n1\n2', ','],
		['Phone\n1\n2, home\n3', ';'],
		['Phone\n1;Ivan\n2;Anna\n3', ';'],
		['\r\n \r\nName;Phone\n1;2', ';'],
	])('of %j is %j', async (text, delimiter) => {
		expect((await read(text)).delimiter).toBe(delimiter);
	});
});

describe('the cells of a list', () => {
	it.each<[string, string, string[][]]>([
		['quotes inside of a cell as they are', 'a,b\n5" pipe,x"y"z\n', [['5" pipe', 'x"y"z']]],
		['text after a closing quote', 'a,b\n"ACME" Ltd,"x" \n', [['ACME Ltd', 'x ']]],
		['a space after the quote that closes several lines', 'a,b\n"1\n2" ,3\n', [['1\n2 ', '3']]],
		['a quote after a space', 'a,b\n1, "2"\n', [['1', ' "2"']]],
		['rows of blank cells, which are rows', 'a,b\n,\n', [['', '']]],
		['short and long rows', 'a,b\n1\n1,2,3\n', [['1'], ['1', '2', '3']]],
		['a mark before the header', '\uFEFF"a, x",b\n1,2', [['1', '2']]],
	])('are read with %s', async (_, text, rows) => {
		const file = await read(text);
		expect(file.rowCount).toBe(rows.length);
		expect(rows.map((__, row) => file.cells(row))).toEqual(rows);
		expect(rows.map((cells, row) => cells.map((___, column) => file.cell(row, column)))).toEqual(
			rows,
		);
		expect(file.cell(0, 99)).toBe('');
		expect(file.columns).toHaveLength(2);
	});
});

const NOT_TEXT =
	'a character that does not belong in text: the file is not CSV, or its encoding is not supported';

describe('no list is', () => {
	it.each<[string, string | Buffer, string]>([
		['an empty file', '', 'is empty'],
		['a file of blank lines', '\uFEFF\r\n  \n', 'is empty'],
		['a sep= line alone', 'sep=;\n', 'is empty'],
		['a header alone', 'Name;Phone\n', 'has a header, but no rows'],
		['XLSX', 'PK\x03\x04a', 'is a spreadsheet (XLSX, ODS) or another ZIP archive, not CSV'],
		['XLS', hex('d0cf11e0a1b11ae1'), 'is an old Excel spreadsheet (XLS), not CSV'],
		['a compressed file', hex('1f8b08'), 'is a compressed file (GZIP), not CSV'],
		['a PDF', '%PDF-1.7', 'is a PDF, not CSV'],
		['a web page', '\uFEFF\n<!DOCTYPE html>', 'is a web page or XML, not CSV'],
		['a web page in UTF-16', utf16('\uFEFF<table>'), 'is a web page or XML, not CSV'],
		['JSON', '[\n{"phone":"+79000000001"}]', 'is JSON, not CSV'],
	])('%s', async (_, file, problem) => {
		expect(await refusal(file)).toBe(`The file ${problem}`);
	});

	it.each([
		['UTF-16 without mark', utf16('Имя;Phone\n1;2'), 1],
		['a picture', hex('89504e470d0a1a0a0000000d'), 3],
	])('%s', async (_, file, line) => {
		expect(await refusal(file)).toBe(`Line ${line} of the file has ${NOT_TEXT}`);
	});

	it.each([
		'Ivan;+7 900 000-00-01\nAnna;+7 900 000-00-02',
		'1;79000000001\n2;79000000002',
		'Ivan;8 (900) 000-00-01\n',
		'Ivan;ivan@example.com\nAnna;anna@example.com',
		'Ivan;7,9E+10\nAnna;x',
		'1;2;3\n4;5;6',
		';;\na;b;c',
	])('one without header: %j', async (text) => {
		expect(await refusal(text)).toBe(
			'The first row of the file is not a header: it has data instead of column names',
		);
	});

	it.each(['Name;2024-01-01;Phone\na;b;c', '2023;2024;Name\na;b;c', 'ИНН 7701234567;Phone\n1;2'])(
		'refused for digits in its header: %j',
		async (text) => {
			expect((await read(text)).rowCount).toBe(1);
		},
	);

	it.each([
		['never closed', 'a;b\r\n1;2\r\n3;"4\r\n5;6\r\n'],
		['closed by the next one that opens', 'a;b\n1;2\n3;"4\n5;"6"\n7;8'],
	])('one with a quote that is %s', async (_, text) => {
		expect(await refusal(text)).toBe(
			'The quotation mark that opens a cell in line 3 of the file is never closed',
		);
	});

	it('one with more rows than n8n has memory for', async () => {
		expect(await refusal(`phone\n${'1\n'.repeat(5_000_001)}`)).toBe(
			'The file has more than 5 million rows',
		);
	});

	it('one with a single row that would make all others huge, or that is endless', async () => {
		const rows = 'a;b\n'.repeat(10_000);
		expect(await refusal(`x;y\n${rows}${';'.repeat(10_000)}`)).toBe(
			'Line 10002 of the file has 10001 cells, far more than the others',
		);
		expect(await refusal(`x;y\n1;2\n${';'.repeat(20_000)}`)).toBe(
			'Line 3 of the file has more than 16384 cells',
		);
		expect(await refusal(`x;y\n1;${'a'.repeat(2 ** 21)}`)).toBe(
			'Line 2 of the file has a cell of more than a million characters',
		);
	});
});

describe('titles above the header', () => {
	const TABLE = `Имя;Телефон;Почта\n${'Аня;8 900 000-00-01;a@example.com\n'.repeat(3)}`;

	it.each([
		['one line', 'Отчёт по клиентам\n'],
		[
			'lines with commas, while the table has semicolons',
			'Клиенты, телефоны, 2026\n1,5 тыс., всего\n',
		],
		['lines that a spreadsheet has filled up', 'Отчёт;;\nПериод:;01.10.2026;\n;;\n'],
		['the name of a phone column', 'Телефоны\n'],
		['quotes and line breaks', '"ООО ""Ромашка""\nотчёт"\n\n'],
		['a sep= line above', 'sep=;\nОтчёт\n'],
	])('are skipped and kept: %s', async (_, titles) => {
		const file = await read(titles + TABLE);
		expect([file.columns, file.rowCount, file.delimiter]).toEqual([
			['Имя', 'Телефон', 'Почта'],
			3,
			';',
		]);
		const output = await written(titles + TABLE, NO_RESULT, [1]);
		const kept = titles.replace('sep=;\n', '');
		expect(output).toBe(
			`${kept}${TABLE.replace('Почта', `Почта;${NAMES.replaceAll(',', ';')}`).replaceAll('.com\n', '.com;;;;;;;;\n')}`,
		);
		expect(await written(output, NO_RESULT, [1])).toBe(output);
	});

	it('may be above a single column', async () => {
		expect((await read('Список клиентов\nТелефон\n+7 900\n')).columns).toEqual(['Телефон']);
	});

	it('are known by a name that was chosen', async () => {
		const text = Buffer.from('Выгрузка\nимя;контакт\nАня;+7 900 000-00-01\n');
		const chosen = async (name: string | string[]) =>
			(await ListFile.read(text, endlessSlice, { chosen: name })).columns;
		for (const name of ['Контакт', 'имя, контакт', ['имя'], 'контакт (2)']) {
			expect(await chosen(name)).toEqual(['имя', 'контакт']);
		}
		expect(await chosen('')).toEqual(['Выгрузка']);
	});

	it.each([
		['Клиент;Тип контакта;Контакт\nАня;Телефон;нет\nОля;Почта;o@example.com\n', 3],
		['id;contact;note\n1;+79000000001;call, phone\n2;+79000000002;x\n', 3],
		['id;contact;note\n1;;call, phone\n2;+79000000002;x\n', 3],
	])('are none if it may be the header: %j', async (text, columns) => {
		const file = await read(text);
		expect([file.columns.length, file.rowCount]).toEqual([columns, 2]);
	});

	it('are no rows of a list without header', async () => {
		expect(await refusal('+79000000001;;\nАня;Телефон;Почта\n')).toContain('is not a header');
	});
});

describe('the columns of results', () => {
	const TWO = 'Phone,Mobile,id\n+79000000001,+79000000002,79000000001\n';
	const endings = async (text: string, columns: number[]) => {
		const file = await read(text);
		return (await file.resultSetsFor(columns, endlessSlice)).map(({ ending }) => ending);
	};

	it('are named after their phone column if there are several', async () => {
		expect(await endings(TWO, [0])).toEqual(['']);
		expect(await endings(TWO, [0, 1])).toEqual([' (Phone)', ' (Mobile)']);
		const strange = 'Phone,"a, ""b""",phone\n1,2,3\n';
		const output = await written(strange, VALID, [0, 1, 2]);
		expect((await read(output)).columns.filter((name) => name.startsWith('valid'))).toEqual([
			'valid (Phone (1))',
			'valid (a, "b")',
			'valid (phone (2))',
		]);
		expect(await written(output, VALID, [0, 1, 2])).toBe(output);
	});

	it('stay those of their phone column, by its numbers if they are not named after it', async () => {
		const ofPhone = await written(TWO, VALID, [0]);
		expect(await endings(ofPhone, [0])).toEqual(['']);
		expect(await endings(ofPhone, [0, 1])).toEqual(['', ' (Mobile)']);
		expect(await endings(ofPhone, [1])).toEqual([' (Mobile)']);
		const both = await written(ofPhone, { ...VALID, phone_e164: '+79000000002' }, [1]);
		expect(both).toContain(ofPhone.split('\n')[1]);
		expect(await endings(both, [0, 1])).toEqual(['', ' (mobile)']);
		const renamed = both.replace('Mobile,', 'Other,');
		expect(await endings(renamed, [1])).toEqual([' (mobile)']);
	});

	it('are those of the column that is checked if they have no number yet', async () => {
		const unread = await written(TWO, { ...NO_RESULT, reason: 'unreadable: no number' }, [0]);
		expect(await endings(unread, [0])).toEqual(['']);
		expect(await endings(unread, [0, 1])).toEqual(['', ' (Mobile)']);
	});

	it('are no formula in the header either', async () => {
		const [header] = (await written('"a;=1+1",b\n1,2\n', VALID, [0, 1])).split('\n');
		expect(header).toContain(`"valid (a;'=1+1)"`);
	});
});

describe('a written list', () => {
	it('updates its own columns where they are, also in other places', async () => {
		const text = `a,valid,reason,phone_e164,mobile,operator,"country",checked_at,b,region\n1,,old,,,,,,"2",old\n1\n`;
		expect(await written(text, { ...VALID, reason: 'new' })).toBe(
			`a,valid,reason,phone_e164,mobile,operator,"country",checked_at,b,region\n1,TRUE,new,+79000000001,TRUE,MegaFon,RU,2026-11-17T10:00:00.000Z,"2",Moscow\n1,TRUE,new,+79000000001,TRUE,MegaFon,RU,2026-11-17T10:00:00.000Z,,Moscow\n`,
		);
	});

	it('never touches a column of the user after our own of the same name was deleted', async () => {
		const first = await written('country,a\nmine,1\n', VALID);
		expect(first).toMatch(/^country,.*,result_country,.*\nmine,.*,RU,/);
		const deleted = first.replace(',result_country,', ',').replace(',RU,', ',');
		const again = await written(deleted, VALID);
		expect(again).toMatch(/^country,.*,checked_at,result_country\nmine,.*Z,RU\n$/);
		expect(await written(again, VALID)).toBe(again);
	});

	it('never touches columns of the same name that are the user’s own, however often it is checked', async () => {
		const own = 'Valid,result_valid,mobile,result_region_4\nyes,no,1,2\n';
		const first = await written(own, VALID);
		expect(first.split('\n')[0]).toBe(
			'Valid,result_valid,mobile,result_region_4,result_valid_2,phone_e164,result_mobile,operator,country,result_region_5,reason,checked_at',
		);
		expect(first).toContain('\nyes,no,1,2,TRUE,');
		expect(await written(first, VALID)).toBe(first);
		expect(await written(first)).toBe(`${first.split('\n')[0]}\nyes,no,1,2,,,,,,,,\n`);
	});

	it('lets n8n do other work in between, and so does reading', async () => {
		const clock = new VirtualClock();
		const sleep = jest.spyOn(clock, 'sleep');
		const slice = new TimeSlice(clock);
		const bytes = utf16(`\uFEFFИмя;Phone\n${'Анна;1\n'.repeat(100)}`);
		clock.spend(10);
		const file = await clock.runUntil(ListFile.read(bytes, slice));
		expect(sleep).toHaveBeenCalled();

		sleep.mockClear();
		const slowly = () => {
			clock.spend(1);
			return NO_RESULT;
		};
		const sets = await clock.runUntil(file.resultSetsFor([0], slice));
		await clock.runUntil(file.write(sets, slowly, slice));
		expect(sleep).toHaveBeenCalledTimes(10);
	});
});

describe('a result cell', () => {
	it.each([
		['=1+1', "'=1+1"],
		['+7 (900)', "'+7 (900)"],
		['-1', "'-1"],
		['@SUM(A1)', "'@SUM(A1)"],
		['\t=1', "'=1"],
		['\r\n =1', "'=1"],
		['\u200B=1', "'\u200B=1"],
		['＝1', "'＝1"],
		['＋1', "'＋1"],
		['\u3164\u3164=1', "'\u3164\u3164=1"],
		['\u2800\uFFA0=1', "'\u2800\uFFA0=1"],
		['foo,=1+1', "foo,'=1+1"],
		['foo| =1+1', "foo|' =1+1"],
		['foo,"=1+1"', `"foo,'""=1+1"""`],
		['A, B & C', 'A, B & C'],
		['MTS = good', 'MTS = good'],
		['', ''],
		['ПАО «МТС»', 'ПАО «МТС»'],
		['a;b', '"a;b"'],
		['a,b', 'a,b'],
		['say "hi"', '"say ""hi"""'],
		['=a;"b"', `"'=a;""b"""`],
		['two\r\nlines\0of', 'two lines of'],
		[' x ', 'x'],
		['half \uD800', 'half'],
	])('of %j is %j, and no formula', (value, cell) => {
		expect(writeResultCell('operator', value, ';')).toBe(cell);
	});

	it('is no formula for a spreadsheet that separates by something else than the file', () => {
		expect(writeResultCell('operator', 'foo;=1+1', ',')).toBe("foo;'=1+1");
		expect(writeResultCell('operator', 'a,b;\u3164=1', ',')).toBe(`"a,b;'\u3164=1"`);
	});

	it('keeps the plus of a number, and of nothing else', () => {
		expect(writeResultCell('phone_e164', '+79000000001', ';')).toBe('+79000000001');
		expect(writeResultCell('phone_e164', '+7+1', ';')).toBe("'+7+1");
		expect(writeResultCell('reason', '+79000000001', ';')).toBe("'+79000000001");
	});

	it.each([
		['valid', 'true', 'TRUE'],
		['valid', 'ЛОЖЬ', 'FALSE'],
		['mobile', ' Wahr ', 'TRUE'],
		['valid', 'ІСТИНА', 'TRUE'],
		['valid', 'Fałsz', 'FALSE'],
		['valid', 'maybe', 'maybe'],
		['phone_e164', "'+79000000001", '+79000000001'],
		['phone_e164', '7.9E+10', '7.9E+10'],
		['operator', "'=MTS", '=MTS'],
		['operator', "foo;'=1+1", 'foo;=1+1'],
		['operator', "'s-Gravenhage", "'s-Gravenhage"],
	] as const)('%s is read: %j is %j', (name, cell, value) => {
		expect(readResultCell(name, cell)).toBe(value);
	});
});

describe('earlier results', () => {
	it.each(['valid', 'phone_e164', 'checked_at'])('are none without %s', async (name) => {
		const file = await read(`a,${NAMES.replace(name, 'x')}\n1,TRUE\n`);
		expect(earlier(file, 0)).toBeUndefined();
	});

	it('are known although other columns were deleted, and these are added again', async () => {
		const text = `valid,a,result_valid,phone_e164,operator,checked_at,b\nyes,1,TRUE,+79000000001,MTS,${AT},2\n`;
		expect(earlier(await read(text), 0)).toEqual({
			...NO_RESULT,
			valid: 'TRUE',
			phone_e164: '+79000000001',
			operator: 'MTS',
			checked_at: AT,
		});
		const again = await written(text, VALID);
		expect(again).toBe(
			`valid,a,result_valid,phone_e164,operator,checked_at,b,mobile,country,region,reason\nyes,1,TRUE,+79000000001,MegaFon,${AT},2,TRUE,RU,Moscow,\n`,
		);
		expect(earlier(await read(again), 0)).toEqual(VALID);
		expect(await written(again, VALID)).toBe(again);
	});

	it.each([
		['is before them', 'region,a,valid,phone_e164,checked_at', `North,1,TRUE,+79000000001,${AT}`],
		['is after them', 'a,valid,phone_e164,checked_at,region', `1,TRUE,+79000000001,${AT},North`],
		['is called valid', 'valid,phone_e164,mobile,checked_at', `no,+79000000001,TRUE,${AT}`],
		['is called phone_e164', 'phone_e164,valid,checked_at', `+79000000002,TRUE,${AT}`],
		['is called checked_at', 'checked_at,valid,phone_e164', `2020,TRUE,+79000000001`],
	])('are never taken from a column of the user that %s', async (_, header, row) => {
		const [head, first] = (await written(`${header}\n${row}\n`, VALID)).split('\n');
		expect(head).toMatch(new RegExp(`^${header},.*result_(?:region|valid|phone_e164|checked_at)`));
		expect(first).toMatch(/North|^no,|^\+79000000002,|^2020,/);
	});

	it('are read as they were written, also after a spreadsheet has saved them', async () => {
		const result = { ...VALID, operator: '=MTS', reason: '' };
		const text = await written('a\n1\n', result);
		expect(earlier(await read(text), 0)).toEqual(result);

		const saved = text.replaceAll('TRUE', 'ИСТИНА').replace('+79000000001', '79000000001');
		expect(earlier(await read(saved), 0)).toEqual(result);
	});

	it.each([
		['TRUE', '861380013800', '+861380013800'],
		['FALSE', '79000000001', '+79000000001'],
		['FALSE', '89000000001', '89000000001'],
		['FALSE', '491510000000', '491510000000'],
	])(
		'get back the plus that a spreadsheet has dropped, unless the number may have had none: %s, %s',
		async (valid, cell, phone_e164) => {
			const file = await read(`a,${NAMES}\n1,${valid},${cell},,,,,,${AT}\n`);
			expect(earlier(file, 0)).toMatchObject({ valid, phone_e164 });
		},
	);
});
