import {
	type EmulatedService,
	startEmulatedService,
} from '../../harness/workflows/emulatedService';
import {
	connect,
	type N8nClient,
	n8nProgram,
	QueueMode,
	serverPrograms,
	stopAllGuarded,
} from '../../harness';
import { Seed } from '../seed';
import { PACKED_VARIABLE } from './packedProject';
import { SETTINGS } from '../../harness/workflows/queueSettings';

const LOG_LINES = 30;

/** Decides the order of events and which processes are hit. */
export const seed = new Seed('QUEUE_SEED');

export interface Stage {
	readonly queueMode: QueueMode;
	readonly service: EmulatedService;
	readonly client: N8nClient;
}

/** Without PostgreSQL and Redis the suite is skipped, and reported as skipped. */
const describeIfPossible = serverPrograms ? describe : describe.skip;

/** A suite with an n8n in queue mode and an emulated service with its credential. */
export function describeInQueueMode(
	title: string,
	tests: (run: RunCase, stage: () => Stage) => void,
): void {
	describeIfPossible(title, () => {
		let stage: Stage;

		beforeAll(async () => {
			if (!serverPrograms) throw new Error('There are no servers');
			const queueMode = await QueueMode.start({
				program: await n8nProgram('2.x'),
				servers: serverPrograms,
				packages: [process.env[PACKED_VARIABLE] ?? ''],
				// Editor runs on workers, too, as n8n recommends.
				settings: { ...SETTINGS, OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true' },
			});
			const client = await connect(queueMode.main);
			const service = await startEmulatedService(client, { startingBalance: 1e6 });
			stage = { queueMode, client, service };
		});

		afterAll(async () => {
			await stage?.queueMode.stop();
			await stage?.service.emulator.close();
			await stopAllGuarded();
		});

		const run: RunCase = (work) => async () => {
			try {
				await work(stage);
			} catch (error) {
				process.stdout.write(`${stage.queueMode.logs(LOG_LINES)}\n`);
				throw error;
			}
		};
		tests(run, () => stage);
	});
}

/** Turns a case into a test that prints n8n's logs if it fails. */
export type RunCase = (work: (stage: Stage) => Promise<void>) => () => Promise<void>;
