export const ALWAYS_SUCCEEDS = '79000000001';
export const ALWAYS_FAILS = '79000000002';

export function isTestNumber(phone: string): boolean {
	return phone === ALWAYS_SUCCEEDS || phone === ALWAYS_FAILS;
}

interface Country {
	callingCode: string;
	iso: string;
	name: string;
	/** The format of a number after the calling code. */
	national: RegExp;
	mobile: RegExp;
	/** National format; each # is one digit, and extra digits follow at the end. */
	format: string;
}

// If two countries share a calling code, the narrower pattern comes first.
const COUNTRIES: readonly Country[] = [
	country('7', 'KZ', 'Kazakhstan', /^[67]\d{9}$/, /^7[0-7]/, '8 (###) ###-##-##'),
	country('7', 'RU', 'Russia', /^[3489]\d{9}$/, /^9/, '8 (###) ###-##-##'),
	country('1', 'CA', 'Canada', /^(204|416|514|604|613|647)[2-9]\d{6}$/, /^647/, '(###) ###-####'),
	country('1', 'US', 'United States', /^[2-9]\d{2}[2-9]\d{6}$/, /^/, '(###) ###-####'),
	country('33', 'FR', 'France', /^[1-9]\d{8}$/, /^[67]/, '0# ## ## ## ##'),
	country('34', 'ES', 'Spain', /^[6-9]\d{8}$/, /^[67]/, '### ## ## ##'),
	country('39', 'IT', 'Italy', /^[03]\d{8,10}$/, /^3/, '### ### ####'),
	country('44', 'GB', 'United Kingdom', /^[1-37-9]\d{8,9}$/, /^7[1-9]/, '0#### ######'),
	country('48', 'PL', 'Poland', /^[1-9]\d{8}$/, /^[5-7]/, '### ### ###'),
	country('49', 'DE', 'Germany', /^[1-9]\d{6,11}$/, /^1[567]/, '0### #######'),
	country('90', 'TR', 'Turkey', /^[2-5]\d{9}$/, /^5/, '0 ### ### ## ##'),
	country('374', 'AM', 'Armenia', /^[1-9]\d{7}$/, /^[4-9]/, '0## ######'),
	country('375', 'BY', 'Belarus', /^[1-4]\d{8}$/, /^(25|29|33|44)/, '8 0## ###-##-##'),
	country('380', 'UA', 'Ukraine', /^[3-9]\d{8}$/, /^(39|50|6[3678]|73|9[1-9])/, '0## ### ## ##'),
	country('995', 'GE', 'Georgia', /^[3-7]\d{8}$/, /^5/, '### ## ## ##'),
	country('996', 'KG', 'Kyrgyzstan', /^[2-9]\d{8}$/, /^[25-9]/, '0### ######'),
	country('998', 'UZ', 'Uzbekistan', /^[2-9]\d{8}$/, /^[2-9]/, '## ### ## ##'),
];

function country(
	callingCode: string,
	iso: string,
	name: string,
	national: RegExp,
	mobile: RegExp,
	format: string,
): Country {
	return { callingCode, iso, name, national, mobile, format };
}

interface PlannedNumber {
	country: Country;
	/** The number without its calling code. */
	local: string;
}

/** Finds the country of an E.164 number; undefined if no country has such a number. */
export function findInPlan(digits: string): PlannedNumber | undefined {
	for (const candidate of COUNTRIES) {
		if (!digits.startsWith(candidate.callingCode)) continue;
		const local = digits.slice(candidate.callingCode.length);
		if (candidate.national.test(local)) return { country: candidate, local };
	}
	return undefined;
}

