import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

import { fetch, WebSocket } from 'undici';
import { z } from 'zod';

import { waitUntil } from '../../harness';

const START_LIMIT = 30_000;
/** The first collection leaves what finalizers have released. */
const COLLECTIONS = 2;
const BETWEEN_COLLECTIONS = 100;

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() })).nonempty();
const answer = z.object({ id: z.number(), result: z.record(z.unknown()).optional() });

interface Question {
	readonly resolve: (result: Record<string, unknown>) => void;
	readonly reject: (error: Error) => void;
}

export interface HeapUse {
	/** Bytes in use by reachable objects. */
	readonly used: number;
	/** The most bytes that the process may use. */
	readonly limit: number;
}

/** The environment of a process whose heap is measured later: sets the port, but does not open it. */
export function heapSettings(port: number): Record<string, string> {
	return { NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}` };
}

/** Inspects another Node process through its debugger protocol. */
export class LiveHeap {
	private lastId = 0;
	private readonly questions = new Map<number, Question>();

	private constructor(private readonly socket: WebSocket) {
		socket.addEventListener('message', ({ data }) => {
			const { id, result = {} } = answer.parse(JSON.parse(String(data)));
			this.questions.get(id)?.resolve(result);
			this.questions.delete(id);
		});
		socket.addEventListener('close', () => {
			for (const { reject } of this.questions.values()) reject(new Error('The process has ended'));
		});
	}

	/** Opens the port of this process only, because its children have the same environment. */
	static async of(pid: number, port: number): Promise<LiveHeap> {
		process.kill(pid, 'SIGUSR1');
		const url = await waitUntil(async () => await debuggerUrl(port), {
			what: `process ${pid} opens its debugger port`,
			limit: START_LIMIT,
		});
		const socket = new WebSocket(url);
		await once(socket, 'open');
		return new LiveHeap(socket);
	}

	/** After a garbage collection, so that unreachable objects do not count. */
	async use(): Promise<HeapUse> {
		for (let collection = 0; collection < COLLECTIONS; collection++) {
			await this.ask('HeapProfiler.collectGarbage');
			await pause(BETWEEN_COLLECTIONS);
		}
		const { usedSize } = await this.ask('Runtime.getHeapUsage');
		const limit = await this.evaluate(
			"process.getBuiltinModule('v8').getHeapStatistics().heap_size_limit",
		);
		return { used: z.number().parse(usedSize), limit };
	}

	/** Runs an expression that yields a number in the process. */
	async evaluate(expression: string): Promise<number> {
		const { result } = await this.ask('Runtime.evaluate', { expression });
		return z.object({ value: z.number() }).parse(result).value;
	}

	close(): void {
		this.socket.close();
	}

	private async ask(method: string, params: object = {}): Promise<Record<string, unknown>> {
		const id = ++this.lastId;
		const answered = new Promise<Record<string, unknown>>((resolve, reject) => {
			this.questions.set(id, { resolve, reject });
		});
		this.socket.send(JSON.stringify({ id, method, params }));
		return await answered;
	}
}

async function debuggerUrl(port: number): Promise<string | undefined> {
	try {
		const response = await fetch(`http://127.0.0.1:${port}/json/list`);
		return targets.parse(await response.json())[0].webSocketDebuggerUrl;
	} catch {
		return undefined; // Not open yet.
	}
}
