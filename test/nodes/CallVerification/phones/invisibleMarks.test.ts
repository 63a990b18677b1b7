import fc from 'fast-check';

import {
	nameOfCharacter,
	withoutInvisibleMarks,
} from '../../../../nodes/CallVerification/phones/invisibleMarks';
import { readPhone, readPhoneToCheck } from '../../../../nodes/CallVerification/phones/phone';

const range = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));

/** Written by hand, so that the list does not come from the code under test. */
const MARKS = [
	'\u00ad',
	'\u034f',
	'\u061c',
	'\u180e',
	...range(0x200b, 0x200f),
	...range(0x202a, 0x202e),
	...range(0x2060, 0x2064),
	...range(0x2066, 0x206f),
	...range(0xfe00, 0xfe0f),
	'\ufeff',
	'\u{e0001}',
	...range(0xe0020, 0xe007f),
	...range(0xe0100, 0xe01ef),
];

const codePointOf = (mark: string) => `U+${mark.codePointAt(0)?.toString(16).toUpperCase()}`;

describe('invisible marks', () => {
	it('are all dropped', () => {
		const kept = MARKS.filter((mark) => withoutInvisibleMarks(`7${mark}9`) !== '79');
		expect(kept.map(codePointOf)).toEqual([]);
	});

	it('do not include visible spaces and signs', () => {
		const text = '+7 (900)\u00a0000\u2011\u202f00.01 ext, ７ ٧ é😀\u0007';
		expect(withoutInvisibleMarks(text)).toBe(text);
	});

	const marked = (text: string) =>
		fc
			.array(fc.string({ unit: fc.constantFrom(...MARKS), maxLength: 3 }), {
				minLength: text.length + 1,
				maxLength: text.length + 1,
			})
			.map((gaps) => gaps.map((gap, index) => gap + (text[index] ?? '')).join(''));

	it.each(['+7 (900) 000-00-01', '79000000001', '79000000001.0', '7,9000000001E+10'])(
		'never change how %j is read, wherever they stand',
		(text) => {
			fc.assert(
				fc.property(marked(text), (pasted) => {
					expect(readPhone(pasted)).toBe(79000000001);
					const { source, ...reading } = readPhoneToCheck(pasted);
					expect({ ...reading, source: text }).toEqual(readPhoneToCheck(text));
					expect(source).toBe(pasted);
				}),
			);
		},
	);
});

describe('the name of a character', () => {
	it.each(['x', 'é', '/', '€', '７', '٧', '😀'])('that can be seen is itself: %s', (character) => {
		expect(nameOfCharacter(character)).toBe(`“${character}”`);
	});

	it.each([
		['\u0007', 'U+0007'],
		['\u0000', 'U+0000'],
		['\u0085', 'U+0085'],
		['\u0301', 'U+0301'],
		['\u2800', 'U+2800'],
		['\ufff9', 'U+FFF9'],
		['\ue000', 'U+E000'],
		['\ud800', 'U+D800'],
		['\u{f0000}', 'U+F0000'],
	])('that cannot be seen is its code point: %j is %s', (character, name) => {
		expect(nameOfCharacter(character)).toBe(name);
	});
});
