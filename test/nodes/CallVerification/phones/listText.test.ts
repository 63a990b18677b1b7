import { readListText } from '../../../../nodes/CallVerification/phones/listText';
import { endlessSlice } from './endlessSlice';

const UPPER = Array.from({ length: 128 }, (_, index) => 128 + index);
/** Node’s own windows-1252 is Latin-1, so 0x80 to 0x9F are written out. */
const WINDOWS_1252_SYMBOLS = '€\uFFFD‚ƒ„…†‡ˆ‰Š‹Œ\uFFFDŽ\uFFFD\uFFFD‘’“”•–—˜™š›œ\uFFFDžŸ';
const bytesOf = (decode: (byte: number) => string) =>
	new Map(UPPER.map((byte) => [decode(byte), byte]));
const TABLES: Readonly<Record<string, ReadonlyMap<string, number>>> = {
	'windows-1252': bytesOf((byte) => WINDOWS_1252_SYMBOLS[byte - 128] ?? String.fromCharCode(byte)),
	// Unknown to Node.
	IBM850: new Map([...'äöé'].map((letter, index) => [letter, [0x84, 0x94, 0x82][index] ?? 0])),
	...Object.fromEntries(
		['windows-1250', 'windows-1251', 'IBM866', 'KOI8-R', 'macintosh', 'x-mac-cyrillic'].map(
			(name) => [name, bytesOf((byte) => new TextDecoder(name).decode(Uint8Array.of(byte)))],
		),
	),
};
function encode(text: string, encoding: string): Buffer {
	const bytes = [...text].map((character) => {
		const byte = TABLES[encoding]?.get(character) ?? character.charCodeAt(0);
		if (byte > 255) throw new Error(`${encoding} has no ${character}`);
		return byte;
	});
	return Buffer.from(bytes);
}

async function read(bytes: Uint8Array) {
	const { bytes: text, ...rest } = await readListText(bytes, endlessSlice);
	return { text: text.toString(), ...rest };
}

describe('a file without UTF-8', () => {
	it.each([
		['Russian', 'windows-1251', 'Имя;Телефон\nПётр Ёлкин;1\nООО «Ромашка» – №5;2'],
		['Russian in capitals', 'windows-1251', 'ФИО;ТЕЛЕФОН\nВСЁ ЕЩЁ;1'],
		['Russian with a single word', 'windows-1251', `id;Phone;note\n${'1;2;\n'.repeat(500)}3;4;да`],
		['Russian with nothing but №', 'windows-1251', '№;Name;Phone\n1;Ivan;2'],
		[
			'Russian with Latin letters by mistake',
			'windows-1251',
			'Name;Phone\nCергей;1\nOльга;2\nИван;3',
		],
		['Ukrainian', 'windows-1251', "Ім'я;Телефон\nЇжакевич Євген;1\nСергій Ґудзь;2"],
		['Ukrainian in capitals', 'windows-1251', 'МІСТО\nКИЇВ;1\nМІНСЬК;2\nХАРКІВ;3'],
		['Belarusian', 'windows-1251', 'Імя;Тэлефон\nКірыл Яўменаў;1\nМінск;2'],
		['German', 'windows-1252', 'Name;Straße\nMüller;Größe „XL“ – 5 €'],
		[
			'German with a single umlaut',
			'windows-1252',
			`Name;Phone\n${'Schmidt;1\n'.repeat(500)}Jäger;2`,
		],
		['French', 'windows-1252', 'Prénom;Numéro\nFrançois Noël;1\nZoé à l’œuvre «\u00A0été\u00A0»;2'],
		['Spanish', 'windows-1252', 'Nombre;Teléfono\nSeñora Núñez;1\n¿Qué?;Nº 1'],
		['English with a dash', 'windows-1252', 'Name;Phone\nAnn – home;1\nBob’s;2'],
	])('is read as the code page that fits: %s', async (_, encoding, text) => {
		expect(await read(encode(text, encoding))).toEqual({ text, encoding });
	});

	it.each([['windows-1251'], ['windows-1252']])('knows every character of %s', async (encoding) => {
		const word = encoding === 'windows-1251' ? 'слово ' : 'für ';
		const characters = [...(TABLES[encoding]?.keys() ?? [])].filter(
			(character) => !/[\u0080-\u009F\uFFFD]/.test(character),
		);
		const text = `${word.repeat(200)}\n${characters.join(' ')}`;
		expect((await read(encode(text, encoding))).text).toBe(text);
		expect(characters).toHaveLength(encoding === 'windows-1251' ? 127 : 123);
	});

	it.each([
		['windows-1251', 'Имя;Телефон\nИван;1\nАнна;\x98'],
		['windows-1252', 'Straße\rGröße\r\nä\x81'],
	])('is refused with the line of a byte that %s does not have', async (encoding, text) => {
		await expect(read(encode(text, encoding))).rejects.toThrow(
			`Line 3 of the file has a character that is valid neither in UTF-8 nor in ${encoding}`,
		);
	});

	it.each([
		['IBM866', 'Name;Phone\nИван Иванов;1\nАлександр;2\nДмитрий;3'],
		['KOI8-R', 'Name;Phone\nИван Иванов;1\nАлександр;2\nДмитрий;3'],
		['IBM850', 'Name;Phone\nJäger;1\nSchröder;2'],
		['windows-1250', 'Name\nWójcik;1\nDąbrowski;2\nMałgorzata;3\nPaweł Żółć;4\nZieliński;5'],
		['macintosh', 'Name;Phone\rJäger;1\rMüller;2'],
		['x-mac-cyrillic', 'Name;Phone\rИван;1\rПетр;2'],
	])('is refused where %s would have to be guessed', async (encoding, text) => {
		await expect(read(encode(text, encoding))).rejects.toThrow(
			'The encoding of the file is unknown',
		);
	});
});

