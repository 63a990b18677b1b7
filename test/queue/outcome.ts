import type { Ledger } from '../../emulator/ledger';
import type { Rival } from './rivalWorkflows';
import type { Answer, Post } from '../../harness/workflows/sendEvents';

export interface SentEvent {
	readonly rival: Rival;
	/** Nobody else has it, so the ledger tells what became of the event. */
	readonly phone: number;
	readonly post: Post;
}

/** What became of the events of one workflow. */
export interface Outcome {
	readonly sent: number;
	/** Not answered with 200: the sender knows, and can send again. */
	readonly refused: number;
	/** Answered with 200, but nobody was called. */
	readonly 'accepted but lost': number;
	/** Executions that n8n lists as failed, or that hang. */
	readonly 'unsuccessful executions': number;
	/** Refused, and nobody was called after the sender had sent it again. */
	readonly 'lost although sent again': number;
	readonly 'called twice': number;
}

/** Takes stock after the sender has sent again what was refused. */
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
