import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import {
	execute,
	fileIn,
	type InputFiles,
	resultOf,
	retryNode,
	runNode,
	verifyNode,
	workflowOf,
} from '../../harness/engine/n8nCore';
import { VirtualClock } from '../virtualClock';
import {
	answer,
	checkFile,
	COLUMNS,
	DAY,
	found,
	list,
	losingIf,
	NO_MONEY,
	NOW,
	OK,
	oneByOne,
	phoneAt,
	resultFor,
	run,
	SOON,
	withMoneyFor,
} from './fileRun';
import { ERROR_OUTPUT } from './parameters';
import { broken, refusal, replying, type Service } from './simulatedRun';
import { cancelAfter, wire } from './wire';

describe('a file', () => {
	const messy = [
		'Name;Phone;Note',
		'Ann;8 (916) 000-00-01;"a;b"',
		'Bob;;',
		'Eve;+7 916 000-00-01;',
		'Tom;+7 916 000-00-09;x',
		'Sue;+79160000001, +79160000002;x',
		'Pam;8 (916) 000-00-01 (мама);',
		'Jim;8 (347) 123-45-6;',
		'',
	].join('\r\n');

	const russian = { defaultCountryCode: '7' };

	it('comes back with eight more columns and nothing else changed', async () => {
		const { text, success, sent } = await run(messy, russian);
		const good = `TRUE;+79160000001;TRUE;MTS;Russia;Moscow;;${SOON}`;
		expect(text.split('\r\n')).toEqual([
			`Name;Phone;Note;${COLUMNS.replaceAll(',', ';')}`,
			`Ann;8 (916) 000-00-01;"a;b";${good}`,
			'Bob;;;;;;;;;empty;',
			`Eve;+7 916 000-00-01;;${good}`,
			`Tom;+7 916 000-00-09;x;FALSE;+79160000009;;;;;Too short;${SOON}`,
			'Sue;+79160000001, +79160000002;x;;;;;;;unreadable: two numbers;',
			`Pam;8 (916) 000-00-01 (мама);;${good}`,
			'Jim;8 (347) 123-45-6;;;;;;;;unreadable: a digit is missing;',
			'',
		]);
		expect(fileIn(success[0]).subarray(0, 3).toString('hex')).toBe('efbbbf');
		expect(sent).toHaveLength(2);
	});

	it('is summed up in the item and in a hint', async () => {
		const { success, hints } = await run(messy, russian);
		const none = { reused: 0, not_checked: 0, failed: 0, outdated: 0 };
		const counts = {
			rows: 7,
			cells: 7,
			valid_rows: 3,
			valid: 3,
			invalid: 1,
			unreadable: 3,
			duplicates: 2,
			...none,
			paid: 2,
			cost: 1,
		};
		const format = { phone_column: 'Phone', delimiter: ';', encoding: 'UTF-8' };
		const json = { ...counts, complete: true, ...format, file_name: 'data-checked.csv' };
		expect(success.map((item) => item.json)).toEqual([json]);
		expect(success[0]?.pairedItem).toEqual({ item: 0 });
		expect(hints).toEqual(['7 rows, 3 valid, 1 invalid, 3 unreadable, 2 duplicates, total cost 1']);
	});

	it.each([
		['phones.csv', 'phones-checked.csv'],
		['phones-checked.csv', 'phones-checked.csv'],
		['list of May.txt', 'list of May-checked.txt'],
		['phones', 'phones-checked.csv'],
		['../../home/node/phones.csv', 'phones-checked.csv'],
		['C:\\lists\\phones.csv', 'phones-checked.csv'],
		['phones\r\nSet-Cookie: a.csv', 'phones Set-Cookie: a-checked.csv'],
		['phones.html', 'phones-checked.csv'],
		[undefined, 'phones-checked.csv'],
	])('called %s is then called %s', async (fileName, expected) => {
		const { binary, json } = await run([{ data: { content: list(1), fileName } }]);
		expect(binary.data).toMatchObject({ fileName: expected, mimeType: 'text/csv' });
		expect(json.file_name).toBe(expected);
	});

	it('can be in any field, and the other files of the item stay', async () => {
		const { binary, json } = await run(
			[{ attachment_0: list(1), photo: 'x' }],
			{ outputBinaryPropertyName: 'checked' },
			{ fields: { binaryPropertyName: 'attachment_0' }, items: [{ from: 'ann@example.com' }] },
		);
		expect(Object.keys(binary)).toEqual(['attachment_0', 'photo', 'checked']);
		expect(binary.checked?.fileName).toBe('attachment_0-checked.csv');
		expect(json).not.toHaveProperty('from');
	});

	it('is not lost in a field of any name', async () => {
		const { binary } = await run(list(1), { outputBinaryPropertyName: '__proto__' });
		expect(Object.keys(binary)).toEqual(['data', '__proto__']);
	});

	it('comes with a report of its rows, if that is wanted', async () => {
		const { binary, success } = await run(messy, { report: true, ...russian });
		expect(binary.report).toMatchObject({ fileName: 'data-report.html', mimeType: 'text/html' });
		const page = fileIn(success[0], 'report').toString();
		expect(page).toMatch(/^<!doctype html>/i);
		expect(page).toContain('MTS');
		expect(Object.keys((await run(messy)).binary)).toEqual(['data']);
	});

	it('in an old encoding is read as such, and a hint says so', async () => {
		const cyrillic = Buffer.from([0xc8, 0xe2, 0xe0, 0xed]);
		const [header, number] = [Buffer.from('Name,Phone\n'), Buffer.from(`,${phoneAt(1)}\n`)];
		const data = Buffer.concat([header, cyrillic, number]);
		const { rows, json, hints } = await run([{ data }]);
		expect(rows[0]).toMatch(/^Иван,/);
		expect(json.encoding).toBe('windows-1251');
		expect(hints[0]).toContain('is not UTF-8, so it was read as windows-1251');
	});

	it('gets a hint about numbers that begin with 8', async () => {
		expect((await run(messy)).hints[0]).toContain('add “Default Country Code”');
		expect((await run(messy, russian)).hints.join()).not.toContain('Default Country Code');
	});

	it('does not send a cell without a digit', async () => {
		const words = ['нет', 'n/a', '-', 'n/a'];
		const { phones, rows, json } = await run(`Phone\n${phoneAt(1)}\n${words.join('\n')}\n`);
		expect(phones).toEqual([phoneAt(1)]);
		expect(rows.slice(1)).toEqual(words.map((word) => `${word},,,,,,,unreadable: no number,`));
		expect(json).toMatchObject({
			invalid: 0,
			unreadable: 4,
			duplicates: 0,
			cost: 0.5,
			complete: true,
		});
	});

	it('does not send a cell that is as long as a book', async () => {
		const { sent, json } = await run(`Phone\n${phoneAt(1)}\n${'8 916 x '.repeat(200)}\n`);
		expect(sent).toHaveLength(1);
		expect(json).toMatchObject({ valid: 1, unreadable: 1 });
	});

	it('with nothing to send needs no service', async () => {
		const fields = { phoneColumn: 'Phone' };
		const { sent, json } = await run('Name,Phone\nAnn,\nBob, \n', {}, { fields });
		expect(sent).toEqual([]);
		expect(json).toMatchObject({ unreadable: 2, cost: 0, complete: true });
	});
});

