import type { PlannedNumber } from './numberingPlan';

export interface RegistryEntry {
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
