import type { IncomingMessage } from 'node:http';

/** Requests wait here while a test holds them. */
export class Gate {
	/** How many have come that were not answered yet. */
	waiting = 0;
	private closed: Promise<void> | undefined;
	/** Called after each answer. */
	private closeInTime: (() => void) | undefined;

	/** Nothing is answered until the returned function is called. */
	hold(): () => void {
		let release = (): void => undefined;
		this.closed = new Promise((resolve) => {
			release = () => {
				this.closed = undefined;
				resolve();
			};
		});
		return release;
	}

	/**
	 * The same from the moment that `isReached` tells. Requests that are already here have to wait, too: after our
	 * process has stood still, there may be many.
	 */
	holdWhen(isReached: () => boolean): () => void {
		let release: (() => void) | undefined;
		this.closeInTime = () => {
			if (isReached()) release ??= this.hold();
		};
		return () => {
			this.closeInTime = undefined;
			release?.();
		};
	}

	/** Answers the request, unless who has sent it was killed meanwhile: that is as if it had never been sent. */
	async pass({ socket }: IncomingMessage, answer: () => void): Promise<void> {
		this.waiting += 1;
		while (this.closed) await this.closed;
		this.waiting -= 1;
		if (socket.destroyed) return;
		answer();
		this.closeInTime?.();
	}
}
