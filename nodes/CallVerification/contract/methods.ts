import type { z } from 'zod';

import { checkPhone } from './checkPhone';
import type { ErrorCode } from './errorCodes';
import type { RecordFields } from './fields';
import { getAccount } from './getAccount';
import { getBalance } from './getBalance';
import { getInfo } from './getInfo';
import { getService } from './getService';
import { inboundCallWaiting } from './inboundCallWaiting';
import { initCall } from './initCall';
import { initRepeat } from './initRepeat';

/** One method of the service, section 4: what is sent, and what comes back. */
export interface ServiceMethod {
	/** The last part of the path. */
	readonly name: string;
	readonly verb: 'GET' | 'POST';
	/** Whether it is safe to send twice; `withKey`: only if it has `unique`. */
	readonly repeatable: 'always' | 'withKey' | 'never';
	readonly request: z.ZodTypeAny;
	readonly response: z.ZodTypeAny & { readonly fields: RecordFields };
	/** By code, where it means something else than for other methods. */
	readonly errors?: Readonly<Record<number, Pick<ErrorCode, 'meaning' | 'advice'>>>;
}

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
} satisfies Record<string, ServiceMethod>;

export type Methods = typeof methods;

export type MethodName = keyof Methods;
