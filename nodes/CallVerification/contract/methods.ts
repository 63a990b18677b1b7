import { checkPhone } from './checkPhone';
import { getAccount } from './getAccount';
import { getBalance } from './getBalance';
import { getInfo } from './getInfo';
import { getService } from './getService';
import { inboundCallWaiting } from './inboundCallWaiting';
import { initCall } from './initCall';
import { initRepeat } from './initRepeat';

/** Every method of the service. The emulator must answer each, and operations may send no other. */
export const methods = {
	initCall,
	getInfo,
	initRepeat,
	inboundCallWaiting,
	checkPhone,
	getAccount,
	getService,
	getBalance,
};

export type Methods = typeof methods;

export type MethodName = keyof Methods;
