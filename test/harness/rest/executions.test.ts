import { eachOnce, type ExecutionHead } from '../../../harness/rest/executions';

function execution(id: string, status: ExecutionHead['status']): ExecutionHead {
	return { id, status, mode: 'webhook' };
}

test('an execution that ended while n8n read its list is listed once, as ended', () => {
	const listed = [execution('12', 'running'), execution('12', 'success'), execution('11', 'error')];

	expect(eachOnce(listed)).toEqual([execution('12', 'success'), execution('11', 'error')]);
});
