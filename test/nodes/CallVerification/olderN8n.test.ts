import type { INodeType } from 'n8n-workflow';

/** Before 1.85, n8n-workflow has no NodeConnectionTypes. */
function loadedByOlderN8n(name: 'CallVerification' | 'CallVerificationTrigger'): INodeType {
	jest.resetModules();
	jest.doMock('n8n-workflow', () => ({
		...jest.requireActual<object>('n8n-workflow'),
		NodeConnectionTypes: undefined,
	}));
	const file = `../../../nodes/CallVerification/${name}.node`;
	const loaded = jest.requireActual<Record<string, new () => INodeType>>(file);
	const Node = loaded[name];
	if (Node === undefined) throw new Error(`${file} has no ${name}`);
	return new Node();
}

describe('n8n before 1.85', () => {
	afterEach(() => jest.dontMock('n8n-workflow'));

	it.each([
		// With a separate description, n8n would leave the tool out.
		['CallVerification', { inputs: ['main'], outputs: ['main'], usableAsTool: true }],
		['CallVerificationTrigger', { inputs: [], outputs: ['main'] }],
	] as const)('loads %s, with its connections', (name, description) => {
		expect(loadedByOlderN8n(name).description).toMatchObject(description);
	});
});
