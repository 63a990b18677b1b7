import type { EmulatorAccess } from '../emulatorProcess';
import { actionNode, triggerNode } from '../../harness/workflows/nodeRunner';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/workflows/emulatedService';
import type { EndOfWorkflow } from '../../harness/workflows/endOfWorkflow';
import { eventBody, sealQuery } from '../../harness/workflows/inboundEvents';
import type { Post } from '../../harness/workflows/sendEvents';
import { type N8nClient, productionUrl, type RunningN8n, type WorkflowFile } from '../../harness';
import { chain, webhook } from '../../harness/sampleWorkflow';
import { listBody, listWorkflow, phones } from '../load/postedList';

const LIST_SIZE = 500;
export const SECONDS_PER_LIST = 20;
const CALLS_PER_SECOND = 2;
const EVENTS_PER_SECOND = 5;

const FIRST_CHECKED = 79_400_000_000;
const FIRST_CALLED = 79_500_000_000;
const FIRST_CALLER = 79_600_000_000;

const TRIGGER = 'endurance';

/** One kind of work: what to post, and how often. */
export interface Stream {
	readonly posts: readonly Post[];
	readonly perSecond: number;
}

export interface MixedLoad {
	readonly workflowIds: readonly string[];
	readonly lists: Stream;
	readonly calls: Stream;
	readonly events: Stream;
	readonly numbersToCheck: number;
}

/** Publishes three workflows and prepares all posts to them for this many seconds. No number occurs twice. */
export async function prepareMixedLoad(
	{ url }: RunningN8n,
	client: N8nClient,
	service: EmulatorAccess,
	end: EndOfWorkflow,
	seconds: number,
): Promise<MixedLoad> {
	const credential = await client.credentials.create(
		'Service',
		CREDENTIAL_TYPE,
		credentialData(service),
	);
	const publish = async (file: WorkflowFile): Promise<string> => {
		const { id } = await client.workflows.create(file);
		await client.workflows.publish(id);
		return id;
	};
	const begin = webhook('call');
	const workflowIds = [
		await publish(
			listWorkflow(
				'check',
				actionNode(credential, {
					resource: 'phoneNumber',
					operation: 'check',
					phone: '={{ $json.phone }}',
				}),
			),
		),
		await publish(
			chain(
				'Call',
				{ ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } },
				actionNode(credential, {
					resource: 'call',
					operation: 'start',
					phone: '={{ $json.body.phone }}',
					delivery: 'callerNumber',
					waitForResult: false,
					options: {},
				}),
			),
		),
		await publish(
			chain('Event', triggerNode(credential, 'Trigger', TRIGGER), end.node('={{ $json.callId }}')),
		),
	];
	const sealing = { secretKey: service.secretKey, target: TRIGGER };
	const numbersOf = (perSecond: number, first: number) =>
		Array.from({ length: Math.floor(seconds * perSecond) }, (_, index) => first + index);
	const lists = numbersOf(1 / SECONDS_PER_LIST, 0).map((index) =>
		phones(LIST_SIZE, FIRST_CHECKED + index * LIST_SIZE),
	);
	return {
		workflowIds,
		numbersToCheck: lists.length * LIST_SIZE,
		lists: {
			perSecond: 1 / SECONDS_PER_LIST,
			posts: lists.map((list) => ({
				url: productionUrl(url, 'check'),
				body: JSON.stringify(listBody(list)),
			})),
		},
		calls: {
			perSecond: CALLS_PER_SECOND,
			posts: numbersOf(CALLS_PER_SECOND, FIRST_CALLED).map((phone) => ({
				url: productionUrl(url, 'call'),
				body: JSON.stringify({ phone: String(phone) }),
			})),
		},
		events: {
			perSecond: EVENTS_PER_SECOND,
			posts: numbersOf(EVENTS_PER_SECOND, FIRST_CALLER).map((phone) => ({
				url: productionUrl(url, `${TRIGGER}/inbound-call`) + sealQuery(sealing, phone),
				body: JSON.stringify(eventBody(phone, phone)),
			})),
		},
	};
}
