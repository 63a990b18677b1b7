import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { callWebhook, productionUrl } from '../../../harness';
import { chain, webhook } from '../../../harness/sampleWorkflow';
import { actionNode } from '../../../harness/workflows/nodeRunner';
import { postAll } from '../../../harness/workflows/sendEvents';
import { seed, type Stage } from '../stage';

const FIRST_PHONE = 79_167_000_000;
const MOST = 5;
const STARTS = 12;
const ONE_PHONE = { phone: '79167900000' };

let phones = FIRST_PHONE;
const anotherPhone = () => ({ phone: String(++phones) });

interface Limited {
	readonly what: string;
	readonly options: INodeParameters;
	/** What a start brings along, by its position. */
	readonly body: () => IDataObject;
	/** Of the starts at once. */
	readonly another?: IDataObject;
	readonly most: number;
}

const LIMITS: readonly Limited[] = [
	{
		what: 'calls per hour',
		options: { maxCallsPerHour: MOST },
		body: anotherPhone,
		most: MOST,
	},
	{
		what: 'calls per hour and key',
		options: { limitKey: '={{ $json.body.visitor }}', maxCallsPerKey: MOST },
		body: () => ({ ...anotherPhone(), visitor: 'one' }),
		most: MOST,
	},
	{
		what: 'calls per number and day',
		options: { maxCallsPerNumber: MOST },
		body: () => ONE_PHONE,
		most: MOST,
	},
	{
		what: 'cooldown',
		options: { cooldown: 60 },
		body: () => ({ phone: '79167900001' }),
		another: { phone: '79167900002' },
		most: 1,
	},
];

/**
 * Starts one after the other are counted exactly, whichever worker makes them. At the same moment, more may get through,
 * but never more than each worker allows by itself.
 */
export async function limitsHoldEverywhere(stage: Stage): Promise<void> {
	const { client, queueMode, service } = stage;
	const { ledger } = service.emulator;
	const workers = queueMode.workers.length;
	const urls = queueMode.webhooks.map(({ url }) => url);

	const publish = async (name: string, options: INodeParameters) => {
		const node = actionNode(service.credential, {
			resource: 'call',
			operation: 'start',
			phone: '={{ $json.body.phone }}',
			delivery: 'callerNumber',
			waitForResult: false,
			options,
		});
		const path = name.replace(/\W+/g, '-');
		const workflow = chain(name, webhook(path), { ...node, onError: 'continueRegularOutput' });
		const { id } = await client.workflows.create(workflow);
		await client.workflows.publish(id);
		return (position: number) => productionUrl(urls[position % urls.length] ?? '', path);
	};
	/** How many calls are made meanwhile. */
	const callsDuring = async (starts: () => Promise<unknown>) => {
		const before = ledger.calls.length;
		await starts();
		return ledger.calls.length - before;
	};
	const inTurn = async ({ body }: Limited, urlAt: (position: number) => string) =>
		await callsDuring(async () => {
			for (let position = 0; position < STARTS; position++) {
				await callWebhook(urlAt(position), { body: body() });
			}
		});
	const atOnce = async ({ body }: Limited, urlAt: (position: number) => string) =>
		await callsDuring(async () => {
			const posts = Array.from({ length: STARTS }, (_none, position) => ({
				url: urlAt(position),
				body: JSON.stringify(body()),
				headers: { 'content-type': 'application/json' },
			}));
			await postAll(posts, STARTS);
		});

	const published = [];
	for (const limited of LIMITS) {
		const urlAt = await publish(`limit in turn: ${limited.what}`, limited.options);
		published.push({ limited, urlAt, made: await inTurn(limited, urlAt) });
	}
	await queueMode.restartWorkers();
	const rows: Record<string, string> = {};
	for (const { limited, urlAt, made } of published) {
		const { what, options, most } = limited;
		const afterRestart = await inTurn(limited, urlAt);
		const other = { ...limited, body: () => ({ ...limited.body(), ...limited.another }) };
		const madeAtOnce = await atOnce(other, await publish(`limit at once: ${what}`, options));
		rows[what] =
			`${most} allowed; in turn ${made}, after a restart ${afterRestart}, at once ${madeAtOnce}`;
		expect([what, made, afterRestart]).toEqual([what, most, 0]);
		expect(madeAtOnce).toBeGreaterThanOrEqual(1);
		expect(madeAtOnce).toBeLessThanOrEqual(most === 1 ? 1 : workers * most);
	}
	seed.report(`Limits with ${workers} workers, ${STARTS} starts`, rows);
}
