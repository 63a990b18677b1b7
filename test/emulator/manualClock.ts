import type { Clock } from '../../emulator/clock';

interface Sleeper {
	wakeAt: number;
	wake: () => void;
}

interface Watcher {
	count: number;
	resolve: () => void;
}

/** A clock that only moves when told to, so that a test never waits for real time to pass. */
export class ManualClock implements Clock {
	private sleepers: Sleeper[] = [];
	private watchers: Watcher[] = [];

	constructor(private time = Date.UTC(2024, 0, 15, 12)) {}

	now(): number {
		return this.time;
	}

	sleep(ms: number): Promise<void> {
		return new Promise((resolve) => {
			this.sleepers.push({ wakeAt: this.time + ms, wake: resolve });
			this.watchers = this.watchers.filter((watcher) => {
				if (this.sleepers.length < watcher.count) return true;
				watcher.resolve();
				return false;
			});
		});
	}

	advance(ms: number): void {
		this.time += ms;
		const due = this.sleepers.filter((sleeper) => sleeper.wakeAt <= this.time);
		this.sleepers = this.sleepers.filter((sleeper) => sleeper.wakeAt > this.time);
		for (const sleeper of due) sleeper.wake();
	}

	/** Resolves once that many are asleep, so that a test advances time only after the request has arrived. */
	whenAsleep(count: number): Promise<void> {
		if (this.sleepers.length >= count) return Promise.resolve();
		return new Promise((resolve) => {
			this.watchers.push({ count, resolve });
		});
	}
}
