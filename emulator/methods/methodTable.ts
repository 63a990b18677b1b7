import { checkPhone } from './checkPhone';
import { getAccount } from './getAccount';
import { getBalance } from './getBalance';
import { getInfo } from './getInfo';
import { getService } from './getService';
import { inboundCallWaiting } from './inboundCallWaiting';
import { initCall } from './initCall';
import { initRepeat } from './initRepeat';
import type { Method } from './method';
import { root } from './root';

export const methodTable: ReadonlyMap<string, Method> = new Map([
	['/', root],
	['initCall', initCall],
	['getInfo', getInfo],
	['initRepeat', initRepeat],
	['inboundCallWaiting', inboundCallWaiting],
	['checkPhone', checkPhone],
	['getAccount', getAccount],
	['getService', getService],
	['getBalance', getBalance],
]);
