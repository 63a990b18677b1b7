import type { IncomingMessage } from 'node:http';

/** Requests wait here while a test holds them. */
export class Gate {
	/** How many have come that were not answered yet. */
	waiting = 0;
	private opened: Promise<void> = Promise.resolve();

	/** Nothing is answered until the returned function is called. */
	hold(): () => void {
		let release = (): void => undefined;
		this.opened = new Promise((resolve) => (release = resolve));
		return release;
	}

	/** Whether the request is to be answered: whoever was killed meanwhile is as if it had never asked. */
	async pass({ socket }: IncomingMessage): Promise<boolean> {
		this.waiting += 1;
		await this.opened;
		this.waiting -= 1;
		return !socket.destroyed;
	}
}
