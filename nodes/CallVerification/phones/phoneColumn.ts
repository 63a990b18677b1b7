import { InputError } from '../contract/request';
import { excerpt, maskNumbers } from '../transport/redact';
import type { TimeSlice } from '../pacing/time';
import { digitsOf, withoutInvisibleMarks } from './phone';

/** Of a file. */
interface Table {
	readonly columns: readonly string[];
	readonly rowCount: number;
	cells(row: number): readonly string[];
	isResult(column: number): boolean;
}

type Column = { readonly name: string; readonly index: number };

const SAMPLE_CELLS = 3_000;
const FEWEST_SAMPLE_ROWS = 50;
const MOST_LISTED = 30;

const BEST_NAMES = /^(?:phone|phone ?number|телефон|номер ?телефона)$/;
const PHONE_WORDS = `
	phone phones phonenumber telephone tel telefon mobile mobilephone mobilenumber cell cellphone cellular msisdn whatsapp
	телефон телефоны телефона телефонов тел мобильный мобильного моб мобтел сотовый сотового сот`.split(
	/\s+/,
);
const WORDS_BESIDE = `
	number numbers num no nr contact primary main customer client user work home business personal
	номер номера контактный контактного основной основного клиента абонента рабочий домашний личный`.split(
	/\s+/,
);
/** Numbers that Check File wrote, not the cells they were read from. */
const RESULT_NUMBER = /^\s*(?:phone_e164|result_phone_e164(?:_\d+)?)\s*$/i;

/** With a plus or 00, and otherwise only what people put between digits. */
const INTERNATIONAL = /^(?:\+|00)[\s\p{Dash}.()/]*(?:\d[\s\p{Dash}.()/]*){7,15}$/u;
const BEFORE_NUMBER = /^(?:=?["']|tel:)\s*/i;
const LONGEST_NUMBER = 40;
/** Of an e-mail. Longer ones would only take time. */
const LONGEST_ADDRESS = 254;
const DIGITS_OF_NUMBER = /^[\d\s\p{Dash}.()]*$/u;
/** Its parts exclude what separates them: otherwise a long cell would take hours. */
const ADDRESS = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;
const ROUNDED_NUMBER = /^\d[.,]\d+E\+1\d$/i;

/** The column that holds the numbers. Throws an InputError that lists the columns, because a wrong one would cost money. */
export async function findPhoneColumn(
	file: Table,
	chosen: string,
	slice: TimeSlice,
): Promise<number> {
	const columns = file.columns
		.map((name, index) => ({ name, index }))
		.filter(({ index }) => !file.isResult(index));
	const fail = (problem: string) =>
		new InputError(
			problem,
			`Enter the name of the column with the phone numbers in “Phone Column”. The file has: ${list(columns)}.`,
		);

	if (chosen.trim() !== '') {
		const exact = columns.filter(({ name }) => name === chosen);
		const similar = columns.filter(({ name }) => caseless(name) === caseless(chosen));
		const [first, ...more] = exact.length > 0 ? exact : similar;
		if (first === undefined) throw fail(`The file has no column “${shown(chosen)}”`);
		if (more.length === 0) return first.index;
		throw fail(`The file has ${1 + more.length} columns called “${shown(chosen)}”`);
	}

	const own = columns.filter(({ name }) => !RESULT_NUMBER.test(name));
	const samples = Math.max(FEWEST_SAMPLE_ROWS, SAMPLE_CELLS / file.columns.length);
	const sampled = await judge(own, file, Math.max(1, file.rowCount / samples), slice);
	const named = sampled.filter(({ name, mayHoldNumbers }) => mayHoldNumbers && isUsualName(name));
	// An empty column is the right one only if no other has a usual name.
	const filled = named.filter(({ isFilled }) => isFilled);
	const candidates = filled.length > 0 ? filled : named;
	const best = candidates.filter(({ name }) => BEST_NAMES.test(plain(name)));
	let found = best.length > 0 ? best : candidates;
	if (found.length === 0) found = sampled.filter(({ isInternational }) => isInternational);
	if (found.length === 0) {
		// The sample may have missed all cells of a column that is nearly empty.
		const judged = await judge(own, file, 1, slice);
		found = judged.filter(({ isInternational }) => isInternational);
	}
	const [first, ...more] = found;
	if (first === undefined) throw fail('The column with the phone numbers could not be found');
	if (more.length === 0) return first.index;
	throw fail(`Several columns may hold the phone numbers: ${list(found)}`);
}

/** Whether a row is one of the list rather than its header. */
export const looksLikeData = (cells: readonly string[]) =>
	cells.every((cell) => /^[\s\d.,+-]*$/.test(cell)) || cells.some(isNumberOrAddress);

function isNumberOrAddress(cell: string): boolean {
	if (cell.length > LONGEST_ADDRESS) return false;
	const text = bare(cell);
	if (INTERNATIONAL.test(text) || ROUNDED_NUMBER.test(text) || ADDRESS.test(text)) return true;
	const digits = digitsOf(text).length;
	return DIGITS_OF_NUMBER.test(text) && digits >= 10 && digits <= 15;
}

/** Judged by the filled cells of rows that are spread over the file, because people sort lists. */
async function judge(columns: readonly Column[], file: Table, step: number, slice: TimeSlice) {
	const counts = columns.map((column) => ({ column, filled: 0, international: 0, numbers: 0 }));
	for (let row = 0; row < file.rowCount; row += step) {
		if (slice.isOver) await slice.next();
		const cells = file.cells(Math.floor(row));
		for (const count of counts) {
			const text = bare(cells[count.column.index] ?? '');
			if (text === '') continue;
			count.filled += 1;
			if (text.length > LONGEST_NUMBER) continue;
			if (INTERNATIONAL.test(text)) count.international += 1;
			if (digitsOf(text).length >= 5) count.numbers += 1;
		}
	}
	return counts.map(({ column, filled, international, numbers }) => ({
		...column,
		isFilled: filled > 0,
		isInternational: filled > 0 && 5 * international >= 4 * filled,
		// A column “mobile” may also say yes or no.
		mayHoldNumbers: 10 * numbers >= filled,
	}));
}

/** Without what spreadsheets and links put around a number. */
const bare = (cell: string) => cell.trim().replace(BEFORE_NUMBER, '').replace(/"$/, '');

function isUsualName(name: string): boolean {
	const words = plain(name)
		.split(' ')
		.filter((word) => /\D/.test(word));
	const others = words.filter((word) => !PHONE_WORDS.includes(word));
	return others.length < words.length && others.every((word) => WORDS_BESIDE.includes(word));
}

const caseless = (name: string) => withoutInvisibleMarks(name).trim().toLowerCase();

/** Without case, punctuation and the difference between `phoneNumber` and `phone_number`. */
function plain(name: string): string {
	return name
		.normalize('NFKC')
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();
}

function list(columns: readonly Column[]): string {
	const listed = columns.slice(0, MOST_LISTED).map(({ name }) => `“${shown(name)}”`);
	const rest = columns.length - listed.length;
	return rest > 0 ? `${listed.join(', ')} and ${rest} more` : listed.join(', ');
}

/** A file without header has numbers where the names should be. */
const shown = (name: string) => excerpt(maskNumbers(name));
