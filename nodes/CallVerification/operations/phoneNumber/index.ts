import type { Resource } from '../operation';
import { check } from './check';

export const phoneNumber: Resource = {
	value: 'phoneNumber',
	name: 'Phone Number',
	operations: [check],
};
