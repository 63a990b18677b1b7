import type { Operation, Resource } from './operation';
import { account } from './account';
import { call } from './call';
import { inboundCall } from './inboundCall';
import { phoneNumber } from './phoneNumber';
import { service } from './service';

export const resources: readonly Resource[] = [account, call, inboundCall, phoneNumber, service];

export function findOperation(resource: unknown, operation: unknown): Operation | undefined {
	return resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
}
