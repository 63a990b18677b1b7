import type { Stage } from '../stage';

/** Every execution so far, those of the editor included; a sub-execution runs beside its parent. Only a worker's log says what it ran. */
export async function executionsRunOnWorkers({ queueMode }: Stage): Promise<void> {
	const rows = await queueMode.postgres.query(
		"SELECT id FROM execution_entity WHERE mode <> 'integrated'",
	);
	const logs = queueMode.workers.map(({ log }) => log()).join('');
	expect(rows.length).toBeGreaterThan(0);
	expect(rows.flat().filter((id) => !logs.includes(`started execution ${id} `))).toEqual([]);
}
