export const BOM = '\uFEFF';

/** Little-endian. */
export function utf16(text: string): Buffer {
	return Buffer.from(BOM + text, 'utf16le');
}

const decoder = new TextDecoder('windows-1251');
const BYTES = new Map(
	Array.from({ length: 256 }, (_none, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
);

export function windows1251(text: string): Buffer {
	const bytes = [...text].map((letter) => {
		const byte = BYTES.get(letter);
		if (byte === undefined) throw new Error(`windows-1251 has no “${letter}”`);
		return byte;
	});
	return Buffer.from(bytes);
}

/** As a program saves it that leaves out what the encoding does not have. */
export const withLettersOfWindows1251 = (text: string) =>
	[...text].filter((letter) => BYTES.has(letter)).join('');
