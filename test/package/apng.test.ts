import { deflateSync } from 'node:zlib';

import { animatedPng, chunksOf, decodedPng } from '../../scripts/pictures/apng';

const uint32 = (value: number) => {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
};

/** A PNG as a browser writes it, but without checksums, with one filter for all rows. */
function png(width: number, filter: number, rows: number[][]): Buffer {
	const chunk = (type: string, data: Buffer) =>
		Buffer.concat([uint32(data.length), Buffer.from(type), data, uint32(0)]);
	const data = Buffer.concat(rows.map((row) => Buffer.of(filter, ...row)));
	return Buffer.concat([
		Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
		chunk('IHDR', Buffer.concat([uint32(width), uint32(rows.length), Buffer.of(8, 2, 0, 0, 0)])),
		chunk('IDAT', deflateSync(data)),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

const PLAIN = [
	[1, 2, 3, 4, 5, 6],
	[7, 8, 9, 10, 11, 12],
];
const CHANGED = [
	[1, 2, 3, 4, 5, 6],
	[7, 8, 9, 10, 11, 99],
];

describe('the moving picture', () => {
	it.each([
		[0, PLAIN],
		[
			1,
			[
				[1, 2, 3, 3, 3, 3],
				[7, 8, 9, 3, 3, 3],
			],
		],
		[
			2,
			[
				[1, 2, 3, 4, 5, 6],
				[6, 6, 6, 6, 6, 6],
			],
		],
		[
			3,
			[
				[1, 2, 3, 4, 4, 5],
				[7, 7, 8, 5, 5, 5],
			],
		],
		[
			4,
			[
				[1, 2, 3, 3, 3, 3],
				[6, 6, 6, 3, 3, 3],
			],
		],
	])('reads the rows of a screenshot with the filter %i', (filter, rows) => {
		expect([...decodedPng(png(2, filter, rows)).data]).toEqual(PLAIN.flat());
	});

	it('stores the first frame in whole and then what changes, with the time of frames that are alike', () => {
		const still = png(2, 0, PLAIN);
		const moved = png(2, 0, CHANGED);
		const chunks = chunksOf(
			animatedPng([
				{ png: still, ms: 100 },
				{ png: still, ms: 200 },
				{ png: moved, ms: 300 },
			]),
		);
		expect(chunks.map(({ type }) => type)).toEqual([
			'IHDR',
			'acTL',
			'fcTL',
			'IDAT',
			'fcTL',
			'fdAT',
			'IEND',
		]);
		const [first, second] = chunks.filter(({ type }) => type === 'fcTL').map(({ data }) => data);
		// Sequence, width, height, left, top.
		const numbers = (data: Buffer = Buffer.alloc(26)) =>
			[0, 4, 8, 12, 16].map((at) => data.readUInt32BE(at));
		expect([numbers(first), first?.readUInt16BE(20)]).toEqual([[0, 2, 2, 0, 0], 300]);
		expect([numbers(second), second?.readUInt16BE(20)]).toEqual([[1, 1, 1, 1, 1], 300]);
	});
});
