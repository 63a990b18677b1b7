import { parseFreeText } from '../../../../emulator/service/numbers';
import { type Random, seededRandom } from '../../../../emulator/seededRandom';
import { readPhone, readPhoneToCheck } from '../../../../nodes/CallVerification/phones/phone';

/** `WRITINGS=5000000 npx jest oneDigit` tries more of them, and `PROPERTY_SEED=7` others. */
const WRITINGS = Number(process.env.WRITINGS ?? 100_000);
const SEED = Number(process.env.PROPERTY_SEED ?? 1);

/** All numbers of these countries have the same length, so that a missing digit can be noticed. */
const COUNTRIES = [
	{ code: '7', areas: '301 347 495 499 701 777 812 8442 84457 846 903 916 927 999', length: 10 },
	{ code: '1', areas: '202 312 416 514 718 800 916', length: 10 },
	{ code: '375', areas: '152 17 212 25 29 33 44', length: 9 },
	{ code: '380', areas: '312 44 48 50 63 67 73 91 99', length: 9 },
	{ code: '996', areas: '222 312 505 555 700 777 999', length: 9 },
	{ code: '998', areas: '33 50 71 88 90 91 97 98 99', length: 9 },
];
/** What people write before the area code in their country. */
const FIRST: Readonly<Record<string, readonly string[]>> = {
	7: ['8', '8', '7', ''],
	1: ['1', ''],
	375: ['80', '0', '375'],
	380: ['0', '380'],
	996: ['0', '996'],
	998: ['', '998'],
};
/**
 * The codes that strangers to a country have set, or none. With any other code, the property does not hold: what fits
 * the country of that code is read as one of its numbers, as the last test shows.
 */
const SETTINGS = ['', '7', '375'];
const GAPS = ['', '', ' ', '-', '\u00a0', ' - ', '\u2011'];
const WRAPS = ['#', '#', '#', '="#"', "'#", 'tel:#', '\u200e # ', '＃', '# доб. 12', '#, ext. 3'];
const WORDS = [
	'# (мама)',
	'Иван #',
	'Иван: #, звонить после 18',
	'WhatsApp #',
	'# WhatsApp',
	'моб. # (Ann, flat 5)',
	'📞# — не звонить',
];

interface Writing {
	/** Of Default Country Code. */
	readonly setting: string | undefined;
	readonly number: string;
	/** Up to the country code of a number with a plus. With another digit there, it is of another country. */
	readonly head: string;
	readonly body: string;
	readonly tail: string;
	/** With the setting, so that it must be read. Any other may be left to the service, and is never called. */
	readonly isComplete: boolean;
	readonly isForLists: boolean;
}

/** A number in one of the ways in which people and programs write it. */
function anyWriting(random: Random): Writing {
	const oneOf = <T>(...values: [T, ...T[]]): T =>
		values[Math.floor(random() * values.length)] ?? values[0];
	const anyOf = (values: readonly string[]) => values[Math.floor(random() * values.length)] ?? '';
	const { code, areas, length } = oneOf(...(COUNTRIES as [(typeof COUNTRIES)[0]]));
	const area = anyOf(areas.split(' '));
	const rest = Array.from({ length: length - area.length }, () => anyOf([...'0123456789'])).join(
		'',
	);
	const plus = anyOf(['+', '00', '', '', '']);
	const first = plus === '' ? anyOf(FIRST[code] ?? []) : '';
	const isInOnePiece = random() < 0.3;
	const isDotted = random() < 0.1;
	const gap = () => (isInOnePiece ? '' : isDotted ? '.' : anyOf(GAPS));
	const groups = [rest.slice(0, -4), rest.slice(-4, -2), rest.slice(-2)].join(gap());
	// Ten digits that begin with 7 or 8 are clear only if parentheses show the area code.
	const isAreaShown = code === '7' && plus + first === '' && /^[78]/.test(area);
	const hasParentheses = isAreaShown || (!isInOnePiece && random() < 0.5);
	// “8 (029) …”
	const zero = hasParentheses && first.endsWith('0') && first !== '380' ? '0' : '';
	const before = first.slice(0, first.length - zero.length);
	const areaPart = hasParentheses ? `(${zero}${area})` : area;
	const body = [...(before === '' ? [] : [before]), areaPart, groups].join(gap());
	const isDecimal = isInOnePiece && !hasParentheses && plus === '' && random() < 0.3;
	const wrap = isDecimal ? '#.0' : anyOf([...WRAPS, ...WORDS]);
	const [start = '', end = ''] = wrap.replace('＃', '#').split('#');
	// A call takes no extension behind fewer than ten digits.
	const isExtensionUnclear = / \d+$/.test(end) && plus === '' && length + first.length < 10;
	// Anything else may be a number of another country: “202 555 0123” could be one in Egypt.
	const isClearAnywhere = plus !== '' || ['7', '8', '80'].includes(first);
	const setting = isClearAnywhere ? anyOf([...SETTINGS, code]) : code;
	// A 3 before 80 would make a complete Ukrainian number of a Belarusian one.
	const fixed = first === '80' && setting !== code ? '8' : '';
	return {
		setting: setting === '' ? undefined : setting,
		number: code + area + rest,
		head: start + (plus === '' ? fixed : plus + code + gap()),
		body: body.slice(fixed.length),
		tail: end,
		isComplete: setting === code || plus !== '' || first === '7',
		isForLists: WORDS.includes(wrap) || isExtensionUnclear,
	};
}

