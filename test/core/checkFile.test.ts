import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	execute,
	fileIn,
	type InputFiles,
	type RunContext,
	resultOf,
	retryNode,
	runNode,
	verifyNode,
	workflowOf,
} from '../../harness/engine/n8nCore';
import { TOOL } from './parameters';
import { VirtualClock } from '../../harness/simulation/virtualClock';
import {
	broken,
	checked,
	refusal,
	type Reply,
	replying,
	type SentRequest,
	type Service,
	simulate,
} from './simulatedRun';
import { cancelAfter, wire } from './wire';

const DAY = 24 * 60 * 60 * 1_000;
const COLUMNS = 'valid,phone_e164,mobile,operator,country,region,reason,checked_at';
/** When the virtual clock begins. */
const NOW = '2030-01-01T00:00:00.000Z';
const OK = 'MTS,Russia,Moscow,';

const checkFile = (options: INodeParameters = {}, more: INodeParameters = {}): INodeParameters => ({
	resource: 'phoneNumber',
	operation: 'checkFile',
	binaryPropertyName: 'data',
	phoneColumn: '',
	options,
	...more,
});
/** The account is empty. */
const NO_MONEY = 1002;
const oneByOne = { requestOptions: { concurrency: 1, maxRetries: 0 } };

const found = (request: SentRequest, values: IDataObject = {}): Reply =>
	checked(request, {
		phone: Number(request.phone.replace(/\D/g, '')),
		mobile: 1,
		provider: 'MTS',
		country: 'Russia',
		region: 'Moscow',
		...values,
	});
const NOBODY = { phone: 0, mobile: 0, provider: '', country: '', region: '', error: 'Too short' };
/** A number that ends in 9 is invalid. */
const answer = (request: SentRequest) => found(request, /9$/.test(request.phone) ? NOBODY : {});
const service = replying(answer);
/** As long as there is money; then every request is refused. */
const withMoneyFor = (checks: number): Service => {
	let left = checks;
	return replying((request) => (left-- > 0 ? answer(request) : refusal(NO_MONEY, 'No money')));
};

const phoneAt = (index: number) => `+7916000${String(index).padStart(3, '0')}0`;
const list = (count: number, first = 0) =>
	`Phone\n${Array.from({ length: count }, (_none, row) => `${phoneAt(first + row)}\n`).join('')}`;
const resultFor = (phone: string, at: string) => `TRUE,${phone},TRUE,${OK},${at}`;

/** Without the byte order mark. */
const textIn = (run: Pick<Awaited<ReturnType<typeof simulate>>, 'success'>, item = 0) =>
	fileIn(run.success[item]).toString().slice(1);
const figuresOf = ({ success }: Parameters<typeof textIn>[0]) => success[0]?.json;
const rowsIn = (run: Parameters<typeof textIn>[0], item = 0) =>
	textIn(run, item).trimEnd().split('\n').slice(1);
const run = async (
	files: InputFiles[] | string,
	options: INodeParameters = {},
	{
		requestOptions = {},
		...more
	}: Partial<RunContext> & {
		service?: Service;
		clock?: VirtualClock;
		requestOptions?: INodeParameters;
	} = {},
) =>
	await simulate({
		service,
		parameters: checkFile(options, { requestOptions }),
		files: typeof files === 'string' ? [{ data: files }] : files,
		...more,
	});

