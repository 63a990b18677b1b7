import type { Resource } from '../../run/operation';
import { get } from './get';

export const service: Resource = {
	value: 'service',
	name: 'Service',
	operations: [get],
};
