import { SETTINGS } from '../../harness/workflows/queueSettings';
import { type N8nProgram, QueueMode, serverPrograms } from '../../harness';

/** Two webhook processes and two workers, for the duration of the measurement. */
export async function inQueueMode<T>(
	program: N8nProgram,
	tarball: string,
	settings: Readonly<Record<string, string>>,
	work: (queueMode: QueueMode) => Promise<T>,
): Promise<T> {
	if (!serverPrograms) {
		throw new Error('Queue mode needs PostgreSQL and Redis: apt install postgresql redis-server');
	}
	const queueMode = await QueueMode.start({
		program,
		servers: serverPrograms,
		packages: [tarball],
		settings: { ...SETTINGS, ...settings },
	});
	try {
		return await work(queueMode);
	} finally {
		await queueMode.stop();
	}
}
