import type { Resource } from '../../run/operation';
import { get } from './get';
import { getBalance } from './getBalance';

export const account: Resource = {
	value: 'account',
	name: 'Account',
	operations: [get, getBalance],
};
