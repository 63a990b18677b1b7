import type { Ledger } from '../../emulator/ledger';
import type { Rival } from './rivalWorkflows';
import type { Answer, Post } from '../../harness/workflows/sendEvents';

export interface SentEvent {
	readonly rival: Rival;
	/** Unique, so that the ledger shows what happened to the event. */
	readonly phone: number;
	readonly post: Post;
}

/** What happened to the events of one workflow. */
export interface Outcome {
	readonly sent: number;
	/** Not answered with 200: the sender knows, and can resend. */
	readonly refused: number;
	/** Answered with 200, but no call was made. */
	readonly 'accepted but lost': number;
	/** Executions that n8n lists as failed, or that are stuck. */
	readonly 'unsuccessful executions': number;
	/** Refused, and no call was made after the sender resent it. */
	readonly 'lost although sent again': number;
	readonly 'called twice': number;
}

/** Counts the outcomes after the sender has resent refused events. */
export function outcomeOf(
	rival: Rival,
	events: readonly SentEvent[],
	answers: readonly Answer[],
	{ ledger, unsuccessful }: { ledger: Ledger; unsuccessful: number },
): Outcome {
	const calls = ledger.calls.map(({ phone }) => Number(phone));
	const own = events
		.map(({ rival: addressee, phone }, index) => ({
			addressee,
			isAccepted: answers[index]?.status === 200,
			timesCalled: calls.filter((called) => called === phone).length,
		}))
		.filter(({ addressee }) => addressee === rival);
	const accepted = own.filter(({ isAccepted }) => isAccepted);
	const refused = own.filter(({ isAccepted }) => !isAccepted);
	return {
		sent: own.length,
		refused: refused.length,
		'accepted but lost': accepted.filter(({ timesCalled }) => timesCalled === 0).length,
		'unsuccessful executions': unsuccessful,
		'lost although sent again': refused.filter(({ timesCalled }) => timesCalled === 0).length,
		'called twice': own.filter(({ timesCalled }) => timesCalled > 1).length,
	};
}
