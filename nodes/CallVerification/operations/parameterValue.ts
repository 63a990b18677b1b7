import { z } from 'zod';

import { anyValue } from '../api/contract/anyValue';
import { refuse } from '../api/contract/requestValue';

/** Values of fields that are ours, not the service's. Expressions may give text for either. */

export const toggle = z.union([
	z.boolean(),
	z.enum(['true', 'false']).transform((value) => value === 'true'),
]);

export function seconds(label: string, most: number) {
	return anyValue.transform((value, context): number => {
		const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		if (typeof read === 'number' && read > 0 && read <= most) return read;
		refuse(
			context,
			`“${label}” is not a number of seconds above 0 and up to ${most}`,
			'Enter a number, e.g. 30.',
		);
		return z.NEVER;
	});
}
