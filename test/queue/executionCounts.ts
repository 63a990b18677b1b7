import { waitUntil } from '../../harness';
import type { Stage } from './stage';

/** How many executions a workflow has in each state. Read from the database: there may be thousands. */
export type ExecutionCounts = Readonly<Record<string, number>>;

const ENDED = ['success', 'error', 'crashed', 'canceled'];

export async function executionCounts(
	{ queueMode }: Pick<Stage, 'queueMode'>,
	workflowId: string,
): Promise<ExecutionCounts> {
	const rows = await queueMode.postgres.query(
		`select status, count(*) from execution_entity where "workflowId" = '${workflowId}' group by status`,
	);
	return Object.fromEntries(rows.map(([status = '', count]) => [status, Number(count)]));
}

/** Resolves once all executions of the workflow have ended. */
export async function untilAllEnded(
	stage: Pick<Stage, 'queueMode'>,
	workflowId: string,
	limit: number,
): Promise<ExecutionCounts> {
	let seen: ExecutionCounts = {};
	return await waitUntil(
		async () => {
			seen = await executionCounts(stage, workflowId);
			return Object.keys(seen).every((status) => ENDED.includes(status)) ? seen : undefined;
		},
		{
			what: `all executions of workflow ${workflowId} have ended`,
			limit,
			seen: () => JSON.stringify(seen),
		},
	);
}
