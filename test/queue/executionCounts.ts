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

/**
 * Resolves once all executions of the workflow have ended and there are at least as many as expected: n8n may answer an
 * event before it stores the execution.
 */
export async function untilEnded(
	stage: Pick<Stage, 'queueMode'>,
	workflowId: string,
	count: number,
	limit: number,
): Promise<ExecutionCounts> {
	let seen: ExecutionCounts = {};
	return await waitUntil(
		async () => {
			seen = await executionCounts(stage, workflowId);
			const total = Object.values(seen).reduce((sum, each) => sum + each, 0);
			const haveAllEnded = Object.keys(seen).every((status) => ENDED.includes(status));
			return total >= count && haveAllEnded ? seen : undefined;
		},
		{
			what: `${count} executions of workflow ${workflowId} have ended`,
			limit,
			seen: () => JSON.stringify(seen),
		},
	);
}
