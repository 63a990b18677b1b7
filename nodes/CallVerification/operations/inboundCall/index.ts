import type { Resource } from '../../run/operation';
import { start } from './start';
import { wait } from './wait';

export const inboundCall: Resource = {
	value: 'inboundCall',
	name: 'Inbound Call',
	operations: [start, wait],
};
