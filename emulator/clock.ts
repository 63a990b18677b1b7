import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './settings';

export const systemClock: Clock = {
	now: () => Date.now(),
	sleep: async (ms, signal) => {
		await delay(ms, undefined, { signal });
	},
};

/**
 * The emulator's clock. It can be set to another time, and no sleep outlives the emulator, even if the clock passed in
 * ignores abort signals.
 */
export class EmulatorClock implements Clock {
	private offset = 0;

	constructor(
		private readonly source: Clock,
		private readonly closing: AbortSignal,
	) {
		// Every request in flight adds a listener, which Node.js would report as a leak.
		setMaxListeners(0, closing);
	}

	now(): number {
		return this.source.now() + this.offset;
	}

	setNow(ms: number): void {
		this.offset = ms - this.source.now();
	}

	async sleep(ms: number): Promise<void> {
		// A pause of 0 must not depend on the clock, because a stopped clock would never end it.
		if (ms <= 0) return;
		this.closing.throwIfAborted();
		let onClosing = (): void => {};
		const closed = new Promise<never>((_resolve, reject) => {
			onClosing = () => reject(new Error('The emulator was closed'));
			this.closing.addEventListener('abort', onClosing);
		});
		try {
			await Promise.race([this.source.sleep(ms, this.closing), closed]);
		} finally {
			this.closing.removeEventListener('abort', onClosing);
		}
	}
}

export function unixSeconds(ms: number): number {
	return Math.floor(ms / 1000);
}
