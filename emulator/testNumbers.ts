export const ALWAYS_SUCCEEDS = '79000000001';
export const ALWAYS_FAILS = '79000000002';

export function isTestNumber(phone: string): boolean {
	return phone === ALWAYS_SUCCEEDS || phone === ALWAYS_FAILS;
}
