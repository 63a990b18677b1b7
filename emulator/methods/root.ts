import type { Method } from './method';

/** The contract's examples address the root but show no answer; this one says it was let in. */
export const root: Method = {
	verbs: ['GET', 'POST'],
	answer(args) {
		args.allowOnly();
		return { status: true };
	},
};
