import { refuse, type Refusal } from './serviceError';

export type ArgumentSource = 'query' | 'json';

/**
 * Reads the arguments of one request. A query string has only text, so digits are accepted there; in JSON, the declared
 * type is required.
 */
export class ArgumentReader {
	constructor(
		private readonly values: ReadonlyMap<string, unknown>,
		private readonly source: ArgumentSource,
	) {}

	allowOnly(...names: string[]): void {
		const unknown = [...this.values.keys()].filter((name) => !names.includes(name));
		if (unknown.length > 0) refuse('parameter', `Unknown parameter: ${unknown.join(', ')}`);
	}

	/** @param wrong What a value is refused as that is a number, but not a possible one. */
	number(name: string, wrong: Refusal = 'parameter'): number {
		const value = this.values.get(name);
		if (value === undefined) refuse('parameter', `${name} is required`);
		if (this.source === 'query') {
			if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
			refuse(wrong, `${name} must be digits only`);
		}
		if (typeof value !== 'number') {
			refuse('malformed', `${name} must be a JSON number, not ${jsonTypeOf(value)}`);
		}
		if (!Number.isSafeInteger(value) || value < 0) {
			refuse(wrong, `${name} must be a whole number that is not negative`);
		}
		return value;
	}

	/** A phone number in E.164 digits. */
	phone(name: string): string {
		const digits = String(this.number(name, 'phone'));
		if (!/^[1-9]\d{6,14}$/.test(digits)) {
			refuse('phone', `${name} must be an E.164 number of 7 to 15 digits, not ${digits.length}`);
		}
		return digits;
	}

	text(name: string): string | undefined {
		const value = this.values.get(name);
		if (value === undefined || typeof value === 'string') return value;
		return refuse('malformed', `${name} must be a string, not ${jsonTypeOf(value)}`);
	}

	requiredText(name: string): string {
		const value = this.text(name);
		if (value === undefined || value === '') return refuse('parameter', `${name} is required`);
		return value;
	}

	shortText(name: string, limit: number): string | undefined {
		const value = this.text(name);
		if (value !== undefined && [...value].length > limit) {
			refuse('parameter', `${name} must be at most ${limit} characters`);
		}
		return value;
	}

	flag(name: string): boolean {
		const value = this.values.get(name);
		if (value === undefined) return false;
		if (typeof value === 'boolean') return value;
		if (this.source === 'query' && value === 'true') return true;
		if (this.source === 'query' && value === 'false') return false;
		return refuse('malformed', `${name} must be a boolean, not ${jsonTypeOf(value)}`);
	}

	numberOrText(name: string): string | undefined {
		const value = this.values.get(name);
		if (typeof value === 'number') return String(value);
		if (value === undefined || typeof value === 'string') return value;
		return refuse('malformed', `${name} must be a number or a string, not ${jsonTypeOf(value)}`);
	}
}

function jsonTypeOf(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'an array';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
