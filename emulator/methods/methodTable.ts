import type { MethodName } from '../../nodes/CallVerification/contract/methods';
import { checkPhone } from './checkPhone';
import { getAccount } from './getAccount';
import { getBalance } from './getBalance';
import { getInfo } from './getInfo';
import { getService } from './getService';
import { inboundCallWaiting } from './inboundCallWaiting';
import { initCall } from './initCall';
import { initRepeat } from './initRepeat';
import type { Method, MethodOf } from './method';
import { root } from './root';

/** A handler for each method of the contract. */
const handlers: { [Name in MethodName]: MethodOf<Name> } = {
	initCall,
	getInfo,
	initRepeat,
	inboundCallWaiting,
	checkPhone,
	getAccount,
	getService,
	getBalance,
};

export const methodTable: ReadonlyMap<string, Method> = new Map<string, Method>([
	['/', root],
	...Object.entries(handlers),
]);
