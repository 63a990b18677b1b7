import { setImmediate } from 'node:timers/promises';

import type { Clock } from '../../nodes/CallVerification/runtime/clock';

interface Alarm {
	readonly at: number;
	readonly order: number;
	readonly ring: () => void;
}

/** A clock that moves only when told to, from one alarm to the next: minutes of waiting take no time. */
export class VirtualClock implements Clock {
	private readonly alarms: Alarm[] = [];
	private order = 0;

	/** How far somebody has moved the hands of the wall clock. */
	private wallOffset = Date.UTC(2030, 0, 1);

	constructor(private time = 0) {}

	now(): number {
		return this.time;
	}

	wallTime(): number {
		return this.time + this.wallOffset;
	}

	/** As an administrator or a time server does. */
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

	/** Time that goes by without anybody sleeping: the cost of computing. */
	spend(milliseconds: number): void {
		this.time += milliseconds;
	}

	/** Moves on by exactly this much, waking everybody on the way in the order of their alarms. */
	async advance(milliseconds: number): Promise<void> {
		const end = this.time + milliseconds;
		await settleMicrotasks();
		while ((this.alarms[0]?.at ?? Infinity) <= end) await this.ringNext();
		this.time = Math.max(this.time, end);
	}

	/** Moves on as far as it takes. */
	async runUntil<T>(work: Promise<T>): Promise<T> {
		let done = false;
		const finish = () => {
			done = true;
		};
		work.then(finish, finish);
		await settleMicrotasks();
		while (!done) {
			if (this.alarms.length === 0) throw new Error('Everybody waits and no alarm is set');
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

/** Macrotasks come after all microtasks, however many of them follow from each other. */
async function settleMicrotasks(): Promise<void> {
	await setImmediate();
}