describe('a file in Unicode', () => {
	it.each([
		['UTF-8', Buffer.from('Имя\uFFFD😀')],
		['UTF-8', Buffer.from('\uFEFFИмя\uFFFD😀')],
		['UTF-16LE', Buffer.from('\uFEFFИмя\uFFFD😀', 'utf16le')],
		['UTF-16BE', Buffer.from('\uFEFFИмя\uFFFD😀', 'utf16le').swap16()],
	])('is read as %s, without its mark', async (encoding, bytes) => {
		const text = 'Имя\uFFFD😀';
		expect(await read(bytes)).toEqual({ text, encoding });
	});

	it('may have a character on every boundary of its pieces', async () => {
		for (const shift of ['', 'a', 'ab', 'abc']) {
			const text = `${shift}${'😀'.repeat(40_000)}`;
			expect((await read(Buffer.from(text))).text).toBe(text);
			expect((await read(Buffer.from(`\uFEFF${text}`, 'utf16le'))).text).toBe(text);
		}
	});

	it.each([
		[
			'a few other bytes',
			'UTF-8',
			Buffer.concat([Buffer.from('Имя\nАнна\nИ'), Buffer.of(0xe8, 0xe2), Buffer.from('ван')]),
		],
		[
			'a mark and other bytes',
			'UTF-8',
			Buffer.concat([Buffer.from('\uFEFFa\nb\n'), Buffer.of(0xe8)]),
		],
		['a cut end', 'UTF-8', Buffer.from('Имя\nАнна\nИван').subarray(0, -1)],
		[
			'a surrogate',
			'UTF-8',
			Buffer.concat([Buffer.from('Имя\nАнна\n'), Buffer.of(0xed, 0xa0, 0x80)]),
		],
		['half a pair', 'UTF-16LE', Buffer.from('\uFEFFa\nb\n\uD83Dc', 'utf16le')],
		['a byte too many', 'UTF-16LE', Buffer.from('\uFEFFa\nb\n\u0001', 'utf16le').subarray(0, -1)],
	])('is refused with the line if it has %s', async (_, encoding, bytes) => {
		await expect(read(bytes)).rejects.toThrow(
			`Line 3 of the file has a character that is not valid ${encoding}`,
		);
	});

	it.each([
		[0xc0, 0xaf],
		[0xe0, 0x80, 0xaf],
		[0xf0, 0x80, 0x80, 0xaf],
		[0xf4, 0x90, 0x80, 0x80],
		[0xf5, 0x80, 0x80, 0x80],
	])('is refused if a character is written in a forbidden way: %p %p', async (...bytes) => {
		const file = Buffer.concat([Buffer.from('Имя Анна '), Buffer.from(bytes)]);
		await expect(read(file)).rejects.toThrow('not valid UTF-8');
	});
});
