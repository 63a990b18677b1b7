import { type N8nClient, productionUrl, type WorkflowNode } from '../../harness';
import { chain, set, webhook } from '../../harness/rest/workflowFile';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/emulatedService';
import { eventBody, sealQuery } from '../../harness/workflows/inboundEvents';
import { triggerNode } from '../../harness/workflows/nodeRunner';
import { type Post, postAll } from '../../harness/rest/webhooks';
import { cpuSeconds } from '../processFigures';
import { median, percentile } from '../statistics';
import type {
	Comparison,
	EventContenderName,
	EventFigures,
	Events,
	EventStanding,
} from './results';
import { type EventStage, failures, untilAllEnded } from './stages';

const AT_ONCE = 16;
const LIMIT = 300_000;

export interface EventRounds {
	readonly rounds: number;
	/** For each contender in each round. */
	readonly events: number;
}

interface Round extends EventFigures {
	readonly refused: number;
}

/** All contenders in turn, round by round, so that anything else the machine does affects all of them alike. */
export async function measureEvents(
	stage: EventStage,
	{ rounds, events }: EventRounds,
): Promise<Omit<Events, 'mode' | 'engine'>> {
	const contenders = await publishEventContenders(stage.client, stage.urls);
	// Code that has not run before is slow, and an n8n in production has run it.
	for (const contender of contenders) await playRound(stage, contender, events);

	const played = new Map<EventContenderName, Round[]>(contenders.map(({ name }) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
			played.get(contender.name)?.push(await playRound(stage, contender, events));
		}
	}
	const roundsOf = (name: EventContenderName) => played.get(name) ?? [];
	const failed = new Map<EventContenderName, number>();
	for (const { name, workflowId } of contenders) {
		failed.set(name, await failures(stage.client, workflowId));
	}
	const standing = (name: EventContenderName): EventStanding => ({
		...middle(roundsOf(name)),
		lost: roundsOf(name).reduce((sum, { refused }) => sum + refused, failed.get(name) ?? 0),
	});
	const against = (ours: EventContenderName, theirs: EventContenderName): Comparison => ({
		...standing(ours),
		theirs: standing(theirs),
		speedRatio: middleRatio(roundsOf(ours), roundsOf(theirs), 'perSecond'),
		cpuRatio: middleRatio(roundsOf(ours), roundsOf(theirs), 'cpuMsPerEvent'),
	});
	return {
		rounds,
		eventsPerRound: events,
		atOnce: AT_ONCE,
		sealed: against('sealed', 'webhookWithHeader'),
		unsealed: against('unsealed', 'webhook'),
	};
}

/** Ends with the last execution, not with the response to the last event. */
async function playRound(
	stage: EventStage,
	{ workflowId, nextEvent }: EventContender,
	events: number,
): Promise<Round> {
	const posts = Array.from({ length: events }, nextEvent);
	const cpuBefore = cpuSeconds(stage.groups);
	const started = performance.now();
	const answers = await postAll(posts, AT_ONCE);
	await untilAllEnded(stage.client, workflowId, LIMIT);
	const seconds = (performance.now() - started) / 1000;
	const waits = answers.map(({ milliseconds }) => milliseconds);
	const refused = answers.filter(({ status }) => status !== 200);
	refused.forEach(({ status, text }) => console.error(`Response ${status ?? 'missing'}: ${text}`));
	return {
		perSecond: events / seconds,
		p50Ms: percentile(waits, 0.5),
		p95Ms: percentile(waits, 0.95),
		cpuMsPerEvent: ((cpuSeconds(stage.groups) - cpuBefore) * 1000) / events,
		refused: refused.length,
	};
}

function middle(rounds: readonly Round[]): EventFigures {
	const of = (figure: keyof EventFigures) => median(rounds.map((round) => round[figure]));
	return {
		perSecond: of('perSecond'),
		p50Ms: of('p50Ms'),
		p95Ms: of('p95Ms'),
		cpuMsPerEvent: of('cpuMsPerEvent'),
	};
}

/** Ratios are per round. */
function middleRatio(
	ours: readonly Round[],
	theirs: readonly Round[],
	figure: keyof EventFigures,
): number {
	return median(ours.map((round, index) => round[figure] / (theirs[index]?.[figure] ?? NaN)));
}

/** A published workflow that receives events and does nothing with them. */
interface EventContender {
	readonly name: EventContenderName;
	readonly workflowId: string;
	/** A new event, for one of n8n's processes. */
	readonly nextEvent: () => Post;
}

const SECRET_KEY = 'a secret key for the events';
const HEADER = { name: 'X-Secret', value: 'a secret for the header' };
const FIRST_CALL = 8_000_000;
const FIRST_PHONE = 79_300_000_000;

/** Publishes all of them in one n8n, which receives events at these URLs in turn. */
async function publishEventContenders(
	client: N8nClient,
	n8nUrls: readonly string[],
): Promise<EventContender[]> {
	const service = { url: 'https://127.0.0.1:9', secretKey: SECRET_KEY, serviceId: '1' };
	const ours = await client.credentials.create('Service', CREDENTIAL_TYPE, credentialData(service));
	const header = await client.credentials.create('Header', 'httpHeaderAuth', HEADER);
	const theirs = (path: string): WorkflowNode => {
		const begin = webhook(path);
		return { ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } };
	};
	const nothing: WorkflowNode = {
		...set('Nothing', ''),
		type: 'n8n-nodes-base.noOp',
		typeVersion: 1,
	};
	// A real workflow has a credential, and n8n checks for each execution whether it may be used. It does so even for
	// a node that is not connected.
	const neverRun: WorkflowNode = {
		...set('Never run', ''),
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' },
		credentials: { httpHeaderAuth: { id: header.id, name: header.name } },
	};
	const contender = async (
		name: EventContenderName,
		path: string,
		begin: WorkflowNode,
		extras: (phone: number) => { query?: string; headers?: Post['headers'] } = () => ({}),
	): Promise<EventContender> => {
		const { nodes, ...workflow } = chain(name, begin, nothing);
		const { id } = await client.workflows.create({ ...workflow, nodes: [...nodes, neverRun] });
		await client.workflows.publish(id);
		let sent = 0;
		return {
			name,
			workflowId: id,
			nextEvent: () => {
				const url = productionUrl(n8nUrls[sent % n8nUrls.length] ?? '', path);
				const phone = FIRST_PHONE + sent;
				const body = JSON.stringify(eventBody(FIRST_CALL + sent, phone));
				sent += 1;
				const { query = '', headers } = extras(phone);
				return { url: `${url}${query}`, body, headers };
			},
		};
	};
	const unsealed = triggerNode(ours, 'Trigger', 'unsealed');
	return [
		await contender(
			'sealed',
			'sealed/inbound-call',
			triggerNode(ours, 'Trigger', 'sealed'),
			(phone) => ({ query: sealQuery({ secretKey: SECRET_KEY, target: 'sealed' }, phone) }),
		),
		await contender(
			'webhookWithHeader',
			'with-header',
			{
				...theirs('with-header'),
				parameters: { ...theirs('with-header').parameters, authentication: 'headerAuth' },
				credentials: { httpHeaderAuth: { id: header.id, name: header.name } },
			},
			() => ({ headers: { [HEADER.name]: HEADER.value } }),
		),
		await contender('unsealed', 'unsealed/inbound-call', {
			...unsealed,
			parameters: { ...unsealed.parameters, eventAuthentication: 'none' },
		}),
		await contender('webhook', 'open', theirs('open')),
	];
}