describe('before anything is sent', () => {
	const problemOf = async (files: InputFiles[], parameters = checkFile()) => {
		const { error, sent, success } = await run(files, {}, { parameters });
		expect([sent, success]).toEqual([[], []]);
		return [error?.message, error?.description].join('\n');
	};

	const one = { data: list(1) };
	const inField = (binaryPropertyName: string) => checkFile({}, { binaryPropertyName });
	const withOld = checkFile({ earlierResults: 'old' });
	const toReport = checkFile({ report: true, outputBinaryPropertyName: 'report' });
	const UNPAID = /no file in “old”, so every number would be paid for\n.*Max Total Cost/;

	it.each<[string, RegExp, InputFiles, INodeParameters?]>([
		['no file', /has no file in “data”\n.*no file at all/, {}],
		['__proto__', /has no file in “\w+”\nIts files are in: data/, one, inField('__proto__')],
		['constructor', /has no file in “\w+”\nIts files are in: data/, one, inField('constructor')],
		['another field', /“data”\nIts files are in: file\..*Input Data Field Name/, { file: list(1) }],
		['an empty file', /The file is empty/, { data: '' }],
		['a spreadsheet', /spreadsheet \(XLSX, ODS\)/, { data: Buffer.from('PK\x03\x04xl') }],
		['no header', /is not a header/, { data: '+79160000001\n+79160000002\n' }],
		['an open quote', /never closed/, { data: 'Phone\n"7916\n' }],
		['no such column', /no column “Tel”\n.*“Phone”/, one, checkFile({}, { phoneColumn: 'Tel' })],
		['earlier results that are none', /“old” has no results/, { ...one, old: list(1) }, withOld],
		['no earlier results, and no limit', UNPAID, one, withOld],
		['two files for one field', /where the HTML report goes/, one, toReport],
		['no country', /Default Country Code/, one, checkFile({ defaultCountryCode: '8' })],
	])('%s is an error', async (_what, expected, files, ...parameters) => {
		expect(await problemOf([files], ...parameters)).toMatch(expected);
	});

	it('all files are read, so that a wrong one costs nothing', async () => {
		const problem = await problemOf([{ data: list(2) }, { data: 'Phone\n"7\n' }]);
		expect(problem).toContain('never closed');
		expect(problem).toContain('Nothing was sent, because all items are validated first.');
	});
});

