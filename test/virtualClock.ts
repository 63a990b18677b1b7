import { setImmediate } from 'node:timers/promises';

import type { Clock } from '../nodes/CallVerification/pacing/time';

interface Alarm {
	readonly at: number;
	readonly order: number;
	readonly ring: () => void;
}

/** A clock that moves only when told to, from one alarm to the next: minutes of waiting take no time. */
export class VirtualClock implements Clock {
	private readonly alarms: Alarm[] = [];
	private order = 0;

	/** The difference between wall time and `time`. */
	private wallOffset = Date.UTC(2030, 0, 1);

	constructor(private time = 0) {}

	now(): number {
		return this.time;
	}

	wallTime(): number {
		return this.time + this.wallOffset;
	}

	/** Sets back the wall clock, as an administrator or a time server does. */
	setBack(milliseconds: number): void {
		this.wallOffset -= milliseconds;
	}

	timer(milliseconds: number): AbortSignal {
		const time = new AbortController();
		void this.sleep(milliseconds).then(() => time.abort());
		return time.signal;
	}

	async sleep(milliseconds: number): Promise<void> {
		await new Promise<void>((ring) => {
			this.insert({ at: this.time + Math.max(0, milliseconds), order: this.order++, ring });
		});
	}

	/** Lets time pass without a sleep: the cost of computing. */
	spend(milliseconds: number): void {
		this.time += milliseconds;
	}

	/** Advances by exactly this much and rings all alarms on the way, in order. */
	async advance(milliseconds: number): Promise<void> {
		const end = this.time + milliseconds;
		await settleMicrotasks();
		while ((this.alarms[0]?.at ?? Infinity) <= end) await this.ringNext();
		this.time = Math.max(this.time, end);
	}

	/** Advances until the work is done. */
	async runUntil<T>(work: Promise<T>): Promise<T> {
		let done = false;
		const finish = () => {
			done = true;
		};
		work.then(finish, finish);
		await settleMicrotasks();
		while (!done) {
			if (this.alarms.length === 0) throw new Error('Everything is waiting, but no alarm is set');
			await this.ringNext();
		}
		return await work;
	}

	private async ringNext(): Promise<void> {
		const alarm = this.alarms.shift();
		if (alarm === undefined) return;
		this.time = Math.max(this.time, alarm.at);
		alarm.ring();
		await settleMicrotasks();
	}

	private insert(alarm: Alarm): void {
		let low = 0;
		let high = this.alarms.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((this.alarms[middle]?.at ?? Infinity) <= alarm.at) low = middle + 1;
			else high = middle;
		}
		this.alarms.splice(low, 0, alarm);
	}
}

/** A macrotask runs after all microtasks, including those that they queue themselves. */
async function settleMicrotasks(): Promise<void> {
	await setImmediate();
}
