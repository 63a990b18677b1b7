import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { itemsOf, productionUrl, waitUntil } from '../../../harness';
import { chain, sideBySide, webhook } from '../../../harness/rest/workflowFile';
import { actionNode } from '../../../harness/workflows/nodeRunner';
import { withinOneSlot } from '../../../harness/process/waitUntil';
import { postAll } from '../../../harness/rest/webhooks';
import { seed, type Stage } from '../stage';

const MOST = 5;

/** In minutes. */
const COOLDOWN = 60;
const DAY = 24 * 60;

const started = z.object({ verification_token: z.string() });

let phones = 79_167_000_000;
const aPhone = () => String(++phones);

const START = {
	resource: 'call',
	operation: 'start',
	phone: '={{ $json.body.phone }}',
	delivery: 'callerNumber',
	waitForResult: false,
};
const CHECK = {
	resource: 'call',
	operation: 'checkCode',
	uid: '={{ $json.body.token }}',
	code: '={{ $json.body.code }}',
};

/** What each try sends. */
type Body = () => IDataObject;

interface Limited {
	readonly what: string;
	readonly most: number;
	readonly operation: typeof START | typeof CHECK;
	readonly options: INodeParameters;
	/** For somebody whose limit is not used up yet. */
	readonly bodyFor: (call: () => Promise<KnownCall>) => Promise<Body>;
}

interface KnownCall {
	readonly token: string;
	readonly code: string;
}

const wrongCode = ({ code }: KnownCall, index: number) => {
	const typed = String(1_000 + index);
	return typed === code ? '0' : typed;
};

/** Another wrong code each time, because the result of one that was typed before is repeated. */
async function guesses(call: () => Promise<KnownCall>): Promise<Body> {
	const known = await call();
	let tried = 0;
	return () => ({ token: known.token, code: wrongCode(known, tried++) });
}

const LIMITS: readonly Limited[] = [
	{
		what: 'calls per hour',
		most: MOST,
		operation: START,
		options: { maxCallsPerHour: MOST },
		bodyFor: async () => () => ({ phone: aPhone() }),
	},
	{
		what: 'calls per hour and key',
		most: MOST,
		operation: START,
		options: { limitKey: '={{ $json.body.visitor }}', maxCallsPerKey: MOST },
		bodyFor: async () => {
			const visitor = aPhone();
			return () => ({ phone: aPhone(), visitor });
		},
	},
	{
		what: 'calls per number and day',
		most: MOST,
		operation: START,
		options: { maxCallsPerNumber: MOST },
		bodyFor: async () => {
			const phone = aPhone();
			return () => ({ phone });
		},
	},
	{
		what: 'calls within a cooldown',
		most: 1,
		operation: START,
		options: { cooldown: COOLDOWN },
		bodyFor: async () => {
			const phone = aPhone();
			return () => ({ phone });
		},
	},
	{
		what: 'codes compared with that of a call',
		most: MOST,
		operation: CHECK,
		options: { maxAttempts: MOST, maxWrongPerDay: 0, validFor: 0 },
		bodyFor: guesses,
	},
	{
		what: 'wrong codes per number and day',
		most: MOST,
		operation: CHECK,
		options: { maxAttempts: 0, maxWrongPerDay: MOST, validFor: 0 },
		bodyFor: guesses,
	},
	{
		what: 'uses of a code',
		most: 1,
		operation: CHECK,
		options: { maxAttempts: 100, validFor: 0 },
		bodyFor: async (call) => {
			const { token, code } = await call();
			return () => ({ token, code });
		},
	},
];

/**
 * As docs/limits.md says. Calls are seldom more than allowed, or one more; but a worker that stands still in the middle of
 * a write loses what the others have counted meanwhile, and that depends on the machine.
 */
function mostAtOnce({ operation, most, options }: Limited, workers: number): number {
	// The service makes one call for the key that all of them have.
	if (operation === START && 'cooldown' in options) return 1;
	return workers * most;
}

/**
 * Tries one after the other are counted exactly, whichever worker makes them, and killing the workers restores none. At
 * the same moment, more may get through, but in no worker more than allowed.
 */
