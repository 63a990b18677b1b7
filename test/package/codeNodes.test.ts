import { runInNewContext } from 'node:vm';
import { z } from 'zod';

import { filesIn, read } from './project';

/**
 * How the work of the Code nodes grows with their rows, counted and not timed. n8n gives a Code node 60 seconds, which
 * is enough for 100,000 rows as long as a row costs the same in a list of any length.
 */

const ROWS = 1_000;
const TIMES_AS_MANY = 4;

type Json = Record<string, unknown>;
interface Item {
	readonly json: Json;
	readonly binary?: Readonly<Record<string, { readonly data: string }>>;
}
/** What nodes have put out, by their names. The first is the input. */
type Outputs = Readonly<Record<string, readonly Item[]>>;
type OutputsOf = (rows: number) => Outputs;

const workflow = z.object({
	nodes: z.array(
		z.object({ name: z.string(), parameters: z.object({ jsCode: z.string().optional() }) }),
	),
});

const CODES = new Map<string, string>(
	filesIn('examples', /\.json$/).flatMap((path) =>
		workflow.parse(JSON.parse(read(path))).nodes.flatMap(({ name, parameters: { jsCode } }) => {
			const example = path.replace(/^examples\/|\.json$/g, '');
			return jsCode === undefined ? [] : [[`${example}: ${name}`, jsCode] as const];
		}),
	),
);

/** Takes the report, and a spreadsheet if there is one. */
const WITHOUT_ROWS = ['check-list-form: Result Page'];

const many = <T>(rows: number, make: (row: number) => T) =>
	Array.from({ length: rows }, (_none, row) => make(row));
const items = (...all: Json[]): Item[] => all.map((json) => ({ json }));
const base64 = (text: string) => Buffer.from(text).toString('base64');
const phoneOf = (row: number) => `+${79_000_000_000 + row}`;

const list = { data: base64('list') };
/** A state of as many lines as runs have left. */
const runs = (rows: number): Item[] => {
	const lines = many(rows, (row) => ({ run: `${row}`, ended: true, list: 'phones.csv', cost: 1 }));
	const text = lines.map((line) => `\n${JSON.stringify(line)}`).join('');
	return [{ json: { fileName: 'phones-run.json' }, binary: { data: { data: base64(text) } } }];
};
const claim: Item[] = [{ json: { list: 'phones.csv' }, binary: { data: list, list } }];

const sheet = (rows: number) => items(...many(rows, (row) => ({ row: [phoneOf(row), row] })));
const csv = (rows: number, result: string) =>
	base64(many(rows, (row) => `${phoneOf(row)},${row}${result}\r\n`).join(''));

/** What every recipe for the contacts of a CRM makes of them. */
const contacts = (rows: number) =>
	many(rows, (id) => ({
		id,
		checked: phoneOf(id),
		phones: [{ phone: phoneOf(id), number: phoneOf(id) }],
	}));
const Settings = items({
	defaultCountryCode: '7',
	maxNumbers: 1e6,
	phoneProperties: 'phone',
	checkedProperty: 'checked',
	checkedField: 'checked',
	validField: 'valid',
	resultField: 'result',
});
const results = (rows: number) =>
	items(...many(rows, (row) => ({ phone: phoneOf(row), valid: true })));
const hubspotContacts = (rows: number) =>
	items(
		...many(rows, (vid) => ({
			vid,
			properties: { email: { value: `${vid}@example.com` }, phone: { value: phoneOf(vid) } },
		})),
	);

interface Crm {
	readonly contacts: OutputsOf;
	/** What it answers to a request for these contacts. */
	readonly answer: (ids: readonly number[]) => Json;
	readonly inARequest: number;
}

const CRMS: Readonly<Record<string, Crm>> = {
	amocrm: {
		contacts: (rows) => ({
			Contacts: items({
				_embedded: {
					contacts: many(rows, (id) => ({
						id,
						custom_fields_values: [{ field_code: 'PHONE', values: [{ value: phoneOf(id) }] }],
					})),
				},
			}),
		}),
		answer: (ids) => ({ _embedded: { contacts: ids.map((id) => ({ id })) } }),
		inARequest: 50,
	},
	bitrix24: {
		contacts: (rows) => ({
			Contacts: items({
				result: {
					items: many(rows, (id) => ({ id, fm: [{ typeId: 'PHONE', value: phoneOf(id) }] })),
				},
			}),
		}),
		answer: (ids) => ({
			result: {
				result: Object.fromEntries(
					ids.map((id) => [`contact${id}`, { item: { id, checked: '', valid: '', result: '' } }]),
				),
			},
		}),
		inARequest: 50,
	},
	hubspot: {
		contacts: (rows) => ({ Contacts: hubspotContacts(rows) }),
		answer: ([vid]) => ({ vid }),
		inARequest: 1,
	},
};

