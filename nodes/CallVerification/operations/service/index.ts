import type { Resource } from '../operation';
import { get } from './get';

export const service: Resource = {
	value: 'service',
	name: 'Service',
	operations: [get],
};
