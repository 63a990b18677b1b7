import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';

import { sameNumberKey } from '../../nodes/CallVerification/api/phone';

/** The Code nodes of check-large-list, run on real-life lists without n8n. */

const parameters = z.object({
	jsCode: z.string().optional(),
	html: z.string().optional(),
	jsonOutput: z.string().optional(),
});
const workflow = z.object({ nodes: z.array(z.object({ name: z.string(), parameters })) });
const exampleNamed = (name: string) =>
	workflow.parse(JSON.parse(readFileSync(join(__dirname, `../../examples/${name}.json`), 'utf8')));

const example = exampleNamed('check-large-list');
const template = example.nodes.find(({ name }) => name === 'Report')?.parameters.html ?? '';

/** What a spreadsheet would run, or might after it has dropped the white space. */
const FORMULAS = ['=1+1', '+7', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1'];

type Json = Record<string, unknown>;
type Outputs = Record<string, readonly Json[]>;

/** Runs a Code node with the output of other nodes; `input` is its direct input. */
function runCode(name: string, outputs: Outputs): Json[] {
	const code = example.nodes.find((node) => node.name === name)?.parameters.jsCode;
	if (code === undefined) throw new Error(`check-large-list has no Code node “${name}”`);
	const items = (from: string) => {
		const all = (outputs[from] ?? []).map((json) => ({ json }));
		return { first: () => all[0], all: () => all };
	};
	const found: unknown = runInNewContext(`(() => {${code}\n})()`, {
		$: items,
		$input: items('input'),
	});
	return z
		.array(z.object({ json: z.record(z.unknown()) }))
		.parse(structuredClone(JSON.parse(JSON.stringify(found))))
		.map(({ json }) => json);
}

const settings = { phoneColumn: 'phone', maxTotalCost: 0 };

function rowsOf(data: string): Json {
	const [rows] = runCode('Rows', { input: [{ data }], Settings: [settings] });
	if (!rows) throw new Error('Rows put out nothing');
	return rows;
}

const keysIn = (data: string) => parsedRows(rowsOf(data)).map(({ key }) => key);

function parsedRows({ rows }: Json) {
	return z
		.array(z.tuple([z.number(), z.number(), z.number(), z.string(), z.string()]))
		.parse(JSON.parse(String(rows)))
		.map(([start, end, missing, key, written]) => ({ start, end, missing, key, written }));
}

/** Results as the data table returns them: key, valid, operator, country, reason, cost. */
type Result = [string, 0 | 1, string, string, string, number];

function checkedList(
	data: string,
	results: readonly Result[],
	chunks: readonly Json[] = [],
	maxTotalCost = 0,
): Json {
	const state = JSON.stringify({ spent: 1, price: 0.05 });
	const [checked] = runCode('Checked List', {
		input: chunks,
		'Known Results': [{ known: JSON.stringify(results), state }],
		'List Text': [{ data }],
		Rows: [rowsOf(data)],
		Settings: [{ ...settings, maxTotalCost }],
	});
	if (!checked) throw new Error('Checked List put out nothing');
	return checked;
}

describe('the list', () => {
	it.each([
		'79000000001',
		'+7 (900) 000-00-01',
		'+7–900–000–00–01',
		'\u202A+7 900 000 00 01\u202C',
		'79000000001.0',
		'7.9000000001E+10',
		'7,9000000001E+10',
		'7.9E+10',
		'+89000000001',
		'89000000001',
		'0079000000001',
		'+0079000000001',
		'no phone yet',
		'12345',
		'+',
	])('has the same number for “%s” as the node has', (written) => {
		expect(keysIn(`phone\n"${written}"\n`)).toEqual([sameNumberKey(written)]);
	});

	it.each(['', ' ', '\u200B', '\u00A0'])('has no number in a cell with %j', (written) => {
		expect(keysIn(`name,phone\nAnn,${written}\n`)).toEqual(['']);
	});

	it('may have quotes, line breaks, short and blank rows, and any line ends', () => {
		const text =
			'\uFEFFname,phone\r\n"Ann ""A"", Ltd",79000000001\r\n"two\nlines","79000000002"\n\nBen';
		const rows = parsedRows(rowsOf(text));
		expect(rows.map(({ key, missing }) => [key, missing])).toEqual([
			['79000000001', 0],
			['79000000002', 0],
			['', 1],
			['', 1],
		]);
	});

	it.each([';', '\t'])('may be separated by %j', (delimiter) => {
		const text = `name${delimiter}phone\nAnn, Ltd${delimiter}79000000001\n`;
		expect(keysIn(text)).toEqual(['79000000001']);
	});

	it('without the column ends the run, and says which columns there are', () => {
		expect(() => rowsOf('name,tel\nAnn,79000000001\n')).toThrow(
			'The list has no column "phone". It has: name, tel.',
		);
	});
});

describe('the chunks', () => {
	const chunksOf = (count: number, known: readonly string[], price: number) => {
		const phones = Array.from({ length: count }, (_none, index) => 79_160_000_000 + index);
		return runCode('Chunks', {
			input: [rowsOf(`phone\n${phones.join('\n')}\n`)],
			'Known Results': [
				{ known: JSON.stringify(known.map((key) => [key])), state: JSON.stringify({ price }) },
			],
		});
	};

	it('have 250 numbers, and leave out what is known', () => {
		const chunks = chunksOf(600, ['79160000000', '79160000599'], 0.05);
		expect(chunks.map(({ count }) => count)).toEqual([250, 250, 98]);
		expect(chunks[0]?.numbers).toMatch(/^\[\{"key":"79160000001","written":"79160000001"\}/);
	});

	it('begin with a single number while no price is known', () => {
		const chunks = chunksOf(600, [], 0);
		expect(chunks.map(({ count }) => count)).toEqual([1, 250, 250, 99]);
	});

	it('are one empty chunk when everything is known, so that the files are still written', () => {
		expect(chunksOf(1, ['79160000000'], 0.05)).toEqual([{ numbers: '[]', count: 0 }]);
	});
});

describe('the outcome of a chunk', () => {
	const state = { totalId: 7, spent: 1, price: 0.05, failedInARow: 30 };
	const outcomeOf = (input: readonly Json[]) => {
		const [outcome] = runCode('Outcome', {
			input,
			Numbers: [{ key: '79000000001' }, { key: '79000000002' }, { key: '' }],
			'When Called by Itself': [{ state }],
		});
		return { ...outcome, state: z.record(z.number()).parse(JSON.parse(String(outcome?.state))) };
	};
	const good = { valid: true, provider: 'North', country: 'Russia', reason: '', cost: 0.07 };
	const failure = { error: 'The service is down' };
	const blank = { valid: false, provider: '', country: '', reason: 'Empty', cost: 0 };

	it('is the rows to store, and their cost; a failure is not a result', () => {
		expect(outcomeOf([good, failure, blank])).toEqual({
			rows: [
				expect.objectContaining({ key: '79000000001', valid: true, operator: 'North', cost: 0.07 }),
				expect.objectContaining({ key: '', valid: false, reason: 'Empty', cost: 0 }),
			],
			results: '[["79000000001",1,"North","Russia","",0.07],["",0,"","","Empty",0]]',
			failed: '[["79000000002","The service is down"]]',
			checked: 1,
			cost: 0.07,
			state: { totalId: 7, spent: 1.07, price: 0.07, failedInARow: 0 },
		});
	});

	it('has empty texts where the service says nothing about operator and country', () => {
		expect(outcomeOf([{ ...good, provider: undefined, country: null }])).toMatchObject({
			results: '[["79000000001",1,"","","",0.07]]',
		});
	});

	it('counts the failures when everything failed', () => {
		expect(outcomeOf([failure, failure, failure]).state.failedInARow).toBe(33);
	});
});

describe('the checked list', () => {
	const text = 'name,phone\n"Ann, Ltd",+7 900 000-00-01\nBen\nAnn again,79000000001\nEve,12345\n';
	const results: Result[] = [['', 0, '', '', 'The phone number is empty', 0]];
	const chunk = {
		results: '[["79000000001",1,"North, Line","Russia","",0.05]]',
		failed: '[]',
		cost: 0.05,
		checked: 1,
		state: '{"failedInARow":0,"spent":1.05}',
	};
	const failed = JSON.stringify([['12345', 'The service is down']]);

	it('has empty cells where an earlier run stored no operator and country', () => {
		const stored = [['79000000001', 1, null, null, null, 0.05]] as unknown as Result[];
		const { csv } = checkedList('name,phone\nAnn,79000000001\n', stored);
		expect(csv).toContain('Ann,79000000001,TRUE,,,\r\n');
	});

	it('has each row unchanged, with four more cells', () => {
		const { csv, ...figures } = checkedList(text, results, [{ ...chunk, failed }]);
		expect(String(csv).split('\r\n')).toEqual([
			'name,phone,valid,operator,country,reason',
			'"Ann, Ltd",+7 900 000-00-01,TRUE,"North, Line",Russia,',
			'Ben,,FALSE,,,The phone number is empty',
			'Ann again,79000000001,TRUE,"North, Line",Russia,',
			'Eve,12345,,,,The service is down',
			'',
		]);
		expect(figures).toMatchObject({
			rows: 4,
			valid: 2,
			invalid: 1,
			failed: 1,
			blank: 1,
			duplicates: 1,
			numbers: 2,
			checkedNow: 1,
			costNow: 0.05,
			costOfResults: 0.05,
			costInAll: 1.05,
		});
	});

	const skipped = { numbers: '[]', count: 5, state: { spent: 1 } };
	const dead = { ...chunk, failed, state: '{"failedInARow":250,"spent":1.05}' };
	const left = `${text}Fay,79000000009\n`;

	it.each([
		['the cost limit is reached', [chunk, skipped], 'the cost limit of 5 is reached'],
		['the service is down', [dead, skipped], 'the run stopped after 100 failed checks in a row'],
	])('says in the row why a chunk was skipped: %s', (_why, chunks, reason) => {
		const rows = String(checkedList(left, results, chunks, 5).csv).split('\r\n');
		expect(rows[5]).toContain(`Not checked: ${reason}`);
	});

	it.each([
		['all is done', text, [{ ...chunk, results: allOf(chunk.results) }], 'Every row has a result.'],
		['checks failed', text, [{ ...chunk, failed }], 'To try again, start the workflow again'],
		['the limit is reached', left, [chunk, skipped], 'Raise maxTotalCost in Settings, and start'],
		['the service is down', left, [dead, skipped], 'Once the reason below is fixed, start'],
	])('tells what to do when %s', (_end, list, chunks, advice) => {
		expect(checkedList(list, results, chunks, 5).subline).toContain(advice);
	});

	it.each([...FORMULAS, 'North\r\n=1+1'])(
		'never has a formula in a cell of the service, such as %j',
		(said) => {
			const list = 'name,phone\n=own(),79000000001\n-own,12345\n+own,79000000009\n';
			const stored: Result[] = [
				['79000000001', 1, said, said, '', 0],
				['12345', 0, '', '', said, 0],
			];
			const failures = JSON.stringify([['79000000009', said]]);
			const { csv } = checkedList(list, stored, [{ ...chunk, results: '[]', failed: failures }]);
			const cell = FORMULAS.includes(said) ? `'${said}` : said;
			const written = /[\r\n]/.test(cell) ? `"${cell}"` : cell;
			expect(csv).toBe(
				[
					'name,phone,valid,operator,country,reason',
					`=own(),79000000001,TRUE,${written},${written},`,
					`-own,12345,FALSE,,,${written}`,
					`+own,79000000009,,,,${written}`,
					'',
				].join('\r\n'),
			);
		},
	);

	it.each(['<script>alert(1)</script>', '"><img src=x>', '$& $` $1 $$', '{{ $json.csv }}'])(
		'never renders the service’s text as part of the report: %s',
		(said) => {
			const stored: Result[] = [
				['79000000001', 1, said, said, '', 0],
				['', 0, '', '', said, 0],
			];
			const failures = JSON.stringify([['12345', said]]);
			const figures = checkedList(text, stored, [{ ...chunk, results: '[]', failed: failures }]);
			const { operators, countries, whyInvalid, whyFailed } = figures;
			for (const part of [operators, countries, whyInvalid, whyFailed]) {
				expect(part).not.toMatch(/<script|<img|[${]/);
				expect(asShown(part)).toContain(said);
			}
			const headings = /<h2>.*?<\/h2>/g;
			expect(reportOf(figures).match(headings)).toEqual(template.match(headings));
		},
	);
});

describe('check-phone-list', () => {
	const columns = exampleNamed('check-phone-list').nodes.find(({ name }) => name === 'Columns');
	const [, expression = ''] = /^=\{\{(.*)\}\}$/s.exec(columns?.parameters.jsonOutput ?? '') ?? [];
	const own = { name: '=own()', phone: '+7 900 000-00-01' };
	const rowOf = ($json: Json): unknown => {
		const row: unknown = runInNewContext(`(${expression})`, {
			$: () => ({ item: { json: own } }),
			$json,
		});
		return JSON.parse(JSON.stringify(row));
	};

	it.each(FORMULAS)('never has a formula in a cell of the service, such as %j', (said) => {
		const cell = `'${said}`;
		expect(rowOf({ valid: true, provider: said, country: said, reason: said })).toEqual({
			...own,
			valid: true,
			operator: cell,
			country: cell,
			reason: cell,
		});
		expect(rowOf({ error: said })).toMatchObject({ ...own, valid: '', reason: cell });
	});

	it('leaves any other text as it is', () => {
		expect(rowOf({ valid: true, provider: 'A=B $& {', country: null, reason: '' })).toEqual({
			...own,
			valid: true,
			operator: 'A=B $& {',
			country: '',
			reason: '',
		});
	});
});

/** As n8n’s HTML node does it: one expression after the other, with String.replace. */
function reportOf($json: Json): string {
	const expressions = template.match(/\{\{.*?\}\}/g) ?? [];
	return expressions.reduce(
		(html, each) => html.replace(each, String(runInNewContext(each.slice(2, -2), { $json }))),
		template,
	);
}

/** The text that a browser shows for escaped characters. */
function asShown(html: unknown): string {
	return String(html).replace(/&#(\d+);/g, (_whole, code) => String.fromCharCode(Number(code)));
}

function allOf(results: string): string {
	return results.replace(/]$/, ',["12345",0,"","","Too short",0.05]]');
}