export async function limitsHoldEverywhere({ client, queueMode, service }: Stage): Promise<void> {
	const { credential, emulator } = service;
	const workers = queueMode.workers.length;
	/** More than the workers would allow if each counted for itself. */
	const tries = workers * MOST + 2;
	let workflows = 0;

	type Operation = Pick<Limited, 'operation' | 'options'>;

	const chainOf = ({ operation, options }: Operation) => {
		const path = `limit-${++workflows}`;
		const trigger = { ...webhook(path, 'onReceived'), id: path, name: path };
		const node = actionNode(credential, { ...operation, options });
		const name = `${node.name} of ${path}`;
		const workflow = chain(path, trigger, {
			...node,
			id: name,
			name,
			onError: 'continueRegularOutput',
		});
		return { path, name, workflow };
	};

	/** Returns functions that make tries at an operation, and return their outputs. */
	const publishBoth = async (one: Operation, other: Operation) => {
		const [first, second] = [chainOf(one), chainOf(other)];
		const { id } = await client.workflows.create(sideBySide(first.workflow, second.workflow));
		await client.workflows.publish(id);
		const seen = new Set<string>();
		return [triesAt(id, first, seen), triesAt(id, second, seen)] as const;
	};

	const publish = async (operation: Operation) => {
		const only = chainOf(operation);
		const { id } = await client.workflows.create(only.workflow);
		await client.workflows.publish(id);
		return triesAt(id, only, new Set());
	};

	/**
	 * The tries are spread over the webhook processes. Their outputs are read from the stored executions: n8n never sends
	 * the answer of a webhook if the job has ended before n8n begins to listen for its end.
	 */
	const triesAt = (
		id: string,
		{ path, name }: { readonly path: string; readonly name: string },
		seen: Set<string>,
	) => {
		const urls = queueMode.webhooks.map(({ url }) => productionUrl(url, path));
		return async (bodies: readonly IDataObject[], atOnce = bodies.length) => {
			const outputs: IDataObject[] = [];
			for (let first = 0; first < bodies.length; first += atOnce) {
				const sent = bodies.slice(first, first + atOnce);
				const posts = sent.map((body, index) => ({
					url: urls[(first + index) % urls.length] ?? '',
					body: JSON.stringify(body),
					headers: { 'content-type': 'application/json' },
				}));
				await postAll(posts, posts.length);
				outputs.push(...(await outputsOf(id, name, seen, sent.length)));
			}
			return outputs;
		};
	};

	/** Of the next executions of the workflow, once so many have ended. */
	const outputsOf = async (
		workflowId: string,
		nodeName: string,
		seen: Set<string>,
		count: number,
	) => {
		let ended: string[] = [];
		await waitUntil(
			async () => {
				const stored = await client.executions.list(workflowId);
				ended = stored
					.filter(({ id, status }) => !seen.has(id) && !['new', 'running'].includes(status))
					.map(({ id }) => id);
				return ended.length === count || undefined;
			},
			{ what: `${count} tries have ended`, limit: 300_000, seen: () => String(ended.length) },
		);
		const outputs = [];
		for (const id of ended) {
			seen.add(id);
			outputs.push(...itemsOf(await client.executions.wait(id), nodeName));
		}
		return outputs;
	};

	const startUnlimited = await publish({ operation: START, options: {} });
	const makeCall = async (): Promise<KnownCall> => {
		const phone = aPhone();
		const [output] = await startUnlimited([{ phone }]);
		const { verification_token: token } = started.parse(output);
		const { code = '' } = emulator.ledger.calls.find((call) => call.phone === phone) ?? {};
		return { token, code };
	};

	/** A number whose code was used is called once more, whichever worker is asked. */
	const afterUse = async () => {
		const [start, check] = await publishBoth(
			{ operation: START, options: { cooldown: COOLDOWN } },
			{ operation: CHECK, options: {} },
		);
		const phone = aPhone();
		const calls = () => emulator.ledger.calls.filter((call) => call.phone === phone);
		const [output] = await start([{ phone }]);
		const { verification_token: token } = started.parse(output);
		const [verdict] = await check([{ token, code: calls()[0]?.code }]);
		expect(verdict).toMatchObject({ matched: true });
		return async () => {
			await start(
				Array.from({ length: tries }, () => ({ phone })),
				1,
			);
			return calls().length - 1;
		};
	};

	/** How many of the tries are let through: calls that are made, or codes that are compared. */
	const letThrough = async (
		{ operation }: Limited,
		tryAll: Awaited<ReturnType<typeof publish>>,
		body: Body,
		atOnce: number,
	) => {
		const before = emulator.ledger.calls.length;
		const outputs = await tryAll(Array.from({ length: tries }, body), atOnce);
		if (operation === START) return emulator.ledger.calls.length - before;
		return outputs.filter(({ reason }) => reason === null || reason === 'wrongCode').length;
	};

	/** At a new node, in an hour in which all have the same key within a cooldown. */
	const atOnce = async (limited: Limited) =>
		await withinOneSlot(COOLDOWN, async () => {
			const tryAll = await publish(limited);
			return await letThrough(limited, tryAll, await limited.bodyFor(makeCall), tries);
		});

	const killAllWorkers = async () =>
		await Promise.all(
			queueMode.workers.map(async (worker) => {
				await worker.kill();
				await queueMode.replace(worker);
			}),
		);

	const measure = async () => {
		const published = [];
		for (const limited of LIMITS) {
			const tryAll = await publish(limited);
			const body = await limited.bodyFor(makeCall);
			published.push({ limited, tryAll, body, first: await letThrough(limited, tryAll, body, 1) });
		}
		const startAgain = await afterUse();
		const startAfterKill = await afterUse();
		const again = await startAgain();
		await killAllWorkers();
		const found = [];
		for (const { limited, tryAll, body, first } of published) {
			const afterKill = await letThrough(limited, tryAll, body, 1);
			found.push({ limited, first, afterKill, together: await atOnce(limited) });
		}
		return { found, ofUsedCode: [again, await startAfterKill(), await startAgain()] };
	};

	const { found, ofUsedCode } = await withinOneSlot(DAY, measure);
	const inWords = ({ limited: { most }, first, afterKill, together }: (typeof found)[number]) =>
		`${most} allowed; in turn ${first}, more after a kill ${afterKill}, at once ${together}`;
	seed.report(`Limits with ${workers} workers, ${tries} tries`, {
		...Object.fromEntries(found.map((one) => [one.limited.what, inWords(one)])),
		'calls within a cooldown whose code was used': `1 allowed; in turn and after a kill ${ofUsedCode.join()}`,
	});
	for (const { limited, first, afterKill, together } of found) {
		const { what, most } = limited;
		expect([what, first, afterKill]).toEqual([what, most, 0]);
		expect([what, together >= 1 && together <= mostAtOnce(limited, workers)]).toEqual([what, true]);
	}
	expect(ofUsedCode).toEqual([1, 1, 1]);
}
