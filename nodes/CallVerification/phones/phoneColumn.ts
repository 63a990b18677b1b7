import { InputError } from '../contract/request';
import { excerpt, maskNumbers } from '../transport/redact';
import type { TimeSlice } from '../pacing/time';
import { isResultNumber } from './resultColumns';
import { bare, digitsOf, INTERNATIONAL, withoutInvisibleMarks } from './writing';

interface ListColumns {
	/** As in the header. */
	readonly columns: readonly string[];
	/** The same, but no two are alike. */
	readonly labels: readonly string[];
	readonly rowCount: number;
	cell(row: number, column: number): string;
	isResult(column: number): boolean;
}

/** Names separated by commas, or a list of them from an expression. Empty to find the columns. */
export type ChosenColumns = string | readonly string[];

type Column = Readonly<{ name: string; label: string; index: number }>;
const SAMPLE_CELLS = 3_000;
const FEWEST_SAMPLE_ROWS = 50;
const MOST_LISTED = 30;
const LONGEST_NUMBER = 40;
const LONGEST_LABEL = 100;
/** Each adds eight columns. */
const MOST_CHECKED = 50;
/** Of one name. A longer one can come from an expression that returns a list. */
const MOST_COMMAS = 20;
const wordsOf = (text: string) => text.split(/\s+/);
const PHONE_WORDS = wordsOf(`
	phone phones phonenumber telephone tel telefon mobile mobilephone mobilenumber cell cellphone cellular msisdn whatsapp
	телефон телефоны телефона телефонов тел мобильный мобильного моб мобтел сотовый сотового сот`);
const WORDS_BESIDE = wordsOf(`
	number numbers num no nr value contact primary main customer client user work home business personal company direct
	other second additional номер номера контактный контактного основной основного клиента абонента рабочий домашний личный
	организации компании городской прямой другой второй доп дополнительный`);

/** In the order of the file. Throws an InputError that lists the columns if it is not certain: a wrong one costs money. */
export async function findPhoneColumns(
	file: ListColumns,
	chosen: ChosenColumns,
	slice: TimeSlice,
): Promise<number[]> {
	const columns = file.columns
		.map((name, index) => ({ name, label: file.labels[index] ?? name, index }))
		.filter(({ index }) => !file.isResult(index));
	const found = isAnyChosen(chosen)
		? chosenColumns(columns, chosen)
		: await certainColumns(columns, file, slice);
	const places = [...new Set(found.map(({ index }) => index))];
	if (places.length > MOST_CHECKED) {
		throw new InputError(
			`The file has ${places.length} phone columns, more than the ${MOST_CHECKED} that one run can check`,
			'Enter the names of those to check in “Phone Column”.',
		);
	}
	return places.sort((one, other) => one - other);
}

export const isAnyChosen = (chosen: ChosenColumns) => [chosen].flat().some((name) => name.trim());

/** Whether a cell of a header is the name of a phone column, or of one that Check File has added. */
export function headerTest(chosen: ChosenColumns): (cell: string) => boolean {
	const texts = typeof chosen === 'string' ? [chosen, ...chosen.split(',')] : chosen;
	const names = new Set(
		texts.flatMap((text) => [text, text.replace(/ \(\d+\)\s*$/, '')]).map(caseless),
	);
	return (cell) =>
		isUsualName(cell) || isResultNumber(cell) || (cell.trim() !== '' && names.has(caseless(cell)));
}

/** `Phone (1)` and `Phone (2)` for columns of the same name, and `Column 3` for one without a name. */
export function labelsOf(names: readonly string[]): string[] {
	const plainNames = names.map((name, index) => {
		const line = name.replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim();
		const start = line.slice(0, LONGEST_LABEL).replace(/[\ud800-\udbff]$/, '');
		return start.trim() || `Column ${index + 1}`;
	});
	const counts = new Map<string, number>();
	for (const name of plainNames) counts.set(caseless(name), (counts.get(caseless(name)) ?? 0) + 1);
	const taken = new Set(counts.keys());
	const next = new Map<string, number>();
	return plainNames.map((name) => {
		const key = caseless(name);
		if (counts.get(key) === 1) return name;
		let number = next.get(key) ?? 1;
		while (taken.has(`${key} (${number})`)) number += 1;
		next.set(key, number + 1);
		return `${name} (${number})`;
	});
}

function chosenColumns(columns: readonly Column[], chosen: ChosenColumns): Column[] {
	// By their names as they are, by their labels, and by their names in any case. Thousands of names can be looked up.
	const indexes = [
		{ keyOf: (text: string) => text, groups: grouped(columns, ({ name }) => name) },
		{ keyOf: caseless, groups: grouped(columns, ({ label }) => caseless(label)) },
		{ keyOf: caseless, groups: grouped(columns, ({ name }) => caseless(name)) },
	];
	const matching = (text: string) =>
		firstFilled(...indexes.map(({ keyOf, groups }) => groups.get(keyOf(text)) ?? []));
	const theOne = (text: string): Column => {
		const [first, ...more] = matching(text);
		const name = `“${shownName(text)}”`;
		if (first === undefined) {
			throw new InputError(`The file has no column ${name}`, howToChoose(columns));
		}
		if (more.length === 0) return first;
		throw new InputError(
			`The file has ${more.length + 1} columns called ${name}`,
			`Enter which one you mean in “Phone Column”, or several of them, separated by commas: ${list([first, ...more])}.`,
		);
	};
	const isOne = (text: string) => matching(text).length > 0;
	const names = typeof chosen === 'string' ? namesIn(chosen, columns, isOne) : chosen;
	return names.filter((name) => name.trim() !== '').map(theOne);
}

