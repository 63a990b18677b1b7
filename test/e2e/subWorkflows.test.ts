import type { IDataObject } from 'n8n-workflow';
import { itemsOf } from '../../harness';
import { chain, manualTrigger, nodeOf, set } from '../../harness/rest/workflowFile';
import { actionNode, NODE, type OperationParameters } from '../../harness/workflows/nodeRunner';
import { describeInN8n, type InN8n } from './inN8n';

const PHONE = '={{ $json.phone }}';
const START = { resource: 'call', operation: 'start', phone: PHONE, delivery: 'callerNumber' };
const WITH_KEY = { ...START, options: { unique: '={{ $json.key }}' } };
const CHECK = { resource: 'phoneNumber', operation: 'check', phone: PHONE };
const GET_NUMBER = {
	resource: 'inboundCall',
	operation: 'start',
	phone: PHONE,
	callbackTarget: 'url',
	callbackUrl: 'https://n8n.test/inbound-call',
};

/** The settings of the caller's node, and how often n8n runs its sub-workflow, which fails after our node. */
const REPETITIONS = [
	{ by: 'Retry On Fail', settings: { retryOnFail: true, maxTries: 3 }, isRetried: false, times: 3 },
	{ by: 'n8n’s Retry', settings: {}, isRetried: true, times: 2 },
];

describeInN8n('a sub-workflow whose caller is run again', { callResultAfterMs: 0 }, (n8n) => {
	const ledger = () => n8n.emulator.ledger;
	let phone = 79_160_400_000;

	const callsTo = (number: number) =>
		ledger().calls.filter((call) => call.phone === String(number));

	describe.each(REPETITIONS)('by $by', (repetition) => {
		const { times } = repetition;

		test('rings again, unless a key was made in the caller', async () => {
			await runAgain(n8n, repetition, START, { phone: ++phone });
			expect(callsTo(phone)).toHaveLength(times);
			await runAgain(n8n, repetition, WITH_KEY, { phone: ++phone });
			expect(callsTo(phone)).toHaveLength(1);
		});

		test('pays for a check, and requests a number to call, again', async () => {
			await runAgain(n8n, repetition, CHECK, { phone: ++phone });
			const checks = ledger().checks.filter(({ source }) => source === String(phone));
			expect(checks).toHaveLength(times);
			await runAgain(n8n, repetition, GET_NUMBER, { phone: ++phone });
			const waits = ledger().inboundWaits.filter((wait) => wait.phone === String(phone));
			expect(waits).toHaveLength(times);
		});

		test('uses up an attempt for a wrong code, and finds the right one used', async () => {
			const start = actionNode(n8n.credential, { ...START, phone: String(++phone) });
			const { id } = await n8n.client.workflows.create(chain('A call', manualTrigger, start));
			await n8n.client.run(id);
			const [{ vendorId = 0, code = '' } = {}] = callsTo(phone);
			const check = { resource: 'call', operation: 'checkCode', uid: vendorId };

			const wrong = { ...check, code: code === '9999' ? '8888' : '9999' };
			const right = { ...check, code };
			expect(await runAgain(n8n, repetition, wrong)).toMatchObject(
				Array.from({ length: times }, (_none, index) => ({
					reason: 'wrongCode',
					attempts_left: 4 - index,
				})),
			);
			expect((await runAgain(n8n, repetition, right)).map(({ reason }) => reason)).toEqual([
				null,
				...Array<string>(times - 1).fill('alreadyUsed'),
			]);
		});
	});
});

/** Returns what our node returned each time. */
async function runAgain(
	{ client, credential }: InN8n,
	{ settings, isRetried }: (typeof REPETITIONS)[number],
	operation: OperationParameters,
	item: IDataObject = {},
): Promise<IDataObject[]> {
	const { workflows, executions } = client;
	const called = nodeOf('Called', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
		inputSource: 'passthrough',
	});
	const fail = nodeOf('Fail', 'n8n-nodes-base.stopAndError', 1, { errorMessage: 'Broken' });
	const child = await workflows.create(
		chain('Child', called, actionNode(credential, operation), fail),
	);
	// On 2.x a sub-workflow must be published before it can be called.
	await workflows.publish(child.id).catch(() => undefined);
	const makeKey = nodeOf('Key', 'n8n-nodes-base.crypto', 1, {
		action: 'generate',
		dataPropertyName: 'key',
	});
	const workflowId = { __rl: true, mode: 'id', value: child.id };
	const call = nodeOf('Call', 'n8n-nodes-base.executeWorkflow', 1.2, { workflowId, options: {} });
	const caller = await workflows.create(
		chain('Caller', manualTrigger, set('Item', JSON.stringify(item)), makeKey, {
			...call,
			...settings,
			waitBetweenTries: 1,
		}),
	);
	const failed = await workflows.run(caller.id);
	expect((await executions.wait(failed)).error).toBeDefined();
	if (isRetried) {
		const retried = await executions.retry(failed);
		expect((await executions.wait(retried)).error).toBeDefined();
	}
	const runs = (await executions.list(child.id)).reverse();
	const ended = await Promise.all(runs.map(async ({ id }) => await executions.wait(id)));
	return ended.flatMap((execution) => itemsOf(execution, NODE));
}
