import type { Resource } from '../../run/operation';
import { check } from './check';
import { checkFile } from './checkFile';

export const phoneNumber: Resource = {
	value: 'phoneNumber',
	name: 'Phone Number',
	operations: [check, checkFile],
};