describe('a file', () => {
	const messy = [
		'Name;Phone;Note',
		'Ann;8 (916) 000-00-01;"a;b"',
		'Bob;;',
		'Eve;+7 916 000-00-01;',
		'Tom;+7 916 000-00-09;x',
		'Sue;+79160000001, +79160000002;x',
		'',
	].join('\r\n');

	it('comes back with eight more columns and nothing else changed', async () => {
		const result = await run(messy, { defaultCountryCode: '7' });
		expect(textIn(result).split('\r\n')).toEqual([
			`Name;Phone;Note;${COLUMNS.replaceAll(',', ';')}`,
			`Ann;8 (916) 000-00-01;"a;b";TRUE;+79160000001;TRUE;MTS;Russia;Moscow;;2030-01-01T00:00:00.080Z`,
			`Bob;;;FALSE;;;;;;The phone number is empty;${NOW}`,
			`Eve;+7 916 000-00-01;;TRUE;+79160000001;TRUE;MTS;Russia;Moscow;;2030-01-01T00:00:00.080Z`,
			`Tom;+7 916 000-00-09;x;FALSE;;;;;;Too short;2030-01-01T00:00:00.080Z`,
			expect.stringMatching(/^Sue;\+79160000001, \+79160000002;x;FALSE;;;;;;.+;2030-01-01T00/),
			'',
		]);
		expect(fileIn(result.success[0]).subarray(0, 3).toString('hex')).toBe('efbbbf');
		expect(result.sent).toHaveLength(2);
	});

	it('is summed up in the item and in a hint', async () => {
		const { success, hints } = await run(messy, { defaultCountryCode: '7' });
		expect(success).toHaveLength(1);
		expect(success[0]?.pairedItem).toEqual({ item: 0 });
		expect(success[0]?.json).toEqual({
			rows: 5,
			valid: 2,
			invalid: 3,
			duplicates: 1,
			reused: 0,
			not_checked: 0,
			failed: 0,
			outdated: 0,
			cost: 1,
			complete: true,
			phone_column: 'Phone',
			delimiter: ';',
			encoding: 'UTF-8',
			file_name: 'data-checked.csv',
		});
		expect(hints).toEqual(['5 rows, 2 valid, 3 invalid, 1 duplicate, total cost 1']);
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
		const { success } = await run([{ data: { content: list(1), fileName } }]);
		expect(success[0]?.binary?.data).toMatchObject({ fileName: expected, mimeType: 'text/csv' });
		expect(success[0]?.json.file_name).toBe(expected);
	});

	it('is not lost in a field of any name', async () => {
		const { success } = await run([{ data: list(1) }], { outputBinaryPropertyName: '__proto__' });
		expect(Object.keys(success[0]?.binary ?? {})).toEqual(['data', '__proto__']);
	});

	it('comes with a report of its rows, if that is wanted', async () => {
		const { success } = await run(messy, { report: true, defaultCountryCode: '7' });
		expect(success[0]?.binary?.report).toMatchObject({
			fileName: 'data-report.html',
			mimeType: 'text/html',
		});
		const page = fileIn(success[0], 'report').toString();
		expect(page).toMatch(/^<!doctype html>/i);
		expect(page).toContain('MTS');
		const without = await run(messy);
		expect(Object.keys(without.success[0]?.binary ?? {})).toEqual(['data']);
	});

	it('gets a hint about numbers that begin with 8', async () => {
		const withCode = await run(messy, { defaultCountryCode: '7' });
		const { hints } = await run(messy);
		expect(hints[0]).toContain('add “Default Country Code”');
		expect(withCode.hints.join()).not.toContain('Default Country Code');
	});

	it('does not send a cell without a digit', async () => {
		const result = await run(`Phone\n${phoneAt(1)}\nнет\nn/a\n-\nn/a\n`);
		expect(result.sent.map(({ phone }) => phone)).toEqual([phoneAt(1)]);
		expect(rowsIn(result).slice(1)).toEqual(
			['нет', 'n/a', '-', 'n/a'].map((cell) => `${cell},FALSE,,,,,,Not a phone number,${NOW}`),
		);
		expect(figuresOf(result)).toMatchObject({ invalid: 4, duplicates: 0, cost: 0.5 });
	});

	it('does not send a cell that is as long as a book', async () => {
		const { sent, success } = await run(`Phone\n${phoneAt(1)}\n${'8 916 x '.repeat(200)}\n`);
		expect(sent).toHaveLength(1);
		expect(success[0]?.json).toMatchObject({ valid: 1, invalid: 1 });
	});

	it('with nothing to send needs no service', async () => {
		const parameters = checkFile({}, { phoneColumn: 'Phone' });
		const { sent, success } = await run('Name,Phone\nAnn,\nBob, \n', {}, { parameters });
		expect(sent).toEqual([]);
		expect(success[0]?.json).toMatchObject({ invalid: 2, cost: 0, complete: true });
	});
});