function grouped(columns: readonly Column[], keyOf: (column: Column) => string) {
	const groups = new Map<string, Column[]>();
	for (const column of columns) {
		const key = keyOf(column);
		const group = groups.get(key) ?? [];
		group.push(column);
		groups.set(key, group);
	}
	return groups;
}

/** A name may have commas itself, so the longest piece that is a name comes first. */
function namesIn(text: string, columns: readonly Column[], isName: (text: string) => boolean) {
	const parts = text.split(',');
	const longest = Math.max(1, ...columns.map(({ name }) => name.split(',', MOST_COMMAS).length));
	const names: string[] = [];
	for (let start = 0; start < parts.length; ) {
		let end = Math.min(parts.length, start + longest);
		while (end > start + 1 && !isName(parts.slice(start, end).join(','))) end -= 1;
		names.push(parts.slice(start, end).join(','));
		start = end;
	}
	return names;
}

/** All with a usual name that hold numbers. Without any, the only one that holds international numbers. */
async function certainColumns(columns: readonly Column[], file: ListColumns, slice: TimeSlice) {
	const own = columns.filter(({ name }) => !isResultNumber(name));
	const samples = Math.max(FEWEST_SAMPLE_ROWS, SAMPLE_CELLS / file.columns.length);
	const sampled = await countNumbers(own, file, Math.max(1, file.rowCount / samples), slice);
	// The sample may have missed all cells of a column that is nearly empty.
	const named = sampled.filter(({ name }) => isUsualName(name));
	const missed = await countNumbers(
		named.filter(({ filled }) => filled === 0),
		file,
		1,
		slice,
	);
	const counted = [...named.filter(({ filled }) => filled > 0), ...missed];
	// A column “mobile” may also say yes or no.
	const holding = counted.filter(({ numbers, filled }) => 10 * numbers >= filled);
	// An empty column is the right one only if no other has a usual name.
	const notEmpty = holding.filter(({ filled }) => filled > 0);
	const certain = firstFilled(notEmpty, holding);
	if (certain.length > 0) return certain;
	let found = sampled.filter(isInternational);
	if (found.length === 0) found = (await countNumbers(own, file, 1, slice)).filter(isInternational);
	const [first, ...more] = found;
	if (first !== undefined && more.length === 0) return [first];
	throw new InputError(
		first === undefined
			? 'The column with the phone numbers could not be found'
			: `Several columns may hold the phone numbers: ${list(found)}`,
		howToChoose(columns),
	);
}

const howToChoose = (columns: readonly Column[]) =>
	`Enter the name of the column with the phone numbers in “Phone Column”, or several names, separated by commas. The file has: ${list(columns)}.`;

const firstFilled = <T>(...lists: T[][]) => lists.find(({ length }) => length > 0) ?? [];
const isInternational = ({ filled, international }: { filled: number; international: number }) =>
	filled > 0 && 5 * international >= 4 * filled;

/** In rows that are spread over the file, because people sort lists. */
async function countNumbers(
	columns: readonly Column[],
	file: ListColumns,
	step: number,
	slice: TimeSlice,
) {
	const counts = columns.map((column) => ({ ...column, filled: 0, international: 0, numbers: 0 }));
	for (let row = 0; row < file.rowCount && counts.length > 0; row += step) {
		if (slice.isOver) await slice.next();
		for (const count of counts) {
			const text = bare(file.cell(Math.floor(row), count.index));
			if (text === '') continue;
			count.filled += 1;
			if (text.length > LONGEST_NUMBER) continue;
			if (INTERNATIONAL.test(text)) count.international += 1;
			if (digitsOf(text).length >= 5) count.numbers += 1;
		}
	}
	return counts;
}

function isUsualName(name: string): boolean {
	if (name.length > LONGEST_LABEL) return false;
	const words = wordsOf(plain(name)).filter((word) => /\D/.test(word));
	const others = words.filter((word) => !PHONE_WORDS.includes(word));
	return others.length < words.length && others.every((word) => WORDS_BESIDE.includes(word));
}

const caseless = (name: string) => withoutInvisibleMarks(name).trim().toLowerCase();

/** Without case, punctuation and the difference between `phoneNumber` and `phone_number`. */
const plain = (name: string) =>
	name
		.normalize('NFKC')
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();

function list(columns: readonly Column[]): string {
	const names = columns.slice(0, MOST_LISTED).map(({ label }) => `“${shownName(label)}”`);
	const rest = columns.length - names.length;
	return names.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** A file without header has numbers where the names should be. */
export const shownName = (name: string) => excerpt(maskNumbers(name));
