import {
	lastSeenPaths,
	rememberPaths,
} from '../../../../nodes/CallVerification/inbound/processMemory';

describe('the paths of triggers', () => {
	const paths = { node: 'webhook/id/inbound-call' };

	it('are those last seen in their workflow', () => {
		rememberPaths('1', paths);
		rememberPaths('2', {});
		expect(lastSeenPaths('1')).toEqual(paths);
		expect(lastSeenPaths('2')).toEqual({});
		expect(lastSeenPaths('3')).toBeUndefined();
		rememberPaths('1', {});
		expect(lastSeenPaths('1')).toEqual({});
	});

	it('are remembered for 10,000 workflows, and forgotten first where they were seen longest ago', () => {
		const workflows = Array.from({ length: 10_000 }, (_none, index) => `workflow ${index}`);
		for (const workflow of workflows) rememberPaths(workflow, paths);
		rememberPaths('workflow 0', paths);
		rememberPaths('one more', paths);
		const remembered = workflows.filter((workflow) => lastSeenPaths(workflow) !== undefined);
		expect(remembered).toEqual(workflows.filter((workflow) => workflow !== 'workflow 1'));
		expect(lastSeenPaths('one more')).toEqual(paths);
	});
});