describe('before anything is sent', () => {
	const problemOf = async (files: InputFiles[], parameters = checkFile()) => {
		const { error, sent, success } = await run(files, {}, { parameters });
		expect([sent, success]).toEqual([[], []]);
		return [error?.message, error?.description].join('\n');
	};

	it.each<[string, InputFiles, INodeParameters, RegExp]>([
		['no file', {}, checkFile(), /has no file in “data”\n.*no file at all/],
		...['__proto__', 'constructor'].map(
			(binaryPropertyName) =>
				[
					`what every object has, ${binaryPropertyName}`,
					{ data: list(1) },
					checkFile({}, { binaryPropertyName }),
					/has no file in “\w+”\nIts files are in: data/,
				] as [string, InputFiles, INodeParameters, RegExp],
		),
		[
			'another field',
			{ file: list(1) },
			checkFile(),
			/“data”\nIts files are in: file\..*Input Data Field Name/,
		],
		['an empty file', { data: '' }, checkFile(), /The file is empty/],
		[
			'a spreadsheet',
			{ data: Buffer.from('PK\x03\x04xl') },
			checkFile(),
			/spreadsheet \(XLSX, ODS\)/,
		],
		['no header', { data: '+79160000001\n+79160000002\n' }, checkFile(), /is not a header/],
		['an open quote', { data: 'Phone\n"7916\n' }, checkFile(), /never closed/],
		[
			'no such column',
			{ data: list(1) },
			checkFile({}, { phoneColumn: 'Tel' }),
			/no column “Tel”\n.*“Phone”/,
		],
		[
			'earlier results that are none',
			{ data: list(1), old: list(1) },
			checkFile({ earlierResults: 'old' }),
			/The file in “old” has no results/,
		],
		[
			'no earlier results, and no limit',
			{ data: list(1) },
			checkFile({ earlierResults: 'old' }),
			/no file in “old”, so every number would be paid for\n.*Max Total Cost/,
		],
		[
			'two files for one field',
			{ data: list(1) },
			checkFile({ report: true, outputBinaryPropertyName: 'report' }),
			/where the HTML report goes/,
		],
		[
			'a country that is none',
			{ data: list(1) },
			checkFile({ defaultCountryCode: '8' }),
			/Default Country Code/,
		],
	])('%s is an error', async (_what, files, parameters, expected) => {
		expect(await problemOf([files], parameters)).toMatch(expected);
	});

	it('all files are read, so that a wrong one costs nothing', async () => {
		const problem = await problemOf([{ data: list(2) }, { data: 'Phone\n"7\n' }]);
		expect(problem).toContain('never closed');
		expect(problem).toContain('Nothing was sent, because all items are validated first.');
	});

	it('a tool is refused', async () => {
		const { success, sent } = await run(list(1), {}, { nodeType: TOOL });
		expect(success[0]?.json.error).toBe('A tool cannot check a file');
		expect(sent).toEqual([]);
	});
});

