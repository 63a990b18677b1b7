import { systemClock } from '../../emulator/clock';
import type { Emulator } from '../../emulator/emulator';
import { withParameters, type WorkflowFile } from '../../harness';

/** A service whose answers can be held back, so that a run surely lasts until something else has happened. */
export class HeldAnswers {
	private held: Promise<void> | undefined;

	/** For the service. */
	readonly clock = {
		...systemClock,
		sleep: async (ms: number, signal?: AbortSignal) =>
			await (this.held ?? systemClock.sleep(ms, signal)),
	};

	/** Returns what lets the service answer again. */
	hold({ faults }: Emulator): () => void {
		const fault = faults.add({ kind: 'delay', ms: 1 });
		let release = () => {};
		this.held = new Promise((resolve) => (release = resolve));
		return () => {
			faults.remove(fault);
			this.held = undefined;
			release();
		};
	}
}

/** The workflow of a user who waits for an answer as long as it takes, so that no request is sent again. */
export const patient = (file: WorkflowFile): WorkflowFile =>
	withParameters(file, 'Check File', { requestOptions: { timeout: 300, giveUpAfter: 600 } });
