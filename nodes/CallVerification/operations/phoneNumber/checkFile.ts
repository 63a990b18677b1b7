import { z } from 'zod';

import { flag, number, text } from '../../contract/fields';
import { checkedBy, InputError } from '../../contract/request';
import { writeKnownNumbers } from '../../phones/knownNumbers';
import { ListFile } from '../../phones/listFile';
import { ListChecks } from '../../phones/listChecks';
import { type CellCounts, type CheckedFile, ListNumbers } from '../../phones/listNumbers';
import { type ListSummary, reportPage } from '../../phones/listReport';
import {
	type ChosenColumns,
	findPhoneColumns,
	isAnyChosen,
	shownName,
} from '../../phones/phoneColumn';
import { defineOperation, type ItemContext } from '../../run/operation';
import { optionsField, plainText } from '../../run/options';
import { TimeSlice } from '../../pacing/time';
import * as shared from '../sharedFields';

const DEFAULT_FIELD = 'data';
const REPORT_FIELD = 'report';
const KNOWN_NUMBERS_FILE = 'known-numbers.csv';

const columnName = plainText('Phone Column');
const phoneColumns = checkedBy(
	(value): ChosenColumns =>
		Array.isArray(value)
			? value.map((name: unknown) => columnName.parse(name))
			: columnName.parse(value),
);

const parameters = z.object({
	binaryPropertyName: plainText('Input Data Field Name'),
	phoneColumn: phoneColumns.optional().default(''),
	options: z.object({
		defaultCountryCode: shared.defaultCountryCode,
		earlierResults: plainText('Earlier Results Field Name').optional(),
		knownNumbers: plainText('Put Known Numbers in Field').optional(),
		maxChecks: z.number(),
		maxTotalCost: z.number(),
		outputBinaryPropertyName: plainText('Put Output File in Field'),
		report: z.boolean(),
		reuseFor: z.number(),
	}),
});

type Parameters = z.output<typeof parameters>;