describe('several files', () => {
	const files = [{ data: list(3) }, { data: 'Name\nAnn\n' }, { data: list(3, 2) }];

	it('are checked one after the other, and a number in two of them once', async () => {
		const result = await run(
			[files[0] ?? {}, files[2] ?? {}],
			{},
			{ requestOptions: { concurrency: 64 } },
		);
		expect(result.sent.map(({ phone }) => phone)).toEqual([0, 1, 2, 3, 4].map(phoneAt));
		expect(result.success.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(result.success.map(({ json }) => [json.rows, json.reused, json.cost])).toEqual([
			[3, 0, 1.5],
			[3, 1, 1],
		]);
		const ofFirst = result.sent.slice(0, 3).map(({ at }) => at);
		expect(Math.min(...result.sent.slice(3).map(({ at }) => at))).toBeGreaterThan(
			Math.max(...ofFirst),
		);
		expect(result.hints).toEqual(['6 rows in 2 files, 6 valid, 1 reused, total cost 2.5']);
	});

	it('each have a result or an error, if n8n continues', async () => {
		const { success, failed, hints } = await run(files, {}, { onError: 'continueErrorOutput' });
		expect(success.map(({ json }) => json.rows)).toEqual([3, 3]);
		expect(failed.map(({ json }) => json.error)).toEqual([
			'The column with the phone numbers could not be found',
		]);
		expect(hints).toEqual(['6 rows in 2 files, 6 valid, 1 reused, 1 file failed, total cost 2.5']);
	});

	it('share Max Total Cost, but not Max Checks', async () => {
		const twice = [{ data: list(4) }, { data: list(4, 4) }];
		const cost = await run(twice, { maxTotalCost: 3 }, { requestOptions: { concurrency: 1 } });
		expect(cost.sent).toHaveLength(6);
		expect(cost.success.map(({ json }) => [json.valid, json.not_checked])).toEqual([
			[4, 0],
			[2, 2],
		]);
		const checks = await run(twice, { maxChecks: 3 });
		expect(checks.success.map(({ json }) => [json.valid, json.not_checked])).toEqual([
			[3, 1],
			[3, 1],
		]);
	});

	it('come out even if nobody knows what the first has cost', async () => {
		let left = 3;
		const unpriced = replying((request) =>
			left-- > 0 ? found(request, { cost: null }) : refusal(NO_MONEY, 'No money'),
		);
		const files = [{ data: list(3) }, { data: list(3, 3) }];
		const { success } = await run(files, {}, { service: unpriced });
		expect(success.map(({ json }) => json.valid)).toEqual([3, 0]);
	});

	it('come out if the account is empty after the first', async () => {
		const { success, error } = await run(
			[{ data: list(3) }, { data: list(3, 3) }],
			{},
			{ service: withMoneyFor(3) },
		);
		expect(error).toBeUndefined();
		expect(success.map(({ json }) => [json.valid, json.not_checked])).toEqual([
			[3, 0],
			[0, 3],
		]);
	});
});

describe('what was checked before', () => {
	const day = (days: number) => new Date(Date.parse(NOW) - days * DAY).toISOString();
	const withResults = (...rows: string[]) => `Phone,${COLUMNS}\n${rows.join('\n')}\n`;
	const young = `${phoneAt(1)},${resultFor(phoneAt(1), day(89))}`;

	it('is not paid for again: the output, checked again', async () => {
		const first = await run(list(3));
		const again = await run(textIn(first), {}, { clock: new VirtualClock(DAY) });
		expect(again.sent).toEqual([]);
		expect(textIn(again)).toBe(textIn(first));
		expect(figuresOf(again)).toMatchObject({ reused: 3, valid: 3, cost: 0, complete: true });
	});

	it.each([
		['as old as that', day(90)],
		['without a time', ''],
		['from next week', day(-7)],
		['from a day that a spreadsheet wrote in its own way', '12.01.2029 10:00'],
	])('is checked again if it is %s', async (_what, at) => {
		const result = await run(withResults(`${phoneAt(1)},${resultFor(phoneAt(1), at)}`));
		expect(result.sent).toHaveLength(1);
		expect(rowsIn(result)).toEqual([
			`${phoneAt(1)},${resultFor(phoneAt(1), '2030-01-01T00:00:00.080Z')}`,
		]);
	});

	it('is valid for as long as the user says', async () => {
		expect((await run(withResults(young))).sent).toHaveLength(0);
		expect((await run(withResults(young), { reuseFor: 89 })).sent).toHaveLength(1);
		expect((await run(withResults(young), { reuseFor: 0 })).sent).toHaveLength(1);
	});

	it('is checked again if its cell has another number now', async () => {
		const moved = `${phoneAt(2)},${resultFor(phoneAt(1), day(1))}`;
		const result = await run(withResults(moved));
		expect(result.sent.map(({ phone }) => phone)).toEqual([phoneAt(2)]);
		expect(rowsIn(result)[0]).toContain(`TRUE,${phoneAt(2)}`);
	});

	it('is checked again if it was not valid', async () => {
		const result = await run(withResults(`${phoneAt(1)},FALSE,,,,,,Too short,${day(0)}`));
		expect(result.sent).toHaveLength(1);
		expect(rowsIn(result)[0]).toContain(`TRUE,${phoneAt(1)}`);
	});

	it('serves another row with the same number, and keeps its own time', async () => {
		const result = await run(
			withResults(`79160000010,,,,,,,,`, young, `${phoneAt(1)},${resultFor(phoneAt(1), day(5))}`),
		);
		expect(result.sent).toEqual([]);
		expect(rowsIn(result).map((row) => row.split(',').at(-1))).toEqual([day(89), day(89), day(5)]);
		expect(figuresOf(result)).toMatchObject({ reused: 3, duplicates: 0 });
	});

	describe('in another file', () => {
		const earlierResults = 'last_month';
		const files = (last_month: string, data = list(3)) => [{ data, last_month }];

		it('leaves only new numbers to pay for', async () => {
			const first = await run(list(2));
			const result = await run(files(textIn(first)), { earlierResults });
			expect(result.sent.map(({ phone }) => phone)).toEqual([phoneAt(2)]);
			expect(rowsIn(result)[0]).toBe(rowsIn(first)[0]);
			expect(figuresOf(result)).toMatchObject({ rows: 3, reused: 2, cost: 0.5 });
			expect(Object.keys(result.success[0]?.binary ?? {})).toEqual(['data', earlierResults]);
		});

		it('may be missing if the cost is limited, and a hint says so', async () => {
			for (const limit of [{ maxTotalCost: 10 }, { maxChecks: 10 }]) {
				const { success, hints } = await run(list(2), { earlierResults, ...limit });
				expect(success[0]?.json.valid).toBe(2);
				expect(hints).toContain(
					'The input item has no file in “last_month”, so no earlier results were used.',
				);
			}
		});
	});

	it('stays, with its time, if it cannot be renewed', async () => {
		const old = `${phoneAt(1)},${resultFor(phoneAt(1), day(100))}`;
		const result = await run(withResults(old, `${phoneAt(2)},,,,,,,,`), { maxChecks: 1 });
		expect(result.sent.map(({ phone }) => phone)).toEqual([phoneAt(2)]);
		expect(rowsIn(result)[0]).toBe(old);
		expect(figuresOf(result)).toMatchObject({
			valid: 2,
			outdated: 1,
			reused: 0,
			complete: false,
		});
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
			text = textIn(result);
			paid.push(...result.sent.map(({ phone }) => phone));
			states.push([result.success[0]?.json.not_checked, result.success[0]?.json.cost]);
			if (result.success[0]?.json.complete === true) break;
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
			text = textIn(result);
			paid.push(...result.sent.map(({ phone }) => phone));
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
		const result = await run(text, { maxChecks: 2 });
		expect(rowsIn(result)[0]).toContain(`TRUE,${phoneAt(1)}`);
	});

	it('takes no invalid result from a row for another one, and counts what it writes', async () => {
		const refused = `${phoneAt(1)},FALSE,,,,,,Too short,${NOW}`;
		const fresh = await run(`Phone,${COLUMNS}\n${refused}\n${phoneAt(1)},,,,,,,,\n`, {
			maxChecks: 2,
		});
		expect(fresh.sent).toHaveLength(1);
		expect(figuresOf(fresh)).toMatchObject({ valid: 2, invalid: 0 });
		const mixed = await run(
			`Phone,${COLUMNS}\n${refused}\n${phoneAt(1)},${resultFor(phoneAt(1), NOW)}\n`,
			{ maxChecks: 2 },
		);
		expect(mixed.sent).toEqual([]);
		expect(figuresOf(mixed)).toMatchObject({ valid: 2, invalid: 0 });
		expect(rowsIn(mixed).map((row) => row.split(',')[1])).toEqual(['TRUE', 'TRUE']);
	});

	it('says in the other rows why they have no result', async () => {
		const result = await run(list(3), { maxChecks: 2 });
		expect(rowsIn(result)[2]).toBe(
			`${phoneAt(2)},,,,,,,"not_checked: “Max Checks” is 2, so this number was not checked",`,
		);
		expect(result.hints).toEqual([
			'data-checked.csv is not complete: 1 row has no result, and “reason” says why. Check the output file again to continue; what has a valid result is not paid for again.',
			'3 rows, 2 valid, 1 not checked, total cost 1',
		]);
	});

	it.each([1, 64])(
		'counts what was paid for, not what failed, with %i at once',
		async (concurrency) => {
			const failing = replying((request) =>
				request.phone < phoneAt(5) ? refusal(400) : answer(request),
			);
			const result = await run(
				list(10),
				{ maxChecks: 3 },
				{ service: failing, requestOptions: { concurrency } },
			);
			expect(figuresOf(result)).toMatchObject({ valid: 3, failed: 5, not_checked: 2 });
			expect(result.sent).toHaveLength(8);
		},
	);
});

describe('Max Total Cost', () => {
	it.each([1, 64])('holds, with %i at once', async (concurrency) => {
		const result = await run(list(30), { maxTotalCost: 5 }, { requestOptions: { concurrency } });
		expect(result.sent).toHaveLength(10);
		expect(figuresOf(result)).toMatchObject({
			valid: 10,
			not_checked: 20,
			cost: 5,
			complete: false,
		});
		expect(rowsIn(result)[29]).toContain(
			'not_checked: The checks of this run have cost 5, so this number was not checked',
		);
	});

	it('ends the file if no price can be read', async () => {
		const result = await run(
			list(5),
			{ maxTotalCost: 5 },
			{ service: replying((request) => found(request, { cost: null })) },
		);
		expect(figuresOf(result)).toMatchObject({ valid: 1, not_checked: 4, cost: 0 });
		expect(result.hints.join()).toContain('no response had a readable price');
	});

	it('counts requests whose response was lost', async () => {
		let asked = 0;
		const result = await run(
			list(10),
			{ maxTotalCost: 2 },
			{
				service: async (request, clock) => {
					await clock.sleep(80);
					if (++asked % 2 === 0) throw Object.assign(new Error(), { code: 'ECONNRESET' });
					return answer(request);
				},
				...oneByOne,
			},
		);
		expect(result.sent).toHaveLength(4);
		expect(figuresOf(result)).toMatchObject({ valid: 2, failed: 2, not_checked: 6, cost: 1 });
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
		const { success, error } = await run(
			list(20),
			{},
			{ service: broken('ECONNREFUSED'), requestOptions: { giveUpAfter: 2 } },
		);
		expect(success).toEqual([]);
		expect(error?.message).toContain('so the run gave up');
	});

	it('an old result does not hide it', async () => {
		const old = `Phone,${COLUMNS}\n${phoneAt(1)},${resultFor(phoneAt(1), '2020-01-01T00:00:00.000Z')}\n`;
		const { error } = await run(old, {}, { service: withMoneyFor(0) });
		expect(error?.httpCode).toBe(String(NO_MONEY));
	});

	it('after some checks, the file comes out, and can be continued', async () => {
		const result = await run(list(100), {}, { service: withMoneyFor(10) });
		expect(result.error).toBeUndefined();
		expect(figuresOf(result)).toMatchObject({
			valid: 10,
			not_checked: 90,
			failed: 0,
			cost: 5,
			complete: false,
		});
		const rows = rowsIn(result);
		expect(rows.filter((row) => row.includes(',TRUE,'))).toHaveLength(10);
		expect(rows[99]).toMatch(
			/,,,,,,,"?not_checked: .*10 requests in a row were refused, so no more were sent"?,$/,
		);
		expect(result.hints[0]).toContain('90 rows have no result');

		const again = await run(textIn(result));
		expect(again.sent).toHaveLength(90);
		expect(figuresOf(again)).toMatchObject({ valid: 100, reused: 10, complete: true });
		expect(rowsIn(again)[99]).toContain(',TRUE,+');
	});

	it('for one number only, that row says so, and all with the same number', async () => {
		const result = await run(
			`${list(3)}${phoneAt(1)}\n`,
			{},
			{
				service: replying((request) =>
					request.phone === phoneAt(1) ? refusal(400, 'Never') : answer(request),
				),
			},
		);
		expect(rowsIn(result)[1]).toMatch(/,,,,,,,"?failed: .*Never.*"?,$/);
		expect(rowsIn(result)[3]).toContain('failed: ');
		expect(figuresOf(result)).toMatchObject({
			valid: 2,
			failed: 2,
			not_checked: 0,
			complete: false,
		});
	});

	it('an item with gaps is a result that n8n does not repeat', async () => {
		const result = await run(list(100), {}, { service: withMoneyFor(5), retryOnFail: true });
		expect(figuresOf(result)).toMatchObject({ valid: 5, complete: false });
		expect(new Set(result.sent.map(({ phone }) => phone)).size).toBe(result.sent.length);
	});
});

describe('when n8n runs the node again', () => {
	const files = [{ data: list(3) }, { data: list(3, 3) }];

	it('Retry On Fail pays for nothing twice', async () => {
		const refused = new Set<string>();
		const result = await run(
			list(4),
			{},
			{
				service: replying((request) => {
					if (refused.has(request.phone)) return answer(request);
					refused.add(request.phone);
					return refusal(400);
				}),
				retryOnFail: true,
			},
		);
		expect(figuresOf(result)).toMatchObject({ valid: 4, cost: 2 });
		expect(result.sent).toHaveLength(8);
	});

	it('Retry of a failed execution pays only for the rest', async () => {
		const free = { body: { source: 's', phone: 79160000010, cost: 0 } };
		const refused = { body: { status: false, error: 'No', code: NO_MONEY } };
		const sent = wire(free, free, free, refused, refused, refused, free);
		const parameters = checkFile({}, oneByOne);
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
	const earlier = (cell: string, kind: number) =>
		[
			',,,,,,,',
			`TRUE,${cell},TRUE,${OK},${new Date(Date.parse(NOW) - DAY).toISOString()}`,
			`TRUE,${cell},TRUE,${OK},2000-01-01T00:00:00.000Z`,
			`FALSE,,,,,,Too short,${NOW}`,
		][kind];
	const REPLIES = [answer, () => refusal(1, 'Malformed'), () => refusal(NO_MONEY, 'No money')];

	it('add up, and are those of its rows, whatever it holds and whatever the service does', async () => {
		const rows = fc.array(fc.tuple(fc.constantFrom(...CELLS), fc.nat(3)), {
			minLength: 1,
			maxLength: 9,
		});
		const replies = fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: 4, maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(rows, replies, fc.nat(3), async (cells, kinds, maxChecks) => {
				const lines = cells.map(([cell, kind]) => `${cell},${earlier(cell, kind)}`);
				let sent = 0;
				const result = await run(
					`Phone,${COLUMNS}\n${lines.join('\n')}\n`,
					{ maxChecks },
					{
						service: replying(
							(request) => REPLIES[kinds[sent++] ?? 0]?.(request) ?? answer(request),
						),
					},
				);
				// Only if nothing could be checked.
				if (result.error !== undefined) return;
				const written = rowsIn(result).map((row) => row.split(','));
				const count = (isCounted: (row: string[]) => boolean) => written.filter(isCounted).length;
				const figures = result.success[0]?.json ?? {};
				expect(figures).toMatchObject({
					rows: cells.length,
					valid: count(([, valid]) => valid === 'TRUE'),
					invalid: count(([, valid]) => valid === 'FALSE'),
					failed: count((row) => /^"?failed: /.test(row[7] ?? '')),
					not_checked: count((row) => /^"?not_checked: /.test(row[7] ?? '')),
				});
				const { valid, invalid, failed, not_checked } = figures;
				expect(Number(valid) + Number(invalid) + Number(failed) + Number(not_checked)).toBe(
					cells.length,
				);
			}),
			{ numRuns: 100 },
		);
	});

	it('count every row whose number stands in an earlier one as a duplicate', async () => {
		const cells = [phoneAt(1), phoneAt(2), '79160000010', phoneAt(1), '', '', phoneAt(2)];
		const result = await run(`a,Phone\n${cells.map((cell) => `x,${cell}\n`).join('')}`);
		expect(result.sent).toHaveLength(2);
		expect(figuresOf(result)).toMatchObject({ rows: 7, valid: 5, invalid: 2, duplicates: 3 });
	});
});

describe('a long file', () => {
	it('learns the limit of the service for the next one, and reports its progress', async () => {
		const clock = new VirtualClock();
		const parameters = checkFile();
		const files = [{ data: list(600) }];
		const first = await simulate({ service, parameters, files, clock });
		const second = await simulate({ service, parameters, files, clock });
		expect(first.success[0]?.json.valid).toBe(600);
		expect(second.seconds).toBeLessThan(first.seconds);
		const slow: Service = async (request, time) => {
			await time.sleep(5_000);
			return answer(request);
		};
		const { progress } = await simulate({ service: slow, parameters, files });
		expect(progress[0]).toMatch(/^Verify: \d+ of 600 numbers done, /);
	});
});