/** The number that the service takes the text for. */
function checkedWith(text: string, setting: string | undefined): string | undefined {
	const { text: sent } = readPhoneToCheck(text, setting);
	if (sent === undefined) return undefined;
	const parsed = parseFreeText(sent);
	return parsed.kind === 'valid' ? parsed.digits : sent.replace(/\D/g, '');
}

function calledWith(text: string, setting: string | undefined): string | undefined {
	try {
		return String(readPhone(text, setting));
	} catch {
		return undefined;
	}
}

function withoutOneDigit(body: string, random: Random): string {
	const places = [...body.matchAll(/\d/g)].map(({ index }) => index);
	const place = places[Math.floor(random() * places.length)] ?? 0;
	return body.slice(0, place) + body.slice(place + 1);
}

function withOneMoreDigit(body: string, random: Random): string {
	const place = Math.floor(random() * (body.length + 1));
	return `${body.slice(0, place)}${Math.floor(random() * 10)}${body.slice(place)}`;
}

const said = (text: string, setting: string | undefined) =>
	`“${text}” with ${setting === undefined ? 'no default country code' : `the default ${setting}`}`;

it('a writing of a number is read as that number', () => {
	const random = seededRandom(SEED);
	for (let count = 0; count < WRITINGS / 10; count += 1) {
		const { head, body, tail, setting, number, isComplete, isForLists } = anyWriting(random);
		const text = head + body + tail;
		const [checked, called] = [checkedWith(text, setting), calledWith(text, setting)];
		const isCheckRight = checked === number || (checked === undefined && !isComplete);
		const isCallRight = called === (isComplete && !isForLists ? number : undefined);
		if (isCheckRight && isCallRight) continue;
		throw new Error(
			`${said(text, setting)} is ${number}, but a check reads ${checked}, and a call ${called}`,
		);
	}
});

it('a digit that is missing or added never makes another number that is called or paid for', () => {
	const random = seededRandom(SEED);
	const problems: string[] = [];
	for (let count = 0; count < WRITINGS; count += 1) {
		const { head, body, tail, setting, number } = anyWriting(random);
		const change = random() < 0.5 ? withoutOneDigit : withOneMoreDigit;
		const text = head + change(body, random) + tail;
		const reached = [checkedWith(text, setting), calledWith(text, setting)].find(
			(other) => other !== undefined && other !== number,
		);
		if (reached !== undefined) {
			problems.push(`${said(text, setting)} may be ${number}, and reaches ${reached} instead`);
		}
	}
	// Such a text must be a doubt in `countryCode.ts`: a digit is missing, or there is one too many.
	expect(problems.slice(0, 10)).toEqual([]);
});

it.each([
	// Or a number with the country code 7, of which a digit is missing.
	['7185551234', '1', '17185551234'],
	// Or 8 701 429 92 30, with a 0 too many in front.
	['087014299230', '49', '4987014299230'],
])(
	'%s with the code %s is a number of that country, whatever else it may be',
	(text, code, number) => {
		expect([checkedWith(text, code), calledWith(text, code)]).toEqual([number, number]);
	},
);
