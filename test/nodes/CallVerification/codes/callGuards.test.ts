import { CallGuards, passOf } from '../../../../nodes/CallVerification/codes/callGuards';
import { LostAttempts } from '../../../../nodes/CallVerification/pacing/retry';
import { readPhone } from '../../../../nodes/CallVerification/phones/phone';
import { VirtualClock } from '../../../virtualClock';
import { contextOn, SharedRow } from './sharedRow';

const ACCESS = { baseUrl: 'https://service.test', secretKey: 'key', serviceId: '1' };

let nodes = 0;

const guardsOn = (row: SharedRow, warn = (_warning: string) => {}) =>
	new CallGuards(
		contextOn(row, { nodeId: `node ${++nodes}`, warn }),
		ACCESS,
		new VirtualClock(),
		() => 0,
		false,
	);

const startOne = async (guards: CallGuards) => {
	const limits = { maxCallsPerHour: 1, maxCallsPerKey: 0 };
	const phone = readPhone('79000000001');
	await guards.withinLimits(limits, phone, {}, new LostAttempts(), async () => {});
};

describe('n8n’s store', () => {
	it('has a row of each node for its calls, and one of the workflow for used codes', async () => {
		const row = new SharedRow();
		const added = jest.spyOn(row, 'checkProcessedAndRecord');
		const scopes = () => new Set(added.mock.calls.map(([, scope]) => scope));
		const guards = guardsOn(row);
		await startOne(guards);
		expect(scopes()).toEqual(new Set(['node']));
		added.mockClear();
		await guards.cooldown.end(1);
		expect(scopes()).toEqual(new Set(['workflow']));
	});

	it('that fails is in the log, with what each process counts alone', async () => {
		const row = new SharedRow();
		row.fails = true;
		const warnings: string[] = [];
		const guards = guardsOn(row, (warning) => warnings.push(warning.split(' could')[0] ?? ''));
		await startOne(guards);
		await guards.cooldown.end(1);
		expect(warnings).toEqual(['Calls', 'Used codes']);
	});
});

describe('the pass of a loop', () => {
	const passes = (isTool: boolean) =>
		[0, 1, 2].map((pass) => passOf(contextOn(new SharedRow(), { pass }), isTool));

	it('is that of n8n', () => {
		expect(passes(false)).toEqual([0, 1, 2]);
	});

	it('is always the same in a tool, which n8n tries again as another pass', () => {
		expect(new Set(passes(true)).size).toBe(1);
	});
});
