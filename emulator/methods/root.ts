import type { Method } from './method';

/** The contract's examples call the root but show no response; this one confirms the authentication. */
export const root: Method = {
	verbs: ['GET', 'POST'],
	answer(args) {
		args.allowOnly();
		return { status: true };
	},
};
