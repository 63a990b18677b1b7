import type { Resource } from '../operation';
import { start } from './start';

export const inboundCall: Resource = {
	value: 'inboundCall',
	name: 'Inbound Call',
	operations: [start],
};