describe('several files', () => {
	const pair = [{ data: list(3) }, { data: list(3, 3) }];
	const overlapping = [{ data: list(3) }, { data: list(3, 2) }];

	it('are checked one after the other, and a number in two of them once', async () => {
		const result = await run(overlapping, {}, { request: { concurrency: 64 } });
		expect(result.phones).toEqual([0, 1, 2, 3, 4].map(phoneAt));
		expect(result.success).toMatchObject([
			{ pairedItem: { item: 0 }, json: { rows: 3, reused: 0, cost: 1.5 } },
			{ pairedItem: { item: 1 }, json: { rows: 3, reused: 1, cost: 1 } },
		]);
		const times = result.sent.map(({ at }) => at);
		expect(Math.min(...times.slice(3))).toBeGreaterThan(Math.max(...times.slice(0, 3)));
		expect(result.hints).toEqual(['6 rows in 2 files, 6 valid, 1 reused, total cost 2.5']);
	});

	it('each have a result or an error, if n8n continues', async () => {
		const files = [overlapping[0]!, { data: 'Name\nAnn\n' }, overlapping[1]!];
		const { figures, failed, hints } = await run(files, {}, ERROR_OUTPUT);
		expect(figures.map(({ rows }) => rows)).toEqual([3, 3]);
		expect(failed.map(({ json }) => json.error)).toEqual([
			'The column with the phone numbers could not be found',
		]);
		expect(hints).toEqual(['6 rows in 2 files, 6 valid, 1 reused, 1 file failed, total cost 2.5']);
	});

	it('share Max Total Cost, but not Max Checks', async () => {
		const cost = await run(pair, { maxTotalCost: 2 }, { request: { concurrency: 1 } });
		expect(cost.sent).toHaveLength(4);
		expect(cost.figures).toMatchObject([
			{ valid: 3, not_checked: 0 },
			{ valid: 1, not_checked: 2 },
		]);
		const checks = await run(pair, { maxChecks: 2 });
		expect(checks.figures).toMatchObject(Array(2).fill({ valid: 2, not_checked: 1 }));
	});

	it.each([
		['if the account is empty after the first', {}],
		['even if nobody knows what the first has cost', { cost: null }],
	])('come out %s', async (_when, price) => {
		const { figures, error } = await run(pair, {}, { service: withMoneyFor(3, price) });
		expect(error).toBeUndefined();
		expect(figures).toMatchObject([
			{ valid: 3, not_checked: 0 },
			{ valid: 0, not_checked: 3 },
		]);
	});
});

