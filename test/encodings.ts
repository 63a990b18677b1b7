export const BOM = '\uFEFF';

/** Little-endian. */
export function utf16(text: string): Buffer {
	return Buffer.from(BOM + text, 'utf16le');
}

export function windows1251(text: string): Buffer {
	const special: Readonly<Record<string, number>> = {
		Ё: 0xa8,
		і: 0xb3,
		ё: 0xb8,
		'№': 0xb9,
		ї: 0xbf,
	};
	const bytes = [...text].map((character) => {
		const code = character.charCodeAt(0);
		return special[character] ?? (code < 0x80 ? code : code - 0x0410 + 0xc0);
	});
	return Buffer.from(bytes);
}