export function nationalFormat({ country: { format }, local }: PlannedNumber): string {
	let used = 0;
	const filled = format.replace(/#/g, () => local.charAt(used++));
	return (filled + local.slice(used)).trim();
}

export type ParsedPhone =
	| { kind: 'valid'; digits: string; planned: PlannedNumber }
	| { kind: 'invalid'; reason: string };

/** Reads a phone number as people write it: plus sign, spaces, hyphens, dots, brackets. */
export function parseFreeText(source: string): ParsedPhone {
	const text = source.trim();
	if (!/^\+?[\d\s().\-\u2010-\u2015]*$/u.test(text)) {
		return { kind: 'invalid', reason: 'The phone holds characters that no number has' };
	}
	const digits = text.replace(/\D/g, '');
	if (digits.length < 7) return { kind: 'invalid', reason: 'The phone is too short' };
	if (digits.length > 15) return { kind: 'invalid', reason: 'The phone is too long' };
	const international = text.startsWith('+') ? digits : withCountryCode(digits);
	const planned = findInPlan(international);
	if (planned === undefined) {
		return { kind: 'invalid', reason: 'The phone is in no numbering registry' };
	}
	return { kind: 'valid', digits: international, planned };
}

// Without a plus sign, people in Russia and Kazakhstan write 8, or nothing, instead of 7.
function withCountryCode(digits: string): string {
	if (digits.startsWith('00')) return digits.slice(2);
	if (digits.length === 11 && digits.startsWith('8')) return `7${digits.slice(1)}`;
	if (digits.length === 10 && digits.startsWith('9')) return `7${digits}`;
	return digits;
}

const KEEPS_FIRST = 4;

/** Keeps the country, the operator code and some of the last digits; the contract shows no mask. */
export function maskPhone(phone: string, keepsLast: number): string {
	const hidden = Math.max(phone.length - KEEPS_FIRST - keepsLast, 1);
	const [first, last] = [phone.slice(0, KEEPS_FIRST), phone.slice(KEEPS_FIRST + hidden)];
	return `${first}${'*'.repeat(hidden)}${last}`;
}

interface RegistryEntry {
	operator: string;
	/** Organization, region and city are known for Russia only. */
	company: string;
	region: string;
	city: string;
	mnc: number;
}

interface RussianRange extends RegistryEntry {
	prefix: string;
}

const MOSCOW = { region: 'Moscow and Moscow Region', city: 'Moscow' };
const SAINT_PETERSBURG = { region: 'Saint Petersburg', city: 'Saint Petersburg' };
const TATARSTAN = { region: 'Republic of Tatarstan', city: 'Kazan' };
const SVERDLOVSK = { region: 'Sverdlovsk Region', city: 'Yekaterinburg' };

const BIRCH = { operator: 'Birch Mobile', company: 'Birch Mobile LLC', mnc: 1 };
const RIVER = { operator: 'River Cellular', company: 'River Cellular JSC', mnc: 2 };
const NORTH = { operator: 'North Line', company: 'North Line PJSC', mnc: 20 };

const RUSSIAN_RANGES: readonly RussianRange[] = [
	{ prefix: '91', ...BIRCH, ...MOSCOW },
	{ prefix: '921', ...RIVER, ...SAINT_PETERSBURG },
	{ prefix: '922', ...RIVER, ...SVERDLOVSK },
	{ prefix: '92', ...RIVER, ...MOSCOW },
	{ prefix: '90', ...NORTH, ...SAINT_PETERSBURG },
	{ prefix: '95', ...NORTH, ...TATARSTAN },
	{ prefix: '9', ...BIRCH, ...SVERDLOVSK },
	{ prefix: '495', operator: 'City Wire', company: 'City Wire PJSC', mnc: 0, ...MOSCOW },
	{ prefix: '812', operator: 'City Wire', company: 'City Wire PJSC', mnc: 0, ...SAINT_PETERSBURG },
];

/** The owner of the number according to the numbering registry. */
export function registryEntry({ country, local }: PlannedNumber): RegistryEntry {
	if (country.iso === 'RU') {
		const range = RUSSIAN_RANGES.find(({ prefix }) => local.startsWith(prefix));
		if (range !== undefined) {
			const { operator, company, region, city, mnc } = range;
			return { operator, company, region, city, mnc };
		}
	}
	const mobile = country.mobile.test(local);
	const operator = `${country.name} ${mobile ? 'Mobile' : 'Telecom'}`;
	return { operator, company: '', region: '', city: '', mnc: mobile ? 1 : 0 };
}

/** The operator that a number was ported to. In this emulator, Russian mobile numbers ending in 5 are ported. */
export function portedTo({ country, local }: PlannedNumber): string | undefined {
	const ported = country.iso === 'RU' && country.mobile.test(local) && local.endsWith('5');
	return ported ? 'Ported Telecom' : undefined;
}