describe('what was checked before', () => {
	const day = (days: number) => new Date(Date.parse(NOW) - days * DAY).toISOString();
	const withResults = (...rows: string[]) => `Phone,${COLUMNS}\n${rows.join('\n')}\n`;
	const young = `${phoneAt(1)},${resultFor(phoneAt(1), day(89))}`;

	it('is not paid for again: the output, checked again', async () => {
		const first = await run(list(3));
		const again = await run(first.text, {}, { clock: new VirtualClock(DAY) });
		expect(again.sent).toEqual([]);
		expect(again.text).toBe(first.text);
		expect(again.json).toMatchObject({ reused: 3, valid: 3, cost: 0, complete: true });
	});

	it('is not paid for again, although columns of the output were deleted', async () => {
		const text = `Phone,valid,phone_e164,checked_at\n${phoneAt(1)},TRUE,${phoneAt(1)},${day(1)}\n${phoneAt(2)},,,\n`;
		const result = await run(text);
		expect(result.phones).toEqual([phoneAt(2)]);
		expect(result.text.split('\n')).toEqual([
			'Phone,valid,phone_e164,checked_at,mobile,operator,country,region,reason',
			`${phoneAt(1)},TRUE,${phoneAt(1)},${day(1)},,,,,`,
			`${phoneAt(2)},TRUE,${phoneAt(2)},${SOON},TRUE,${OK}`,
			'',
		]);
		expect(result.json).toMatchObject({ reused: 1, valid: 2, complete: true });
	});

	it.each([
		['as old as that', resultFor(phoneAt(1), day(90))],
		['without a time', resultFor(phoneAt(1), '')],
		['from next week', resultFor(phoneAt(1), day(-7))],
		['from a day in a spreadsheet’s own way', resultFor(phoneAt(1), '12.01.2029 10:00')],
		['of another number than its cell has now', resultFor(phoneAt(2), day(1))],
		['not valid, and does not say which number was', `FALSE,,,,,,Too short,${day(0)}`],
		['not valid, but another number', `FALSE,${phoneAt(2)},,,,,Too short,${day(1)}`],
		['not valid, and as old as that', `FALSE,${phoneAt(1)},,,,,Too short,${day(90)}`],
		['unreadable, and its cell was mended', ',,,,,,unreadable: two numbers,'],
	])('is checked again if it is %s', async (_what, earlier) => {
		const { sent, rows } = await run(withResults(`${phoneAt(1)},${earlier}`));
		expect(sent).toHaveLength(1);
		expect(rows).toEqual([`${phoneAt(1)},${resultFor(phoneAt(1), SOON)}`]);
	});

	it('is valid for as long as the user says', async () => {
		expect((await run(withResults(young))).sent).toHaveLength(0);
		expect((await run(withResults(young), { reuseFor: 89 })).sent).toHaveLength(1);
		expect((await run(withResults(young), { reuseFor: 0 })).sent).toHaveLength(1);
	});

	it('is not paid for again if it is invalid, in any of its writings', async () => {
		const cells = ['+79160000009', '7 916 000-00-09', '8 916 000-00-09'];
		const russian = { defaultCountryCode: '7' };
		const first = await run(`Phone\n${cells.join('\n')}\n`, russian);
		expect([first.sent.length, first.json.invalid]).toEqual([1, 3]);
		const again = await run(first.text, russian, { clock: new VirtualClock(89 * DAY) });
		expect(again.sent).toEqual([]);
		expect(again.text).toBe(first.text);
		expect(again.json).toMatchObject({ invalid: 3, reused: 3, cost: 0, complete: true });
		const late = await run(first.text, russian, { clock: new VirtualClock(91 * DAY) });
		expect(late.sent).toHaveLength(1);
		const never = { ...russian, reuseFor: 0 };
		expect((await run(first.text, never)).sent).toHaveLength(1);
	});

	describe('and is invalid, without a plus and without a certain country code,', () => {
		const cells = ['49 151 00000009', '2345678909', '8 916 000-00-09', '916 000-00-09'];

		it.each(cells)('is not paid for again: %s', async (cell) => {
			const first = await run(`Phone\n${cell}\n`);
			expect(first.rows).toEqual([
				`${cell},FALSE,${cell.replace(/\D/g, '')},,,,,Too short,${SOON}`,
			]);
			for (const options of [{}, { maxChecks: 1 }]) {
				const again = await run(first.text, options, { clock: new VirtualClock(89 * DAY) });
				expect(again.sent).toEqual([]);
				expect(again.text).toBe(first.text);
				expect(again.json).toMatchObject({ invalid: 1, reused: 1, cost: 0, complete: true });
			}
			const late = await run(first.text, {}, { clock: new VirtualClock(91 * DAY) });
			expect(late.sent).toHaveLength(1);
		});

		it.each(cells)('is paid for again if its cell was changed: %s', async (cell) => {
			const first = await run(`Phone\n${cell}\n`);
			const changed = first.text.replace(cell, cell.replace(/9$/, '8'));
			const again = await run(changed);
			expect(again.sent).toHaveLength(1);
			expect(again.json).toMatchObject({ valid: 1, invalid: 0, reused: 0 });
		});

		it('is paid for again if a country code was cut off, which makes it another number', async () => {
			const first = await run('Phone\n49 151 00000009\n');
			const again = await run(first.text.replace('49 151', '151'));
			expect(again.sent).toHaveLength(1);
		});
	});

	it('serves another row with the same number, and keeps its own time', async () => {
		const newer = `${phoneAt(1)},${resultFor(phoneAt(1), day(5))}`;
		const { sent, rows, json } = await run(withResults('79160000010,,,,,,,,', young, newer));
		expect(sent).toEqual([]);
		expect(rows.map((row) => row.split(',').at(-1))).toEqual([day(89), day(89), day(5)]);
		expect(json).toMatchObject({ reused: 3, duplicates: 0 });
	});

	describe('in another file', () => {
		const earlierResults = 'last_month';
		const files = (last_month: string, data = list(3)) => [{ data, last_month }];

		it('leaves only new numbers to pay for', async () => {
			const first = await run(list(2));
			const result = await run(files(first.text), { earlierResults });
			expect(result.phones).toEqual([phoneAt(2)]);
			expect(result.rows[0]).toBe(first.rows[0]);
			expect(result.json).toMatchObject({ rows: 3, reused: 2, cost: 0.5 });
			expect(Object.keys(result.binary)).toEqual(['data', earlierResults]);
		});

		it('must be young, and say which number they are of', async () => {
			const old = withResults(
				`x,${resultFor(phoneAt(0), day(90))}`,
				`x,FALSE,,,,,,No,${day(1)}`,
				`x,${resultFor(phoneAt(2), day(2))}`,
				`x,FALSE,${phoneAt(3)},,,,,No,${day(2)}`,
			);
			const { phones, json } = await run(files(old, list(4)), { earlierResults });
			expect(phones.sort()).toEqual([phoneAt(0), phoneAt(1)]);
			expect(json).toMatchObject({ valid: 3, invalid: 1, reused: 2 });
		});

		it('may be missing if the cost is limited, and a hint says so', async () => {
			for (const limit of [{ maxTotalCost: 10 }, { maxChecks: 10 }]) {
				const { json, hints } = await run(list(2), { earlierResults, ...limit });
				expect(json.valid).toBe(2);
				expect(hints).toContain(
					'The input item has no file in “last_month”, so no earlier results from there were used.',
				);
			}
		});
	});

	it('stays, with its time, if it cannot be renewed', async () => {
		const old = `${phoneAt(1)},${resultFor(phoneAt(1), day(100))}`;
		const result = await run(withResults(old, `${phoneAt(2)},,,,,,,,`), { maxChecks: 1 });
		expect(result.phones).toEqual([phoneAt(2)]);
		expect(result.rows[0]).toBe(old);
		expect(result.json).toMatchObject({ valid: 2, outdated: 1, reused: 0, complete: false });
		expect(result.hints[0]).toContain('1 row has an old result that could not be renewed');
	});
});

