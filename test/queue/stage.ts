import { type EmulatedService, startEmulatedService } from '../../harness/emulatedService';
import {
	connect,
	type N8nClient,
	n8nProgram,
	packProject,
	QUICK_EXPRESSIONS,
	QueueMode,
	serverPrograms,
	stopAllGuarded,
} from '../../harness';
import { Seed } from '../seed';
import { QUEUE_SETTINGS } from '../../harness/queue/queueMode';

const LOG_LINES = 30;
/** May install n8n first. */
const SET_UP_LIMIT = 1_800_000;

/** Decides the order of events and which processes are hit. */
export const seed = new Seed('QUEUE_SEED');

export interface Stage {
	readonly queueMode: QueueMode;
	readonly service: EmulatedService;
	readonly client: N8nClient;
}

/** Without PostgreSQL and Redis the suite is skipped, and reported as skipped. */
const describeIfPossible = serverPrograms ? describe : describe.skip;
if (!serverPrograms) {
	console.log(
		'PostgreSQL or Redis is not available: the queue mode tests are skipped. Get them with "apt install postgresql redis-server".',
	);
}

/** A suite with an n8n in queue mode and an emulated service with its credential. */
export function describeInQueueMode(
	title: string,
	tests: (run: RunCase, stage: () => Stage) => void,
): void {
	describeIfPossible(title, () => {
		let stage: Stage;

		beforeAll(async () => {
			if (!serverPrograms) throw new Error('There are no servers');
			const program = await n8nProgram('2.x');
			const packed = await packProject();
			const queueMode = await QueueMode.start({
				program,
				servers: serverPrograms,
				packages: [packed.tarball],
				settings: { ...QUICK_EXPRESSIONS, ...QUEUE_SETTINGS },
				workers: Number(process.env.QUEUE_WORKERS ?? 2),
			}).finally(packed.remove);
			const client = await connect(queueMode.main);
			const service = await startEmulatedService(client, { startingBalance: 1e6 });
			stage = { queueMode, client, service };
		}, SET_UP_LIMIT);

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
