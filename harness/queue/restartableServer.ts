import { connect } from 'node:net';
import { once } from 'node:events';
import { type GuardedProcess, startGuarded, type UserIds } from '../process/guardedProcess';
import { signalGroup } from '../process/processGroup';
import { waitUntil } from '../process/waitUntil';

interface ServerFacts {
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
	/** Where the server keeps its data; removed if our process dies. */
	readonly folder: string;
	readonly port: number;
	/** Makes it stop cleanly, even if clients are connected. */
	readonly stopSignal: NodeJS.Signals;
	readonly user?: UserIds;
	/** Whether it responds; its port opens too early. */
	readonly isReady: () => Promise<boolean>;
}

const LIMIT = 30_000;

/** A server on loopback that can be restarted with its data and on its port. */
export class RestartableServer {
	private running: GuardedProcess | undefined;

	constructor(private readonly facts: ServerFacts) {}

	async start(): Promise<void> {
		const { name, command, args, folder, user, isReady } = this.facts;
		const server = await startGuarded(command, args, {
			cwd: folder,
			env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
			discard: folder,
			user,
		});
		this.running = server;
		await waitUntil(
			async () => {
				if (server.hasEnded())
					throw new Error(`${name} ended by itself.\n${server.output.tail(20)}`);
				return (await isReady()) || undefined;
			},
			{ what: `${name} is ready`, limit: LIMIT, seen: () => server.output.tail(20) },
		);
	}

	async stop(): Promise<void> {
		if (!this.running) return;
		signalGroup(this.running.pid, this.facts.stopSignal);
		await this.running.finish();
		this.running = undefined;
	}
}

/** Sends one line to a server and returns the start of the response, or undefined if there is none. */
export async function askServer(port: number, line: string): Promise<string | undefined> {
	const socket = connect(port, '127.0.0.1');
	try {
		await once(socket, 'connect');
		socket.write(line);
		const [answer] = (await once(socket, 'data')) as [Buffer];
		return answer.toString();
	} catch {
		return undefined;
	} finally {
		socket.destroy();
	}
}