export const checkFile = defineOperation({
	value: 'checkFile',
	name: 'Check File',
	action: 'Check phone numbers in file',
	description: 'Check all numbers in a CSV file and get the file back with the results',
	builderHint:
		'Costs money for each different number. Takes a CSV file as binary data and returns it with eight more columns for each phone column, such as valid, mobile, operator and reason. Prefer it to reading the file into items: every cell stays as it is. Set options.maxTotalCost. Branch on complete: with complete = false, some cells have no result, and checking the output file again continues. What has a result already is not paid for again; to reuse results across lists, save the file of options.knownNumbers and pass it as options.earlierResults. Cells that cannot be read have an empty valid and a reason that starts with “unreadable”.',
	costs: 'yes',
	isForTools: false,
	hintBeforeRun: {
		when: '!$rawParameter.options?.maxTotalCost && !$rawParameter.options?.maxChecks',
		message:
			'Every different number in the file is checked. For a long list, add “Max Total Cost” under Options to cap the cost.',
	},
	fields: [
		shared.notice(
			'costNotice',
			'Every check costs money. Duplicate numbers in a file are billed only once, and numbers whose result is already in the file are not checked again.',
		),
		{
			displayName: 'Input Data Field Name',
			name: 'binaryPropertyName',
			type: 'string',
			required: true,
			default: DEFAULT_FIELD,
			placeholder: 'e.g. data',
			hint: 'The name of the input field that contains the CSV file',
			description:
				'Which file of the input item to check. With several items, their files are checked one after the other.',
		},
		{
			displayName: 'Phone Column',
			name: 'phoneColumn',
			type: 'string',
			default: '',
			placeholder: 'e.g. Phone, Work phone',
			description:
				'Name of the column with the phone numbers, or several, separated by commas. Leave empty to find all of them, by their names or content. Each column gets results of its own.',
		},
		{
			...optionsField,
			options: [
				shared.defaultCountryCodeField,
				{
					displayName: 'Earlier Results Field Name',
					name: 'earlierResults',
					type: 'string',
					default: '',
					placeholder: 'e.g. earlier',
					description:
						'Field of the input item with an earlier output file or known numbers, or several, separated by commas. What has a result there is not checked again. A file may be missing only if the cost is limited.',
				},
				{
					displayName: 'HTML Report',
					name: 'report',
					type: 'boolean',
					default: false,
					description:
						'Whether to also return a page with totals by operator and country, in the output field "report"',
				},
				{
					displayName: 'Max Checks',
					name: 'maxChecks',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 1_000_000, numberPrecision: 0 },
					default: 0,
					builderHint: {
						propertyHint:
							'For a very long file, loop: save the output file and pass it back, until complete is true or no fewer rows are left than before. That way, what was checked survives a crash.',
					},
					description:
						'Maximum number of checks per file. To continue, check the output file again. Set to 0 for no limit.',
				},
				shared.maxTotalCostField,
				{
					displayName: 'Put Known Numbers in Field',
					name: 'knownNumbers',
					type: 'string',
					default: '',
					placeholder: 'e.g. known',
					description:
						'Output field for a second file: every number that has a result, in this list or in the earlier results. Pass it to the next list as earlier results, so that no number is paid for twice.',
				},
				{
					displayName: 'Put Output File in Field',
					name: 'outputBinaryPropertyName',
					type: 'string',
					default: DEFAULT_FIELD,
					placeholder: 'e.g. data',
					description: 'Name of the output field for the file with the results',
				},
				{
					displayName: 'Reuse Results For (Days)',
					name: 'reuseFor',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 3_650, numberPrecision: 0 },
					default: 90,
					description:
						'For how many days a result is reused, if the file or the earlier results contain it. Set to 0 to check every number again.',
				},
			],
		},
	],
	optionsOfRun: ['maxTotalCost'],
	parameters,
	output: {
		rows: number('rows of the file, without its header and titles above it'),
		cells: number(
			'phone cells: rows times phone columns. `valid`, `invalid`, `unreadable`, `failed` and `not_checked` add up to it',
		),
		valid_rows: number('rows with a valid number in at least one phone column'),
		valid: number('cells with a valid number'),
		invalid: number('cells with a number that the service calls invalid'),
		unreadable: number(
			'cells that are empty or cannot be read as a single complete number; nothing was sent for them',
		),
		duplicates: number('cells that share the check of an earlier cell of the file'),
		reused: number('cells whose result was known from before, at no cost'),
		not_checked: number('cells that were not sent, because of a limit or because the run gave up'),
		failed: number('cells whose check failed'),
		outdated: number(
			'cells that keep an old result, because their number could not be checked again',
		),
		paid: number('numbers of this file that were paid for in this run, each once'),
		cost: number('what the checks of this file cost'),
		complete: flag('whether every cell that can be read has a result that is not outdated'),
		phone_column: text('the column with the phone numbers, or several, separated by commas'),
		delimiter: text('what separates the cells of the file'),
		encoding: text('how the input file is encoded; the output is always UTF-8'),
		file_name: text('name of the output file'),
	},
	check({ options }, { isTool }) {
		if (isTool) {
			const instead = 'Instead, give the agent “Phone Number: Check”.';
			throw new InputError('A tool cannot check a file', instead);
		}
		if (options.report && options.outputBinaryPropertyName === REPORT_FIELD) {
			throw new InputError(
				`“Put Output File in Field” is “${REPORT_FIELD}”, where the HTML report goes`,
				'Enter another name.',
			);
		}
		const { outputBinaryPropertyName: output, knownNumbers: known } = options;
		if (known === output || (options.report && known === REPORT_FIELD)) {
			throw new InputError(
				`“Put Known Numbers in Field” is “${known}”, where another file goes`,
				'Enter another name.',
			);
		}
		if (options.maxChecks > 0 && options.reuseFor === 0) {
			throw new InputError(
				'“Max Checks” cannot be used while “Reuse Results For (Days)” is 0',
				'Checking the output file again would pay for the same numbers again and never end. Set “Reuse Results For (Days)” to 1 or more, or limit the cost with “Max Total Cost”.',
			);
		}
	},
	async verify(values, item) {
		await readList(values, item, new TimeSlice(item.clock));
	},
	run: async (values, item) => await item.inTurn(async () => await checkList(values, item)),
});

/** Whatever can be wrong is found here, before anything is sent. */
async function readList(values: Parameters, item: ItemContext, slice: TimeSlice) {
	const { binaryPropertyName, phoneColumn: chosen } = values;
	const { name, bytes } = await item.files.read(binaryPropertyName, 'Input Data Field Name');
	const file = await ListFile.read(bytes, slice, { chosen });
	const found = await findPhoneColumns(file, chosen, slice);
	const sets = await file.resultSetsFor(found, slice);
	const columns = sets.map((results, index) => ({ column: found[index] ?? 0, results }));
	const earlier = await readEarlier(values, item, slice);
	return { file, columns, fileName: checkedName(name), earlier };
}

