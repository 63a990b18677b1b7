import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { EmulatorSettings } from '../emulator/settings';
import type { Certificate } from '../harness/process/ownCertificate';

export type EmulatorBehaviour = Partial<
	Pick<EmulatorSettings, 'latencyMs' | 'requestsPerSecondLimit' | 'slowdownAbove' | 'slowdownMs'>
> & {
	/** With it, the service speaks HTTPS. */
	certificate?: Certificate;
};

export type EmulatorOrder = { do: 'start'; behaviour: EmulatorBehaviour } | { do: 'stop' };

export interface EmulatorAccess {
	url: string;
	secretKey: string;
	serviceId: string;
}

/** What the service has seen. */
export interface EmulatorTraffic {
	requests: number;
	/** Requests that were answered with a record, and charged. */
	answered: number;
	/** How many different numbers were checked, and charged. */
	numbersChecked: number;
	calls: number;
	numbersCalled: number;
	peakInFlight: number;
}

const ROOT = join(__dirname, '..');

/** One process for all services, one after the other: a fresh one would be slow until it is warm. */
export class EmulatorProcess {
	private readonly child: ChildProcess = fork(join(__dirname, 'emulatorChild.ts'), {
		execArgv: ['-r', join(ROOT, 'scripts', 'typescript.js')],
		serialization: 'advanced',
	});

	/** Gives the work a service without a past, and says what that has seen in the end. */
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
		if (first === undefined) throw new Error('The process of the service has ended');
		return first as Answer;
	}
}
