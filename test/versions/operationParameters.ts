import { ALWAYS_SUCCEEDS } from '../../emulator/testNumbers';
import type { OperationParameters } from '../../harness/workflows/nodeRunner';

type Values = Omit<OperationParameters, 'resource' | 'operation'>;

/**
 * What to enter for each operation, in the order in which they are run, given the identifier of a call that was made.
 * Wait is tried with a workflow of its own.
 */
export const operationParameters: Readonly<Record<string, (uid: number) => Values>> = {
	'call.start': () => ({ phone: ALWAYS_SUCCEEDS }),
	'call.get': (uid) => ({ uid }),
	'call.checkCode': (uid) => ({ uid, code: '0000' }),
	'call.repeat': (uid) => ({ uid }),
	'inboundCall.start': () => ({
		phone: ALWAYS_SUCCEEDS,
		callbackTarget: 'url',
		callbackUrl: 'https://example.com/inbound',
	}),
	'phoneNumber.check': () => ({ phone: ALWAYS_SUCCEEDS }),
	'account.get': () => ({}),
	'account.getBalance': () => ({}),
	'service.get': () => ({}),
};
