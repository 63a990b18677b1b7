export interface Country {
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

export interface PlannedNumber {
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
