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

	it('loads the action node, with its connections, and as a tool', () => {
		expect(loadedByOlderN8n('CallVerification').description).toMatchObject({
			inputs: ['main'],
			outputs: ['main'],
			// With a separate description, n8n would leave the tool out.
			usableAsTool: true,
		});
	});

	it('loads the trigger, with its connection', () => {
		expect(loadedByOlderN8n('CallVerificationTrigger').description).toMatchObject({
			inputs: [],
			outputs: ['main'],
		});
	});
});
