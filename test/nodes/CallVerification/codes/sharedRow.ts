import { setImmediate } from 'node:timers/promises';

import type { IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../../../../nodes/CallVerification/pacing/time';

/** A row in n8n's database, which several processes read and write back as a whole. */
export class SharedRow {
	entries: Array<string | number> = [];
	fails = false;
	/** How often it was written. */
	writes = 0;
	/** What another process does as soon as a write is done. */
	afterWrite = async () => {};

	/** @param betweenReadAndWrite What other processes can do meanwhile. */
	constructor(private readonly betweenReadAndWrite = async () => await Promise.resolve()) {}

	async checkProcessedAndRecord(
		items: Array<string | number>,
		_scope: string,
		{ maxEntries = Infinity }: { maxEntries?: number },
	) {
		const read = new Set(this.read());
		await this.betweenReadAndWrite();
		const fresh = items.filter((item) => !read.has(item));
		await this.write([...read, ...fresh].slice(-maxEntries));
		return { new: fresh, processed: items.filter((item) => read.has(item)) };
	}

	async removeProcessed(items: Array<string | number>) {
		const read = this.read();
		await this.betweenReadAndWrite();
		await this.write(read.filter((entry) => !items.includes(entry)));
	}

	async getProcessedDataCount() {
		return this.read().length;
	}

	private read() {
		if (this.fails) throw new Error('database is down');
		return this.entries;
	}

	private async write(entries: Array<string | number>): Promise<void> {
		this.writes++;
		this.entries = entries;
		await this.afterWrite();
	}
}

/** The parts of n8n's context that codes and limits use. */
export function contextOn(
	row: SharedRow,
	{
		workflowId = 'w',
		nodeId = 'node',
		pass = 0,
		memory = {},
		isManual = false,
		warn = (_warning: string) => {},
	} = {},
): IExecuteFunctions {
	const context = {
		helpers: row,
		getContext: () => memory,
		getMode: () => (isManual ? 'manual' : 'webhook'),
		getWorkflow: () => ({ id: workflowId }),
		getNode: () => ({ id: nodeId }),
		evaluateExpression: (expression: string) =>
			expression === '{{ $runIndex }}' ? pass : undefined,
		logger: { warn },
	};
	return context as unknown as IExecuteFunctions;
}

/** Its milliseconds are turns of the event loop, so that the order of events does not depend on the machine. */
export class TurnClock implements Pick<Clock, 'now' | 'wallTime' | 'sleep'> {
	private turns = 0;

	constructor(private readonly epoch = 0) {}

	now = () => this.turns;
	wallTime = () => this.epoch + this.turns;

	sleep = async (milliseconds: number) => {
		const until = this.turns + milliseconds;
		while (this.turns < until) await this.turn();
	};

	/** Of everything that waits. */
	private next: Promise<void> | undefined;

	private async turn(): Promise<void> {
		this.next ??= setImmediate().then(() => {
			this.turns++;
			this.next = undefined;
		});
		await this.next;
	}
}