describe('Max Checks', () => {
	it('ends a file, and its output continues until it is complete', async () => {
		const paid: string[] = [];
		const states: unknown[] = [];
		let text = `Phone\n${[19, 29, 39, 49, 50, 51, 52].map((end) => `+791600000${end}\n+791600000${end}\n`).join('')}\n`;
		for (let pass = 0; pass < 10; pass++) {
			const result = await run(text, { maxChecks: 2 }, { clock: new VirtualClock(pass * 60_000) });
			text = result.text;
			paid.push(...result.phones);
			states.push([result.json.not_checked, result.json.cost]);
			if (result.json.complete === true) break;
		}
		expect(states).toEqual([
			[10, 1],
			[6, 1],
			[2, 1],
			[0, 0.5],
		]);
		// Nobody is paid for twice, not even the invalid ones.
		expect(new Set(paid).size).toBe(7);
		expect(paid).toHaveLength(7);
	});

	it.each([
		['begin with 8', '8 916 000-00-0'],
		['have no country code', '916 000-00-0'],
		['have a name beside them', 'Ann: +7 916 000-00-0'],
		['have a note behind them', '8 916 000-00-0', ' (Ann, flat 5)'],
	])('ends, though some numbers %s', async (_what, start, end = '') => {
		const russian = replying((request) => {
			const [digits = ''] = /(?:\d[\s-]*){10,11}/.exec(request.phone) ?? [];
			return found(request, { phone: Number(`7${digits.replace(/\D/g, '').slice(-10)}`) });
		});
		let text = `Phone\n${[1, 2, 3, 4, 5].map((last) => `"${start}${last}${end}"\n`).join('')}`;
		const paid: string[] = [];
		for (let pass = 0; pass < 3; pass++) {
			const result = await run(text, { maxChecks: 2 }, { service: russian });
			text = result.text;
			paid.push(...result.phones);
		}
		expect([paid.length, new Set(paid).size]).toEqual([5, 5]);
		expect(text.match(/,TRUE,\+7916/g)).toHaveLength(5);
	});

	it('would never end if no result was reused, so that is refused', async () => {
		const { error, sent } = await run(list(3), { maxChecks: 2, reuseFor: 0 });
		expect(error?.message).toContain('cannot be used while “Reuse Results For (Days)” is 0');
		expect(sent).toEqual([]);
	});

	it('checks a cell that was mended, if it could not be read before', async () => {
		const text = `Phone,${COLUMNS}\n${phoneAt(1)},FALSE,,,,,,The phone number is empty,${NOW}\n`;
		const { rows } = await run(text, { maxChecks: 2 });
		expect(rows[0]).toContain(`TRUE,${phoneAt(1)}`);
	});

	it('takes no invalid result from a row for another one, and counts what it writes', async () => {
		const refused = `${phoneAt(1)},FALSE,,,,,,Too short,${NOW}`;
		const ofTwo = { valid: 2, invalid: 0 };
		const beside = async (row: string) =>
			await run(`Phone,${COLUMNS}\n${refused}\n${phoneAt(1)},${row}\n`, { maxChecks: 2 });
		const fresh = await beside(',,,,,,,');
		expect(fresh.sent).toHaveLength(1);
		expect(fresh.json).toMatchObject(ofTwo);
		const mixed = await beside(resultFor(phoneAt(1), NOW));
		expect(mixed.sent).toEqual([]);
		expect(mixed.json).toMatchObject(ofTwo);
		expect(mixed.rows.map((row) => row.split(',')[1])).toEqual(['TRUE', 'TRUE']);
	});

	it('says in the other rows why they have no result', async () => {
		const { rows, hints } = await run(list(3), { maxChecks: 2 });
		expect(rows[2]).toBe(
			`${phoneAt(2)},,,,,,,"not_checked: “Max Checks” is 2, so this number was not checked",`,
		);
		expect(hints).toEqual([
			'data-checked.csv is not complete: 1 row has no result, and “reason” says why. Check the output file again to continue; what has a valid result is not paid for again.',
			'3 rows, 2 valid, 1 not checked, total cost 1',
		]);
	});

	it.each([1, 64])('counts what was paid for, not what failed, with %i at once', async (count) => {
		const failing = replying((request) =>
			request.phone < phoneAt(5) ? refusal(400) : answer(request),
		);
		const request = { concurrency: count };
		const { json, sent } = await run(list(10), { maxChecks: 3 }, { service: failing, request });
		expect(json).toMatchObject({ valid: 3, failed: 5, not_checked: 2 });
		expect(sent).toHaveLength(8);
	});
});

