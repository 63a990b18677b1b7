import { z } from 'zod';

import { readPhone } from '../phones/phone';
import { readVendorId } from '../codes/call';
import { checkedBy, refuse } from './requestValue';

/** Parameters that methods share, section 4. Strict, because a wrong request costs money. */

export const phone = checkedBy(readPhone);

/** A call that was made. */
export const callReference = z.object({ uid: checkedBy(readVendorId) });

export const noParameters = z.object({});

export function shortText(label: string) {
	return z
		.union([z.string(), z.number()])
		.transform(String)
		.superRefine((content, context) => {
			if ([...content].length <= 64) return;
			refuse(context, `“${label}” is longer than 64 characters`, 'Shorten it to 64 characters.');
		});
}