async function readEarlier(
	{ phoneColumn: chosen, options }: Parameters,
	item: ItemContext,
	slice: TimeSlice,
): Promise<CheckedFile[]> {
	const { maxChecks, maxTotalCost } = options;
	const checked: CheckedFile[] = [];
	for (const { field, found } of await findFiles(options.earlierResults, item)) {
		if (found === undefined) {
			const problem = `The input item has no file in “${field}”`;
			if (maxChecks === 0 && maxTotalCost === 0) {
				throw new InputError(
					`${problem}, so every number would be paid for`,
					`Its files are in: ${item.files.names}. If there are no earlier results yet, set “Max Total Cost” or “Max Checks”, or remove “Earlier Results Field Name”.`,
				);
			}
			item.hint(`${problem}, so no earlier results from there were used.`);
			continue;
		}
		const file = await ListFile.read(found.bytes, slice, { chosen, mayHaveNoRows: true });
		if (file.resultSets.length === 0) {
			throw new InputError(
				`The file in “${field}” has no results: it is not a file that Check File returned`,
				'It must have the columns that this operation adds, such as “valid”, “phone_e164” and “checked_at”.',
			);
		}
		const preferred = await findPhoneColumns(file, chosen, slice).catch(() => []);
		checked.push({ file, owners: await file.ownersOfResults(preferred, slice) });
	}
	return checked;
}

/** A field may have a comma in its name. */
async function findFiles(fields: string | undefined, { files }: ItemContext) {
	if (fields === undefined) return [];
	const only = await files.find(fields);
	if (only !== undefined) return [{ field: fields, found: only }];
	const names = fields.split(',').map((name) => name.trim());
	const filled = names.filter((name) => name !== '');
	const given = filled.length > 0 ? filled : [fields];
	return await Promise.all(given.map(async (field) => ({ field, found: await files.find(field) })));
}

/** With what is known about its numbers. Files that are not needed any more must not stay in memory during the checks. */
async function prepareList(values: Parameters, item: ItemContext, slice: TimeSlice) {
	const { options } = values;
	const { file, columns, fileName, earlier } = await readList(values, item, slice);
	const reuse = {
		now: item.clock.wallTime(),
		days: options.reuseFor,
		countryCode: options.defaultCountryCode,
	};
	const numbers = await ListNumbers.read(file, columns, reuse, slice);
	await numbers.addKnownOfList(slice);
	for (const checked of earlier) await numbers.addKnown(checked, slice);
	const unknown = await numbers.findUnknown(slice);
	const owners = new Map(columns.map(({ column, results }) => [results, column]));
	const toMerge = options.knownNumbers === undefined ? [] : [...earlier, { file, owners }];
	const names = columns.map(({ column }) => file.labels[column] ?? '');
	return { file, columns, names, fileName, numbers, unknown, toMerge };
}

async function checkList(values: Parameters, item: ItemContext) {
	const slice = new TimeSlice(item.clock);
	const list = await prepareList(values, item, slice);
	const { columns, fileName, numbers, unknown } = list;
	const { maxChecks, maxTotalCost, defaultCountryCode } = values.options;
	if (defaultCountryCode === undefined && (await numbers.anyBeginsWith8(slice))) {
		item.hint(shared.COUNTRY_CODE_HINT);
	}
	item.report.countNumbers(unknown.length);
	const checks = new ListChecks(item, {
		maxChecks: maxChecks || Infinity,
		maxTotalCost: maxTotalCost || Infinity,
	});
	await checks.checkAll(unknown);

	const cells = await numbers.countCells(slice);
	const isAnythingKnown = cells.before + cells.service > 0;
	if (checks.problem !== undefined && !isAnythingKnown && !item.phoneChecks.haveCost) {
		throw checks.problem.error;
	}
	const validIn = await numbers.countValid(slice);
	const summary = summaryOf(list, checks, cells, validIn.rows);
	await addFiles(values, item, { ...list, summary, validInColumns: validIn.ofColumns }, slice);
	if (columns.length > 1 && !isAnyChosen(values.phoneColumn)) {
		item.hint(
			`${fileName}: ${columns.length} phone columns were found and checked: ${shownName(summary.phone_column)}. To check fewer, enter their names in “Phone Column”.`,
			'info',
		);
	}
	item.report.endFile(summary);
	hintAt(summary, columns.length === 1 ? 'row' : 'cell', item);
	return { ...summary };
}