describe('Max Total Cost', () => {
	it.each([1, 64])('holds, with %i at once', async (concurrency) => {
		const result = await run(list(30), { maxTotalCost: 5 }, { request: { concurrency } });
		expect(result.sent).toHaveLength(10);
		expect(result.json).toMatchObject({ valid: 10, not_checked: 20, cost: 5, complete: false });
		expect(result.rows[29]).toContain(
			'not_checked: The checks of this run have cost 5, so this number was not checked',
		);
	});

	it('ends the file if no price can be read', async () => {
		const unpriced = withMoneyFor(5, { cost: null });
		const { json, hints } = await run(list(5), { maxTotalCost: 5 }, { service: unpriced });
		expect(json).toMatchObject({ valid: 1, not_checked: 4, cost: 0 });
		expect(hints.join()).toContain('no response had a readable price');
	});

	it('counts requests whose response was lost', async () => {
		let asked = 0;
		const losing = { service: losingIf(() => ++asked % 2 === 0), request: oneByOne };
		const { sent, json } = await run(list(10), { maxTotalCost: 2 }, losing);
		expect(sent).toHaveLength(4);
		expect(json).toMatchObject({ valid: 2, failed: 2, not_checked: 6, cost: 1 });
	});
});

describe('when the service fails', () => {
	it.each([
		['the key is refused', replying(() => refusal(401, 'Wrong key')), 401],
		['the account is empty', withMoneyFor(0), NO_MONEY],
	])('from the start, because %s, that is an error', async (_what, failing, code) => {
		const { success, error, sent } = await run(list(100), {}, { service: failing });
		expect(success).toEqual([]);
		expect(error?.httpCode).toBe(String(code));
		expect(sent.length).toBeLessThan(100);
	});

	it('with no response at all, that is an error', async () => {
		const down = { service: broken('ECONNREFUSED'), request: { giveUpAfter: 2 } };
		const { success, error } = await run(list(20), {}, down);
		expect(success).toEqual([]);
		expect(error?.message).toContain('so the run gave up');
	});

	it('an old result does not hide it', async () => {
		const old = `Phone,${COLUMNS}\n${phoneAt(1)},${resultFor(phoneAt(1), '2020-01-01T00:00:00.000Z')}\n`;
		const { error } = await run(old, {}, { service: withMoneyFor(0) });
		expect(error?.httpCode).toBe(String(NO_MONEY));
	});

	it('after some checks, the file comes out, and can be continued', async () => {
		const { rows, ...result } = await run(list(100), {}, { service: withMoneyFor(10) });
		expect(result.error).toBeUndefined();
		const gaps = { valid: 10, not_checked: 90, failed: 0, cost: 5, complete: false };
		expect(result.json).toMatchObject(gaps);
		expect(rows.filter((row) => row.includes(',TRUE,'))).toHaveLength(10);
		expect(rows[99]).toMatch(
			/,,,,,,,"?not_checked: .*10 requests in a row were refused, so no more were sent"?,$/,
		);
		expect(result.hints[0]).toContain('90 rows have no result');

		const again = await run(result.text);
		expect(again.sent).toHaveLength(90);
		expect(again.json).toMatchObject({ valid: 100, reused: 10, complete: true });
		expect(again.rows[99]).toContain(',TRUE,+');
	});

	it('goes down in the middle, the file comes out', async () => {
		const falling = losingIf((clock) => clock.now() > 500);
		const down = { service: falling, request: { giveUpAfter: 10 } };
		const { json, seconds, rows } = await run(list(300), {}, down);
		expect(json.valid).toBeGreaterThan(16);
		// Those may have been paid for.
		expect(json.failed).toBeGreaterThan(0);
		expect(Number(json.valid) + Number(json.failed) + Number(json.not_checked)).toBe(300);
		expect(seconds).toBeLessThan(90);
		expect(rows[299]).toContain('so the run gave up');
	});

	it('for one number only, that row says so, and all with the same number', async () => {
		const never = replying((request) =>
			request.phone === phoneAt(1) ? refusal(400, 'Never') : answer(request),
		);
		const { rows, json } = await run(`${list(3)}${phoneAt(1)}\n`, {}, { service: never });
		expect(rows[1]).toMatch(/,,,,,,,"?failed: .*Never.*"?,$/);
		expect(rows[3]).toContain('failed: ');
		expect(json).toMatchObject({ valid: 2, failed: 2, not_checked: 0, complete: false });
	});

	it('an item with gaps is a result that n8n does not repeat', async () => {
		const once = { service: withMoneyFor(5), retryOnFail: true };
		const { json, phones } = await run(list(100), {}, once);
		expect(json).toMatchObject({ valid: 5, complete: false });
		expect(new Set(phones).size).toBe(phones.length);
	});
});

