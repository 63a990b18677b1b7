import type { z } from 'zod';

import type { AnswerFields } from './answerRecord';
import type { ErrorCode } from './errorCodes';

/** One method of the service, section 4: what is sent, and what comes back. */
export interface ServiceMethod {
	/** The last part of the path. */
	readonly name: string;
	readonly verb: 'GET' | 'POST';
	/** Whether it is safe to send twice; `withKey`: only if it has `unique`. */
	readonly repeatable: 'always' | 'withKey' | 'never';
	readonly request: z.ZodTypeAny;
	readonly response: z.ZodTypeAny & { readonly fields: AnswerFields };
	/** By code, where it means something else than for other methods. */
	readonly errors?: Readonly<Record<number, Pick<ErrorCode, 'meaning' | 'advice'>>>;
}