type PreparedList = Awaited<ReturnType<typeof prepareList>>;

function summaryOf(
	{ file, columns, names, fileName, unknown }: PreparedList,
	checks: ListChecks,
	cells: CellCounts,
	validRows: number,
): ListSummary {
	const { valid, invalid, failed, not_checked, outdated } = cells;
	return {
		rows: file.rowCount,
		cells: file.rowCount * columns.length,
		valid_rows: validRows,
		valid,
		invalid,
		unreadable: cells.cell,
		duplicates: unknown.reduce((sum, number) => sum + number.cells - 1, 0),
		reused: cells.before,
		not_checked,
		failed,
		outdated,
		paid: checks.paid,
		cost: Number(checks.cost.toFixed(6)),
		complete: failed + not_checked + outdated === 0,
		phone_column: names.join(', '),
		delimiter: file.delimiter,
		encoding: file.encoding,
		file_name: fileName,
	};
}

interface CheckedList extends PreparedList {
	readonly summary: ListSummary;
	/** How many cells of each phone column have a valid number. */
	readonly validInColumns: readonly number[];
}

/** The list with its results, and what else is to be returned with it. */
async function addFiles(
	{ options }: Parameters,
	item: ItemContext,
	list: CheckedList,
	slice: TimeSlice,
) {
	const { file, columns, names, fileName, numbers, toMerge, summary, validInColumns } = list;
	const {
		outputBinaryPropertyName,
		knownNumbers,
		defaultCountryCode: countryCode,
		report,
	} = options;
	const { add } = item.files;
	const sets = columns.map(({ results }) => results);
	const checked = await file.write(sets, (row, set) => numbers.resultOf(row, set), slice);
	await add(outputBinaryPropertyName, checked, fileName, 'text/csv');
	if (knownNumbers !== undefined) {
		const known = await writeKnownNumbers(numbers.all, toMerge, { countryCode }, slice);
		await add(knownNumbers, known, KNOWN_NUMBERS_FILE, 'text/csv');
	}
	if (report) {
		const byColumn = names.map((name, index) => ({ name, valid: validInColumns[index] ?? 0 }));
		const page = Buffer.from(await reportPage(numbers.all, byColumn, summary, slice));
		const name = fileName.replace(/-checked\.\w+$/, '-report.html');
		await add(REPORT_FIELD, page, name, 'text/html');
	}
}

function hintAt(summary: ListSummary, unit: 'row' | 'cell', item: ItemContext): void {
	const { file_name, encoding, complete, failed, not_checked, outdated } = summary;
	// Nothing in a file says which code page of Windows it has.
	if (encoding.startsWith('windows')) {
		item.hint(
			`${file_name}: the input is not UTF-8, so it was read as ${encoding}. If letters look wrong in the output, save the input as “CSV UTF-8” and check it again.`,
		);
	}
	if (complete) return;
	const someHave = (count: number) =>
		count === 1 ? `1 ${unit} has` : `${count.toLocaleString('en-US')} ${unit}s have`;
	const open = failed + not_checked;
	const what = [
		open > 0 && `${someHave(open)} no result, and “reason” says why`,
		outdated > 0 && `${someHave(outdated)} an old result that could not be renewed`,
	].filter(Boolean);
	item.hint(
		`${file_name} is not complete: ${what.join('; ')}. Check the output file again to continue; what has a valid result is not paid for again.`,
	);
}

/**
 * `phones.csv` becomes `phones-checked.csv`, and stays so when it is checked again. Strangers choose the names of their
 * uploads: no folder stays, no character that breaks a header, and no extension that makes text run.
 */
function checkedName(path = ''): string {
	const name = path.replace(/^.*[/\\]/s, '').replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
	const stem = name.replace(/\.[^.]*$/, '') || 'phones';
	const [extension] = /\.(?:csv|tsv|tab|txt)$/i.exec(name) ?? ['.csv'];
	return `${stem.replace(/-checked$/, '')}-checked${extension}`;
}