describe('when n8n runs the node again', () => {
	const files = [{ data: list(3) }, { data: list(3, 3) }];

	it('Retry On Fail pays for nothing twice', async () => {
		const refused = new Set<string>();
		const once = replying((request) => {
			if (refused.has(request.phone)) return answer(request);
			refused.add(request.phone);
			return refusal(400);
		});
		const { json, sent } = await run(list(4), {}, { service: once, retryOnFail: true });
		expect(json).toMatchObject({ valid: 4, cost: 2 });
		expect(sent).toHaveLength(8);
	});

	it('Retry of a failed execution pays only for the rest', async () => {
		const free = { body: { source: 's', phone: 79160000010, cost: 0 } };
		const refused = { body: { status: false, error: 'No', code: NO_MONEY } };
		const sent = wire(free, free, free, refused, refused, refused, free);
		const parameters = checkFile({}, { requestOptions: oneByOne });
		const failed = await runNode({ parameters, files });
		expect(failed.error?.httpCode).toBe(String(NO_MONEY));
		expect(failed.error?.description).toContain('Retrying this execution does not request');
		const before = sent.length;
		const { success } = await retryNode(failed, { parameters });
		expect(success.map(({ json }) => json.valid)).toEqual([3, 3]);
		expect(sent.slice(before).map(({ fields }) => fields.phone)).toEqual([3, 4, 5].map(phoneAt));
	});

	it('Stop starts no further request, and what was paid for comes out', async () => {
		const node = verifyNode(checkFile({}, { requestOptions: { concurrency: 2 } }));
		const workflow = workflowOf([node], [{}], undefined, undefined, {}, [{ data: list(50) }]);
		const execution = execute(workflow, { mode: 'manual' });
		const sent = wire({ body: { source: 's', phone: 79160000010, cost: 0.5 } });
		cancelAfter(5, sent, execution);
		const { success } = resultOf(await execution);
		expect(sent.length).toBeLessThanOrEqual(6);
		expect(success[0]?.json).toMatchObject({ valid: sent.length, not_checked: 50 - sent.length });
	});
});

