import fc from 'fast-check';

import { idempotencyKey } from '../../../../nodes/CallVerification/codes/idempotencyKey';

const parts = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(undefined)));

describe('an idempotency key', () => {
	it('has the shape of a UUID v4', () => {
		fc.assert(
			fc.property(parts, (values) =>
				/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(
					idempotencyKey(values),
				),
			),
		);
	});

	it('is the same for the same parts and differs for other parts', () => {
		fc.assert(
			fc.property(parts, parts, (a, b) => {
				const equal = JSON.stringify(a) === JSON.stringify(b);
				return (
					idempotencyKey([...a]) === idempotencyKey(a) &&
					(idempotencyKey(a) === idempotencyKey(b)) === equal
				);
			}),
		);
	});
});
