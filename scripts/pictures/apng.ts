import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** A screenshot, and how long it is shown. */
export interface Frame {
	readonly png: Buffer;
	readonly ms: number;
}

interface Pixels {
	readonly width: number;
	readonly height: number;
	/** Red, green and blue of each pixel, row by row. */
	readonly data: Buffer;
}

interface Area {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const CHANNELS = 3;
const RGB = 2;
const RGBA = 6;

/** An animated PNG that repeats for ever. Of each frame, only the area that changes is stored. */
export function animatedPng(frames: readonly Frame[]): Buffer {
	const [first, ...others] = frames.map(({ png, ms }) => ({ ...decodedPng(png), ms }));
	if (first === undefined) throw new Error('An animation needs a frame');
	const steps = [{ image: first, area: { x: 0, y: 0, ...sizeOf(first) }, ms: first.ms }];
	let shown: Pixels = first;
	for (const image of others) {
		const area = changedArea(shown, image);
		const last = steps.at(-1);
		if (area !== undefined) steps.push({ image, area, ms: image.ms });
		else if (last !== undefined) last.ms += image.ms;
		shown = image;
	}
	let sequence = 0;
	const chunks = steps.flatMap(({ image, area, ms }, index) => {
		const control = chunk('fcTL', frameControl(sequence++, area, ms));
		const data = compressed(image, area);
		return index === 0
			? [control, chunk('IDAT', data)]
			: [control, chunk('fdAT', Buffer.concat([uint32(sequence++), data]))];
	});
	return Buffer.concat([
		SIGNATURE,
		chunk('IHDR', Buffer.concat([uint32(first.width), uint32(first.height), header(RGB)])),
		chunk('acTL', Buffer.concat([uint32(steps.length), uint32(0)])),
		...chunks,
		chunk('IEND', Buffer.alloc(0)),
	]);
}

/** The chunks of a PNG file, in order. */
function chunksOf(png: Buffer): Array<{ readonly type: string; readonly data: Buffer }> {
	const chunks = [];
	for (let at = SIGNATURE.length; at < png.length; ) {
		const length = png.readUInt32BE(at);
		const type = png.toString('latin1', at + 4, at + 8);
		chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
		at += length + 12;
	}
	return chunks;
}

/** Reads what browsers write: eight bits per channel, not interlaced, with or without transparency. */
function decodedPng(png: Buffer): Pixels {
	const chunks = chunksOf(png);
	const head = chunks.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(13);
	const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
	const [depth, kind] = [head[8], head[9]];
	if (depth !== 8 || (kind !== RGB && kind !== RGBA)) throw new Error('This PNG is not RGB');
	const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
	const size = kind === RGBA ? 4 : CHANNELS;
	const rows = unfiltered(inflateSync(Buffer.concat(packed)), width * size, size);
	const data = Buffer.alloc(width * height * CHANNELS);
	for (let pixel = 0; pixel < width * height; pixel += 1) {
		rows.copy(data, pixel * CHANNELS, pixel * size, pixel * size + CHANNELS);
	}
	return { width, height, data };
}

/** Undoes the filters of the rows: each byte is stored as the difference from those to its left and above. */
function unfiltered(filtered: Buffer, stride: number, size: number): Buffer {
	const height = filtered.length / (stride + 1);
	const rows = Buffer.alloc(stride * height);
	for (let y = 0; y < height; y += 1) {
		const filter = filtered[y * (stride + 1)] ?? 0;
		for (let x = 0; x < stride; x += 1) {
			const at = y * stride + x;
			const left = x >= size ? (rows[at - size] ?? 0) : 0;
			const above = y > 0 ? (rows[at - stride] ?? 0) : 0;
			const corner = x >= size && y > 0 ? (rows[at - stride - size] ?? 0) : 0;
			const raw = filtered[y * (stride + 1) + 1 + x] ?? 0;
			rows[at] = raw + predicted(filter, left, above, corner);
		}
	}
	return rows;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
	switch (filter) {
		case 1:
			return left;
		case 2:
			return above;
		case 3:
			return (left + above) >> 1;
		case 4:
			return nearest(left, above, corner);
		default:
			return 0;
	}
}

/** Paeth's predictor, as the PNG specification has it. */
function nearest(left: number, above: number, corner: number): number {
	const [byLeft, byAbove, byCorner] = [left, above, corner].map((value) =>
		Math.abs(left + above - corner - value),
	) as [number, number, number];
	if (byLeft <= byAbove && byLeft <= byCorner) return left;
	return byAbove <= byCorner ? above : corner;
}

/** The smallest area with all changes, or undefined if nothing changes. */
function changedArea(before: Pixels, after: Pixels): Area | undefined {
	const { width, height } = after;
	let [left, top, right, bottom] = [width, height, -1, -1];
	for (let y = 0; y < height; y += 1) {
		for (let x = 0; x < width; x += 1) {
			const at = (y * width + x) * CHANNELS;
			if (before.data.compare(after.data, at, at + CHANNELS, at, at + CHANNELS) === 0) continue;
			[left, right] = [Math.min(left, x), Math.max(right, x)];
			[top, bottom] = [Math.min(top, y), y];
		}
	}
	if (right < 0) return undefined;
	return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** With the filter that makes it smallest: none, or the difference from the row above. */
function compressed({ width, data }: Pixels, area: Area): Buffer {
	const plain: Uint8Array[] = [];
	const differences: Uint8Array[] = [];
	let above: Uint8Array = new Uint8Array(area.width * CHANNELS);
	for (let y = area.y; y < area.y + area.height; y += 1) {
		const from = (y * width + area.x) * CHANNELS;
		const row = data.subarray(from, from + area.width * CHANNELS);
		plain.push(Buffer.of(0), row);
		differences.push(
			Buffer.of(2),
			row.map((value, index) => value - (above[index] ?? 0)),
		);
		above = row;
	}
	const [one, other] = [plain, differences].map((rows) =>
		deflateSync(Buffer.concat(rows), { level: 9 }),
	) as [Buffer, Buffer];
	return one.length < other.length ? one : other;
}

function frameControl(sequence: number, { x, y, width, height }: Area, ms: number): Buffer {
	const delay = Buffer.alloc(6);
	delay.writeUInt16BE(ms, 0);
	delay.writeUInt16BE(1_000, 2);
	return Buffer.concat([sequence, width, height, x, y].map(uint32).concat(delay));
}

function chunk(type: string, data: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

/** Depth of a channel, kind of pixel, and the only compression, filters and interlacing used here. */
function header(kind: number): Buffer {
	return Buffer.of(8, kind, 0, 0, 0);
}

function sizeOf({ width, height }: Pixels): Pick<Area, 'width' | 'height'> {
	return { width, height };
}

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}
