import { checkPhone } from './check-phone';
import { getAccount } from './get-account';
import { getBalance } from './get-balance';
import { getInfo } from './get-info';
import { getService } from './get-service';
import { inboundCallWaiting } from './inbound-call-waiting';
import { initCall } from './init-call';
import { initRepeat } from './init-repeat';
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
