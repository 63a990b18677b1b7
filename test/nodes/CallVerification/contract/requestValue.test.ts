import { z } from 'zod';

import { parseInput } from '../../../../nodes/CallVerification/contract/requestValue';
import { InputError } from '../../../../nodes/CallVerification/transport/errors';
import { thrownBy } from '../thrown';

describe('a value that cannot be sent', () => {
	it('is refused with the name of its field', () => {
		const schema = z.object({ call: z.object({ phone: z.number({ message: 'not a number' }) }) });
		const error = thrownBy(() => parseInput(schema, { call: { phone: 'x' } }));
		expect(error).toMatchObject({
			message: '“call.phone” has an invalid value: not a number',
			advice: 'Check the expression in this field: it must return a value that the field accepts.',
		});
		expect(error).toBeInstanceOf(InputError);
	});

	it('needs no advice', () => {
		const schema = z.string().refine(() => false, 'no');
		expect(thrownBy(() => parseInput(schema, 'x'))).toMatchObject({ message: 'no', advice: '' });
	});
});
