import type { Resource } from '../../run/operation';
import { check } from './check';

export const phoneNumber: Resource = {
	value: 'phoneNumber',
	name: 'Phone Number',
	operations: [check],
};
