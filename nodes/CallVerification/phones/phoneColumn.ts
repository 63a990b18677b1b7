import { InputError } from '../contract/request';
import { excerpt, maskNumbers } from '../transport/redact';
import type { TimeSlice } from '../pacing/time';
import type { ListFile } from './listFile';
import { bare, digitsOf, INTERNATIONAL, withoutInvisibleMarks } from './writing';

type Column = { readonly name: string; readonly index: number };
const SAMPLE_CELLS = 3_000;
const FEWEST_SAMPLE_ROWS = 50;
const MOST_LISTED = 30;
const LONGEST_NUMBER = 40;
const BEST_NAMES = /^(?:phone|phone ?number|телефон|номер ?телефона)$/;
const wordsOf = (text: string) => text.split(/\s+/);
const PHONE_WORDS = wordsOf(`
	phone phones phonenumber telephone tel telefon mobile mobilephone mobilenumber cell cellphone cellular msisdn whatsapp
	телефон телефоны телефона телефонов тел мобильный мобильного моб мобтел сотовый сотового сот`);
const WORDS_BESIDE = wordsOf(`
	number numbers num no nr contact primary main customer client user work home business personal
	номер номера контактный контактного основной основного клиента абонента рабочий домашний личный`);
/** Written by Check File. */
const RESULT_NUMBER = /^\s*(?:phone_e164|result_phone_e164(?:_\d+)?)\s*$/i;

/** Throws an InputError that lists the columns if it is not certain, because a wrong column would cost money. */
export async function findPhoneColumn(file: ListFile, chosen: string, slice: TimeSlice) {
	const columns = file.columns
		.map((name, index) => ({ name, index }))
		.filter(({ index }) => !file.isResult(index));
	const onlyOne = ([first, ...more]: readonly Column[], ifNone: string, ifSeveral: string) => {
		if (first !== undefined && more.length === 0) return first.index;
		throw new InputError(
			first === undefined ? ifNone : ifSeveral,
			`Enter the name of the column with the phone numbers in “Phone Column”. The file has: ${list(columns)}.`,
		);
	};
	if (chosen.trim() !== '') {
		const exact = columns.filter(({ name }) => name === chosen);
		const similar = columns.filter(({ name }) => caseless(name) === caseless(chosen));
		const found = firstFilled(exact, similar);
		const name = `“${shown(chosen)}”`;
		const ifSeveral = `The file has ${found.length} columns called ${name}`;
		return onlyOne(found, `The file has no column ${name}`, ifSeveral);
	}
	const own = columns.filter(({ name }) => !RESULT_NUMBER.test(name));
	const samples = Math.max(FEWEST_SAMPLE_ROWS, SAMPLE_CELLS / file.columns.length);
	const sampled = await countNumbers(own, file, Math.max(1, file.rowCount / samples), slice);
	// A column “mobile” may also say yes or no.
	const holding = sampled.filter(({ numbers, filled }) => 10 * numbers >= filled);
	const named = holding.filter(({ name }) => isUsualName(name));
	// An empty column is the right one only if no other has a usual name.
	const notEmpty = named.filter(({ filled }) => filled > 0);
	const candidates = firstFilled(notEmpty, named);
	const best = candidates.filter(({ name }) => BEST_NAMES.test(plain(name)));
	let found = firstFilled(best, candidates, sampled.filter(isInternational));
	// The sample may have missed all cells of a column that is nearly empty.
	if (found.length === 0) found = (await countNumbers(own, file, 1, slice)).filter(isInternational);
	const ifSeveral = `Several columns may hold the phone numbers: ${list(found)}`;
	return onlyOne(found, 'The column with the phone numbers could not be found', ifSeveral);
}

const firstFilled = <T>(...lists: T[][]) => lists.find(({ length }) => length > 0) ?? [];
const isInternational = ({ filled, international }: { filled: number; international: number }) =>
	filled > 0 && 5 * international >= 4 * filled;

/** In rows that are spread over the file, because people sort lists. */
async function countNumbers(columns: Column[], file: ListFile, step: number, slice: TimeSlice) {
	const counts = columns.map((column) => ({ ...column, filled: 0, international: 0, numbers: 0 }));
	for (let row = 0; row < file.rowCount; row += step) {
		if (slice.isOver) await slice.next();
		const cells = file.cells(Math.floor(row));
		for (const count of counts) {
			const text = bare(cells[count.index] ?? '');
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
	const names = columns.slice(0, MOST_LISTED).map(({ name }) => `“${shown(name)}”`);
	const rest = columns.length - names.length;
	return names.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** A file without header has numbers where the names should be. */
const shown = (name: string) => excerpt(maskNumbers(name));