/** The nodes that the recipes for all CRMs have. */
function nodesOf(crm: Crm): Readonly<Record<string, OutputsOf>> {
	const requests = (rows: number) =>
		many(rows / crm.inARequest, (request) =>
			many(crm.inARequest, (place) => request * crm.inARequest + place),
		);
	return {
		'New or Changed': (rows) => ({ ...crm.contacts(rows), Settings }),
		'New Numbers': (rows) => ({
			'Kept Results': results(rows / 2),
			'New or Changed': items(...contacts(rows)),
			Settings,
		}),
		'List Run': (rows) => ({
			'New Numbers': items({}),
			'Fifty at a Time': items({ currentRunIndex: 1, maxRunIndex: 1 }),
			'Check Number': results(rows),
			Settings,
		}),
		'Contacts to Write': (rows) => ({
			'Results So Far': results(rows),
			'New or Changed': items(...contacts(rows)),
			Contacts: hubspotContacts(rows),
			Settings,
		}),
		'What Happened': (rows) => ({
			...crm.contacts(rows),
			'New or Changed': items(...contacts(rows)),
			'New Numbers': items(...many(rows, (row) => ({ number: phoneOf(row) }))),
			'Results So Far': results(rows),
			'Contacts to Write': items(...requests(rows).map((ids) => ({ ids }))),
			'Write Results': items(...requests(rows).map(crm.answer)),
			Settings,
		}),
	};
}

const OUTPUTS: Readonly<Record<string, OutputsOf>> = {
	'check-large-list: Prepare': (rows) => ({ Files: runs(rows), Claim: claim }),
	'check-list-form: Prepare': (rows) => ({
		Files: runs(rows),
		Claim: claim,
		'Take the Numbers': items({}),
	}),
	'check-list-schedule: Prepare': (rows) => ({ Files: runs(rows), Claim: claim }),
	'check-list-form: Spreadsheet to CSV': (rows) => ({
		'Read Spreadsheet': sheet(rows),
		Upload: items({ filename: 'list.xlsx' }),
	}),
	'check-list-form: CSV to Rows': (rows) => ({
		'Check File': [
			{
				json: { delimiter: ',' },
				binary: { list: { data: csv(rows, '') }, data: { data: csv(rows, ',TRUE') } },
			},
		],
		'Read Spreadsheet': sheet(rows),
	}),
	'check-phone-list: Phone Column': (rows) => ({
		Rows: items(...many(rows, (row) => ({ name: `${row}`, phone: phoneOf(row) }))),
		Settings,
	}),
	'verification-report: Report': (rows) => ({
		'Read Rows': items(
			...many(rows, (row) => ({
				key: `call ${row}`,
				kind: 'verification',
				at: '2026-11-18T11:00:00Z',
				delivery: 'voice',
				operator: 'North Line',
				number: `${row}`,
				cost: 1,
				confirmed: true,
				seconds: row,
			})),
		),
		Settings: items({ days: 28, alert_below_percent: 60, alert_from: 20 }),
	}),
	'recipes/hubspot-check-contacts: Without E-mail': (rows) => ({
		Contacts: hubspotContacts(rows),
		Settings,
	}),
	'recipes/hubspot-check-contacts: Report': (rows) => ({
		'What Happened': items({}),
		'Without E-mail': hubspotContacts(rows),
	}),
	'recipes/amocrm-new-contact: New or Changed': (rows) => {
		const field = (row: number) => `contacts[add][${row}][custom_fields][0]`;
		const body = many(rows, (row) => [
			[`contacts[add][${row}][id]`, `${row + 1}`],
			[`${field(row)}[code]`, 'PHONE'],
			[`${field(row)}[values][0][value]`, phoneOf(row)],
		]);
		return {
			'Contact Added': items({ body: Object.fromEntries(body.flat()) as Json }),
			Settings: items({ path: 'contacts' }),
		};
	},
	...Object.fromEntries(
		Object.entries(CRMS).flatMap(([name, crm]) =>
			Object.entries(nodesOf(crm)).flatMap(([node, outputsOf]) => [
				[`recipes/${name}-check-contacts: ${node}`, outputsOf],
				...(name === 'amocrm' && ['New Numbers', 'Contacts to Write'].includes(node)
					? [[`recipes/${name}-new-contact: ${node}`, outputsOf]]
					: []),
			]),
		),
	),
	...Object.fromEntries(
		Object.entries({
			airtable: 'Your Table',
			'data-table': 'Settings',
			'google-sheets': 'Your Sheet',
		}).map(([place, settings]) => [
			`recipes/results-to-${place}: New or Changed`,
			(rows: number) => ({
				Rows: items(...many(rows, (row) => ({ id: row, phone: phoneOf(row) }))),
				[settings]: Settings,
			}),
		]),
	),
};