describe('the figures of a file', () => {
	const CELLS = [phoneAt(1), '79160000010', phoneAt(2), phoneAt(3), '+79160000009', '', 'n/a'];
	const UNREADABLE = /^(?:empty$|unreadable: )/;
	const earlier = (cell: string, kind: number) =>
		[
			',,,,,,,',
			resultFor(cell, new Date(Date.parse(NOW) - DAY).toISOString()),
			resultFor(cell, '2000-01-01T00:00:00.000Z'),
			`FALSE,,,,,,Too short,${NOW}`,
			`FALSE,${cell},,,,,Too short,${NOW}`,
		][kind];
	const REPLIES = [answer, () => refusal(1, 'Malformed'), () => refusal(NO_MONEY, 'No money')];

	it('add up, and are those of its cells, whatever it holds and whatever the service does', async () => {
		const cell = fc.tuple(fc.constantFrom(...CELLS), fc.nat(4));
		const rows = fc.nat(1).chain((more) =>
			fc.array(fc.array(cell, { minLength: 1 + more, maxLength: 1 + more }), {
				minLength: 1,
				maxLength: 9,
			}),
		);
		const replies = fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: 4, maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(rows, replies, fc.nat(3), async (cells, kinds, maxChecks) => {
				const columns = cells[0]?.map((_, index) => `Phone ${index}`) ?? [];
				const isOne = columns.length === 1;
				const nameOf = (column: string) => (name: string) => (isOne ? name : `${name} (${column})`);
				const results = columns.flatMap((column) => COLUMNS.split(',').map(nameOf(column)));
				const lines = cells.map((row) => [
					...row.map(([text]) => text),
					...row.map(([text, kind]) => earlier(text, kind)),
				]);
				const header = [...columns, ...results];
				const text = [header, ...lines].map((line) => `${line.join(',')}\n`).join('');
				let sent = 0;
				const mixed = replying(
					(request) => REPLIES[kinds[sent++] ?? 0]?.(request) ?? answer(request),
				);
				const fields = { phoneColumn: columns.join(', ') };
				const result = await run(text, { maxChecks }, { service: mixed, fields });
				// Only if nothing could be checked.
				if (result.error !== undefined) return;
				expect(result.text.split('\n')[0]).toBe(header.join(','));
				const written = result.rows.map((row) => {
					const texts = row.match(/(?<=^|,)(?:"[^"]*"|[^,]*)/g) ?? [];
					return columns.map((_, index) => texts.slice(columns.length + 8 * index).slice(0, 8));
				});
				const count = (isCounted: (valid: string, reason: string) => boolean) =>
					written.flat().filter(([valid = '', , , , , , reason = '']) => isCounted(valid, reason))
						.length;
				expect(result.json).toMatchObject({
					rows: cells.length,
					cells: cells.length * columns.length,
					valid_rows: written.filter((row) => row.some(([valid]) => valid === 'TRUE')).length,
					valid: count((valid) => valid === 'TRUE'),
					invalid: count((valid) => valid === 'FALSE'),
					unreadable: count((valid, reason) => valid === '' && UNREADABLE.test(reason)),
					failed: count((_, reason) => /^"?failed: /.test(reason)),
					not_checked: count((_, reason) => /^"?not_checked: /.test(reason)),
				});
				const { valid, invalid, unreadable, failed, not_checked } = result.json;
				const counted = [valid, invalid, unreadable, failed, not_checked].map(Number);
				expect(counted.reduce((sum, one) => sum + one)).toBe(result.json.cells);
			}),
			{ numRuns: 100 },
		);
	});

	it('count every row whose number stands in an earlier one as a duplicate', async () => {
		const cells = [phoneAt(1), phoneAt(2), '79160000010', phoneAt(1), '', '', phoneAt(2)];
		const { sent, json } = await run(`a,Phone\n${cells.map((cell) => `x,${cell}\n`).join('')}`);
		expect(sent).toHaveLength(2);
		expect(json).toMatchObject({ rows: 7, valid: 5, unreadable: 2, duplicates: 3 });
	});
});

describe('a long file', () => {
	it('learns the limit of the service for the next one, and reports its progress', async () => {
		const clock = new VirtualClock();
		const first = await run(list(900), {}, { clock });
		const second = await run(list(900), {}, { clock });
		expect(first.json.valid).toBe(900);
		expect(second.seconds).toBeLessThan(first.seconds);
		const slow: Service = async (request, time) => {
			await time.sleep(5_000);
			return answer(request);
		};
		const { progress } = await run(list(900), {}, { service: slow });
		expect(progress[0]).toMatch(/^Verify: \d+ of 900 numbers done, /);
	});
});
