import { findInPlan } from './numberingPlan';
import { portedTo, registryEntry } from './operatorRegistry';
import type { EmulatorSettings } from './settings';

export interface PhoneInfo {
	operator: string;
	region: string;
	mnp: string;
}

/** `phone_info` of a number, in one of the contract's two shapes. */
export function phoneInfo(
	phone: string,
	shape: EmulatorSettings['phoneInfoShape'],
): PhoneInfo | Record<string, never> | PhoneInfo[] {
	const planned = findInPlan(phone);
	// The region is a federal subject of Russia, so this is empty for other countries.
	if (planned?.country.iso !== 'RU') return shape === 'array' ? [] : {};
	const { operator, region } = registryEntry(planned);
	const info = { operator, region, mnp: portedTo(planned) ?? operator };
	return shape === 'array' ? [info] : info;
}