/** Counts the elements of arrays that are read, copied or moved, in whatever way, in the context that runs it. */
const COUNTED = `
	let steps = 0;
	const iterator = Object.getPrototypeOf([][Symbol.iterator]());
	const { next } = iterator;
	iterator.next = function () {
		steps++;
		return next.call(this);
	};
	const WHOLE = [
		'concat', 'copyWithin', 'every', 'fill', 'filter', 'find', 'findIndex', 'findLast', 'findLastIndex', 'flat', 'flatMap',
		'forEach', 'includes', 'indexOf', 'join', 'lastIndexOf', 'map', 'reduce', 'reduceRight', 'reverse', 'shift', 'some',
		'sort', 'splice', 'toReversed', 'toSorted', 'toSpliced', 'unshift', 'with',
	];
	for (const name of WHOLE) {
		const method = Array.prototype[name];
		Array.prototype[name] = function (...given) {
			steps += this.length;
			return method.apply(this, given);
		};
	}
	const { slice } = Array.prototype;
	Array.prototype.slice = function (...given) {
		const part = slice.apply(this, given);
		steps += part.length;
		return part;
	};
	const outputs = JSON.parse(text);
	const $ = (name) => ({
		isExecuted: name in outputs,
		first: () => outputs[name][0],
		context: outputs[name]?.[0]?.json,
		all: () => {
			steps += outputs[name].length;
			return outputs[name];
		},
	});
	const $input = $(Object.keys(outputs)[0]);
`;

/** The elements of arrays that a Code node goes through. */
async function stepsOf(code: string, outputs: Outputs): Promise<number> {
	const [input = []] = Object.values(outputs);
	const helpers = {
		prepareBinaryData: async () => ({}),
		getBinaryDataBuffer: async (index: number, field: string) =>
			Buffer.from(input[index]?.binary?.[field]?.data ?? '', 'base64'),
	};
	const noon = Date.parse('2026-11-18T12:00:00Z');
	const $now = {
		toMillis: () => noon,
		startOf: () => ({ toMillis: () => noon - 3_600_000 }),
		toFormat: () => '',
	};
	const script = `(async () => {
		${COUNTED}
		await (async function () {${code}\n}).call({ helpers });
		return steps;
	})()`;
	const text = JSON.stringify(outputs);
	const run = { $now, $execution: {}, $workflow: {} };
	return z.number().parse(await runInNewContext(script, { text, helpers, ...run, Buffer }));
}

describe('the work of a Code node grows no faster than its rows', () => {
	it.each(Object.entries(OUTPUTS))('%s', async (name, outputsOf) => {
		const code = CODES.get(name) ?? '';
		const few = await stepsOf(code, outputsOf(ROWS));
		const more = await stepsOf(code, outputsOf(TIMES_AS_MANY * ROWS));
		// Otherwise, the rows have not been reached.
		expect(few).toBeGreaterThanOrEqual(ROWS);
		expect(more / few).toBeLessThanOrEqual(1.05 * TIMES_AS_MANY);
	});

	it('is counted for all of them that take rows', () => {
		const takingRows = [...CODES].filter(([, code]) => code.includes('.all()'));
		const counted = [...Object.keys(OUTPUTS), ...WITHOUT_ROWS];
		expect(takingRows.map(([name]) => name).filter((name) => !counted.includes(name))).toEqual([]);
	});

	it.each([
		['a copy', 'let copy = []; for (const { json } of $input.all()) copy = [...copy, json];'],
		['a search', 'const all = $input.all(); for (const each of all) all.includes(each);'],
		['a shift', 'const all = $input.all(); while (all.length > 0) all.shift();'],
		['a reading of all items', 'for (const { json } of $input.all()) $input.all();'],
	])('and %s for each row is noticed', async (_what, code) => {
		const [few, more] = await Promise.all(
			[10, 40].map(async (rows) => await stepsOf(code, { Rows: sheet(rows) })),
		);
		expect((more ?? 0) / (few ?? 1)).toBeGreaterThan(1.05 * TIMES_AS_MANY);
	});
});
