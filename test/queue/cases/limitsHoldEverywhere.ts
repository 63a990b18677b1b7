import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { callWebhook, productionUrl } from '../../../harness';
import { chain, webhook } from '../../../harness/sampleWorkflow';
import { actionNode } from '../../../harness/workflows/nodeRunner';
import { postAll } from '../../../harness/workflows/sendEvents';
import { seed, type Stage } from '../stage';

const MOST = 5;
const TRIES = 12;

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
		options: { cooldown: 60 },
		bodyFor: async () => {
			const phone = aPhone();
			return () => ({ phone });
		},
	},
	{
		what: 'codes compared with that of a call',
		most: MOST,
		operation: CHECK,
		options: { maxAttempts: MOST, maxWrongPerDay: 0 },
		bodyFor: guesses,
	},
	{
		what: 'wrong codes per number and day',
		most: MOST,
		operation: CHECK,
		options: { maxAttempts: 0, maxWrongPerDay: MOST },
		bodyFor: guesses,
	},
	{
		what: 'uses of a code',
		most: 1,
		operation: CHECK,
		options: { maxAttempts: 100 },
		bodyFor: async (call) => {
			const { token, code } = await call();
			return () => ({ token, code });
		},
	},
];

/**
 * Tries one after the other are counted exactly, whichever worker makes them, and killing the workers restores none. At
 * the same moment, more may get through, but never more than each worker allows by itself.
 */
export async function limitsHoldEverywhere({ client, queueMode, service }: Stage): Promise<void> {
	const { credential, emulator } = service;
	const workers = queueMode.workers.length;
	let workflows = 0;

	/** Returns where to send each try, spread over the webhook processes. */
	const publish = async ({ operation, options }: Pick<Limited, 'operation' | 'options'>) => {
		const path = `limit-${++workflows}`;
		const node = actionNode(credential, { ...operation, options });
		const workflow = chain(path, webhook(path), { ...node, onError: 'continueRegularOutput' });
		const { id } = await client.workflows.create(workflow);
		await client.workflows.publish(id);
		const urls = queueMode.webhooks.map(({ url }) => productionUrl(url, path));
		return (index: number) => urls[index % urls.length] ?? '';
	};

	const unlimited = await publish({ operation: START, options: {} });
	const makeCall = async (): Promise<KnownCall> => {
		const phone = aPhone();
		const { text } = await callWebhook(unlimited(0), { body: { phone } });
		const { verification_token: token } = JSON.parse(text) as { verification_token: string };
		return { token, code: emulator.ledger.calls.find((call) => call.phone === phone)?.code ?? '' };
	};

	/** How many of the tries are let through: calls that are made, or codes that are compared. */
	const letThrough = async ({ operation }: Limited, tries: () => Promise<string[]>) => {
		const before = emulator.ledger.calls.length;
		const answers = await tries();
		if (operation === START) return emulator.ledger.calls.length - before;
		return answers.filter((text) => /"reason":(null|"wrongCode")/.test(text)).length;
	};
	const inTurn = async (limited: Limited, urlOf: (index: number) => string, body: Body) =>
		await letThrough(limited, async () => {
			const answers = [];
			for (let index = 0; index < TRIES; index++) {
				answers.push((await callWebhook(urlOf(index), { body: body() })).text);
			}
			return answers;
		});
	const atOnce = async (limited: Limited, urlOf: (index: number) => string, body: Body) =>
		await letThrough(limited, async () => {
			const posts = Array.from({ length: TRIES }, (_none, index) => ({
				url: urlOf(index),
				body: JSON.stringify(body()),
				headers: { 'content-type': 'application/json' },
			}));
			return (await postAll(posts, TRIES)).map(({ text }) => text);
		});

	const published = [];
	for (const limited of LIMITS) {
		const urlOf = await publish(limited);
		const body = await limited.bodyFor(makeCall);
		published.push({ limited, urlOf, body, first: await inTurn(limited, urlOf, body) });
	}
	await Promise.all(
		queueMode.workers.map(async (worker) => {
			await worker.kill();
			await queueMode.replace(worker);
		}),
	);
	const rows: Record<string, string> = {};
	for (const { limited, urlOf, body, first } of published) {
		const { what, most } = limited;
		const afterKill = await inTurn(limited, urlOf, body);
		const together = await atOnce(limited, await publish(limited), await limited.bodyFor(makeCall));
		rows[what] =
			`${most} allowed; in turn ${first}, more after a kill ${afterKill}, at once ${together}`;
		expect([what, first, afterKill]).toEqual([what, most, 0]);
		expect([what, together >= 1 && together <= workers * most]).toEqual([what, true]);
	}
	seed.report(`Limits with ${workers} workers, ${TRIES} tries`, rows);
}
