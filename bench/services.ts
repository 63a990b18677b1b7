import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { EmulatorSettings } from '../emulator/settings';

export type EmulatorBehaviour = Partial<
	Pick<EmulatorSettings, 'latencyMs' | 'requestsPerSecondLimit'>
>;

export type EmulatorOrder = { do: 'start'; behaviour: EmulatorBehaviour } | { do: 'stop' };

export interface EmulatorAccess {
	url: string;
	secretKey: string;
	serviceId: string;
}

/** What the service has seen. */
export interface EmulatorTraffic {
	requests: number;
	/** Requests that got a record and were charged. */
	answered: number;
	/** How many different numbers were checked and charged. */
	numbersChecked: number;
	calls: number;
	numbersCalled: number;
}

const ROOT = join(__dirname, '..');

/** One process for all services in turn, because a new one would be slow until it has warmed up. */
export class EmulatorProcess {
	private readonly child: ChildProcess = fork(join(__dirname, 'emulatorChild.ts'), {
		execArgv: ['-r', join(ROOT, 'scripts', 'typescript.js')],
		serialization: 'advanced',
	});

	/** Does the work with a new service, and returns what that service has seen. */
	async during<T>(
		behaviour: EmulatorBehaviour,
		work: (access: EmulatorAccess) => Promise<T>,
	): Promise<T & { traffic: EmulatorTraffic }> {
		const access = await this.ask<EmulatorAccess>({ do: 'start', behaviour });
		const result = await work(access);
		return { ...result, traffic: await this.ask<EmulatorTraffic>({ do: 'stop' }) };
	}

	end(): void {
		this.child.kill();
	}

	private async ask<Answer>(order: EmulatorOrder): Promise<Answer> {
		const ended = new AbortController();
		const answer = once(this.child, 'message', { signal: ended.signal });
		const exit = once(this.child, 'exit', { signal: ended.signal });
		this.child.send(order);
		const [first] = await Promise.race([answer, exit.then(() => [undefined])]);
		ended.abort();
		await Promise.allSettled([answer, exit]);
		if (first === undefined) throw new Error('The service process has ended');
		return first as Answer;
	}
}

export interface BenchService {
	name: 'unlimited' | 'limited';
	title: string;
	behaviour: EmulatorBehaviour;
}

export const LATENCY_MS = 80;
export const PER_SECOND = 100;

export const UNLIMITED: BenchService = {
	name: 'unlimited',
	title: 'No limit, 80 ms per answer',
	behaviour: { latencyMs: LATENCY_MS },
};

export const LIMITED: BenchService = {
	name: 'limited',
	title: '100 requests per second, 429 above',
	behaviour: { latencyMs: LATENCY_MS, requestsPerSecondLimit: PER_SECOND },
};
