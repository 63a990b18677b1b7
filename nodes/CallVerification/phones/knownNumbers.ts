import type { TimeSlice } from '../pacing/time';
import { belongsTo, type CheckedFile, type ListNumber, timeOf } from './listNumbers';
import { PIECE } from './listText';
import { readPhoneToCheck, sameNumberKey } from './phone';
import { money } from './phoneChecks';
import { NO_RESULT, RESULT_COLUMNS, type RowResult, writeResultCell } from './resultColumns';
import { compact } from './writing';

/** A list like any other, so it is read as earlier results. `phone` is how the number was sent, without punctuation. */
const COLUMNS = ['phone', ...RESULT_COLUMNS, 'price'];
const DELIMITER = ',';
/** About 60 MB. More might fill n8n's memory. */
const MOST_KNOWN = 500_000;

/** Some known numbers, of which each is read when it is needed: all of them at once would fill the memory. */
interface Source {
	readonly count: number;
	/** The number of a place. Undefined if that has no result, or does not say which number it is of. */
	writtenAt(place: number): string | undefined;
	/** Not of the whole result, which takes several times as long to read. */
	timeAt(place: number): number;
	resultAt(place: number): RowResult;
	/** Only files of known numbers say it, and results that were paid for just now. */
	readonly hasPrices: boolean;
	priceAt(place: number): string;
}

/** All numbers with a result, once each, with the newest. Beyond `most`, those with the oldest results are left out. */
export async function writeKnownNumbers(
	numbers: readonly ListNumber[],
	files: readonly CheckedFile[],
	{ countryCode, most = MOST_KNOWN }: { countryCode?: string; most?: number },
	slice: TimeSlice,
): Promise<Buffer> {
	const inFiles = files.flatMap((file) => sourcesIn(file, countryCode));
	// The same result may be in all of them, and the first one counts.
	inFiles.sort((one, other) => Number(other.hasPrices) - Number(one.hasPrices));
	const sources = [...inFiles, sourceOf(numbers)];
	const places = await findNewest(sources, slice);
	const kept = await withoutOldest(sources, places, most, slice);
	const pieces: Buffer[] = [];
	let piece = `\uFEFF${COLUMNS.join(DELIMITER)}\n`;
	for (const place of kept) {
		if (slice.isOver) await slice.next();
		piece += `${lineAt(sources, place)}\n`;
		if (piece.length > PIECE) {
			pieces.push(Buffer.from(piece));
			piece = '';
		}
	}
	return Buffer.concat([...pieces, Buffer.from(piece)]);
}

/** Far above the rows that a file can have, and with all sources far below what a number can hold. */
const PLACES = 2 ** 32;

function find(sources: readonly Source[], place: number) {
	const source = sources[Math.floor(place / PLACES)];
	if (source === undefined) throw new RangeError('There is no such place');
	return { source, at: place % PLACES };
}

function lineAt(sources: readonly Source[], place: number): string {
	const { source, at } = find(sources, place);
	const result = source.resultAt(at);
	return [
		writeResultCell('phone_e164', source.writtenAt(at) ?? '', DELIMITER),
		...RESULT_COLUMNS.map((name) => writeResultCell(name, result[name], DELIMITER)),
		source.priceAt(at),
	].join(DELIMITER);
}

function timeAt(sources: readonly Source[], place: number): number {
	const { source, at } = find(sources, place);
	return source.timeAt(at);
}

/** Only a number is kept for each of hundreds of thousands, and the rest is read again. */
async function findNewest(sources: readonly Source[], slice: TimeSlice): Promise<number[]> {
	const newest = new Map<string, number>();
	for (const [index, source] of sources.entries()) {
		for (let at = 0; at < source.count; at++) {
			if (slice.isOver) await slice.next();
			const written = source.writtenAt(at);
			if (written === undefined) continue;
			const key = sameNumberKey(written);
			const before = newest.get(key);
			const isNewer = before === undefined || timeAt(sources, before) < source.timeAt(at);
			if (isNewer) newest.set(key, index * PLACES + at);
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
	const newer = times.reduce((count, time) => (time > oldest ? count + 1 : count), 0);
	// Several may have that time, and not all of them have room.
	let room = most - newer;
	return places.filter((_, index) => {
		const time = times[index] ?? -Infinity;
		if (time !== oldest) return time > oldest;
		room -= 1;
		return room >= 0;
	});
}

const isKnown = ({ valid, phone_e164 }: Pick<RowResult, 'valid' | 'phone_e164'>) =>
	phone_e164 !== '' && (valid === 'TRUE' || valid === 'FALSE');

function sourceOf(numbers: readonly ListNumber[]): Source {
	return {
		count: numbers.length,
		writtenAt(place) {
			const { text = '', result = NO_RESULT } = numbers[place] ?? {};
			return isKnown(result) ? compact(text) : undefined;
		},
		timeAt: (place) => timeOf(numbers[place]?.result ?? NO_RESULT),
		resultAt: (place) => numbers[place]?.result ?? NO_RESULT,
		hasPrices: true,
		priceAt(place) {
			const price = numbers[place]?.result?.cost;
			return price === undefined ? '' : money(price);
		},
	};
}

function sourcesIn({ file, owners }: CheckedFile, countryCode: string | undefined): Source[] {
	const hasPrices = file.columns.join() === COLUMNS.join();
	return file.resultSets.map((set) => ({
		count: file.rowCount,
		writtenAt(place) {
			const phone_e164 = file.resultCell(place, set, 'phone_e164');
			const valid = file.resultCell(place, set, 'valid');
			const result = { ...NO_RESULT, phone_e164, valid };
			if (!isKnown(result)) return undefined;
			const column = owners.get(set);
			const cell = column === undefined ? phone_e164 : file.cell(place, column);
			if (cell === phone_e164) return cell;
			const { text } = readPhoneToCheck(cell, countryCode);
			return text !== undefined && belongsTo(text, result) ? compact(text) : phone_e164;
		},
		timeAt: (place) => timeOf({ checked_at: file.resultCell(place, set, 'checked_at') }),
		resultAt: (place) => file.earlier(place, set),
		hasPrices,
		priceAt: (place) => (hasPrices ? file.cell(place, COLUMNS.length - 1) : ''),
	}));
}
