import type { IExecuteFunctions } from 'n8n-workflow';

import { VirtualClock } from '../../../virtualClock';
import { createRun, readInput } from '../../../../nodes/CallVerification/run/operation';

function contextWith(more: object, type = 'package.callVerification'): IExecuteFunctions {
	const context = {
		getNode: () => ({ type, parameters: {} }),
		getInputData: () => [],
		continueOnFail: () => false,
		getExecuteData: () => ({}),
		getContext: () => ({}),
		getTimezone: () => 'UTC',
		...more,
	};
	return context as unknown as IExecuteFunctions;
}

describe('a run is one of a tool, which hides secrets from the model and limits it,', () => {
	it.each([
		['package.callVerificationTool', {}, true],
		['package.callVerification', {}, false],
		['package.callVerification', { isToolExecution: () => false }, false],
		['package.callVerification', { isToolExecution: () => true }, true],
	])('if the node %s runs in an n8n that says %j: %j', (type, says, isTool) => {
		const input = readInput(contextWith(says, type), []);
		expect([input.isTool, input.continues]).toEqual([isTool, isTool]);
	});
});

describe('a hint', () => {
	const options = {
		concurrency: 0,
		requestsPerSecond: 0,
		timeout: 30,
		maxRetries: 5,
		giveUpAfter: 300,
	};
	const runIn = (context: IExecuteFunctions) =>
		createRun(readInput(context, []), options, new VirtualClock(), () => 0);

	it('is shown once, as a warning unless it is none', () => {
		const shown: object[] = [];
		const run = runIn(contextWith({ addExecutionHints: (one: object) => shown.push(one) }));
		for (const message of ['first', 'first', 'second']) run.hint(message);
		run.hint('third', 'info');
		expect(shown).toEqual([
			{ message: 'first', type: 'warning', location: 'outputPane' },
			{ message: 'second', type: 'warning', location: 'outputPane' },
			{ message: 'third', type: 'info', location: 'outputPane' },
		]);
	});

	it('of an n8n that has none is left out, because an error would lose what is paid for', () => {
		const run = runIn(contextWith({}));
		expect(() => run.hint('first')).not.toThrow();
	});
});
