import type { TimeSlice } from '../pacing/time';
import { type CheckedFile, belongsTo, type ListNumber, saysWhich, timeOf } from './listNumbers';
import { PIECE } from './listText';
import { readPhoneToCheck, sameNumberKey } from './phone';
import { money } from './phoneChecks';
import { RESULT_COLUMNS, type RowResult, writeResultCell } from './resultColumns';
import { compact } from './writing';

/** A list like any other, so it is read as earlier results. `phone` is how the number was sent, without punctuation. */
const COLUMNS = ['phone', ...RESULT_COLUMNS, 'price'];
const DELIMITER = ',';
/** About 60 MB. More might fill n8n's memory. */
const MOST_KNOWN = 500_000;

interface KnownNumber {
	readonly written: string;
	readonly result: RowResult;
	readonly price: string;
}

/** Some known numbers, of which each is read when it is needed: all of them at once would fill the memory. */
interface Source {
	readonly count: number;
	/** Undefined if that place has no result, or does not say which number it is of. */
	read(place: number): KnownNumber | undefined;
}

/** All numbers with a result, once each, with the newest. Beyond `most`, those with the oldest results are left out. */
export async function writeKnownNumbers(
	numbers: readonly ListNumber[],
	files: readonly CheckedFile[],
	{ countryCode, most = MOST_KNOWN }: { countryCode?: string; most?: number },
	slice: TimeSlice,
): Promise<Buffer> {
	// Those of the list come last: if a result was reused, the earlier file also says what it has cost.
	const sources = [...files.flatMap((file) => sourcesIn(file, countryCode)), sourceOf(numbers)];
	const places = await findNewest(sources, slice);
	const kept = await withoutOldest(sources, places, most, slice);
	const pieces: Buffer[] = [];
	let piece = `\uFEFF${COLUMNS.join(DELIMITER)}\n`;
	for (const place of kept) {
		if (slice.isOver) await slice.next();
		const known = readAt(sources, place);
		if (known !== undefined) piece += `${lineOf(known)}\n`;
		if (piece.length > PIECE) {
			pieces.push(Buffer.from(piece));
			piece = '';
		}
	}
	return Buffer.concat([...pieces, Buffer.from(piece)]);
}

const lineOf = ({ written, result, price }: KnownNumber) =>
	[
		writeResultCell('phone_e164', written, DELIMITER),
		...RESULT_COLUMNS.map((name) => writeResultCell(name, result[name], DELIMITER)),
		price,
	].join(DELIMITER);

/** Far above the rows that a file can have, and with all sources far below what a number can hold. */
const PLACES = 2 ** 32;
const readAt = (sources: readonly Source[], place: number) =>
	sources[Math.floor(place / PLACES)]?.read(place % PLACES);
const timeAt = (sources: readonly Source[], place: number) => {
	const known = readAt(sources, place);
	return known === undefined ? -Infinity : timeOf(known.result);
};

/** Only a number is kept for each of hundreds of thousands, and the rest is read again. */
async function findNewest(sources: readonly Source[], slice: TimeSlice): Promise<number[]> {
	const newest = new Map<string, number>();
	for (const [index, { count, read }] of sources.entries()) {
		for (let at = 0; at < count; at++) {
			if (slice.isOver) await slice.next();
			const known = read(at);
			if (known === undefined) continue;
			const key = sameNumberKey(known.written);
			const before = newest.get(key);
			if (before === undefined || timeAt(sources, before) < timeOf(known.result)) {
				newest.set(key, index * PLACES + at);
			}
		}
	}
	return [...newest.values()];
}

async function withoutOldest(
	sources: readonly Source[],
	places: readonly number[],
	most: number,
	slice: TimeSlice,
): Promise<readonly number[]> {
	if (places.length <= most) return places;
	const times = new Float64Array(places.length);
	for (const [index, place] of places.entries()) {
		if (slice.isOver) await slice.next();
		times[index] = timeAt(sources, place);
	}
	const oldest = times.slice().sort()[places.length - most] ?? -Infinity;
	let left = most - times.reduce((newer, time) => newer + Number(time > oldest), 0);
	return places.filter((_, index) => {
		const time = times[index] ?? -Infinity;
		return time > oldest || (time === oldest && left-- > 0);
	});
}

const isKnown = (result: RowResult | undefined): result is RowResult =>
	saysWhich(result) && (result?.valid === 'TRUE' || result?.valid === 'FALSE');

function sourceOf(numbers: readonly ListNumber[]): Source {
	return {
		count: numbers.length,
		read(place) {
			const { text = '', result, price } = numbers[place] ?? {};
			if (!isKnown(result)) return undefined;
			return { written: compact(text), result, price: price === undefined ? '' : money(price) };
		},
	};
}

function sourcesIn({ file, owners }: CheckedFile, countryCode: string | undefined): Source[] {
	const isOurs = file.columns.join() === COLUMNS.join();
	return file.resultSets.map((set) => ({
		count: file.rowCount,
		read(place) {
			const checked = file.resultCell(place, set, 'phone_e164');
			if (checked === '') return undefined;
			const result = file.earlier(place, set);
			if (!isKnown(result)) return undefined;
			const column = owners.get(set);
			const cell = column === undefined ? '' : file.cell(place, column);
			const { text } = readPhoneToCheck(cell, countryCode);
			const written = text !== undefined && belongsTo(text, result) ? compact(text) : checked;
			return { written, result, price: isOurs ? file.cell(place, COLUMNS.length - 1) : '' };
		},
	}));
}
