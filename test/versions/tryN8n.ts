import { z } from 'zod';
import { itemsOf, type N8nClient } from '../../harness';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import {
	exampleParameters,
	loadedOperations,
	NODE,
	runNode,
} from '../../harness/workflows/nodeRunner';
import { Attempts } from './attempts';
import { inboundCall } from './inboundCall';
import type { TriedN8n } from './results';
import type { TestedN8n } from './testedN8n';

const PACKAGE = 'n8n-nodes-call-verification';
const START = 'call.start';
const WAIT = 'inboundCall.wait';
const NODE_TYPES = ['callVerification', 'callVerificationTrigger'];

const settings = z.object({ nodeJsVersion: z.string() });

/** Lists the nodes, and runs every operation, a trigger event and a Wait. */
export async function tryN8n(n8n: TestedN8n): Promise<Omit<TriedN8n, 'defaults'>> {
	const { client } = n8n;
	const { nodeJsVersion } = await client.session.get('/settings', settings);
	const nodeTypes = await listed(client);
	const operations = await loadedOperations(client);
	const attempts = new Attempts();
	for (const operation of inOrder(operations)) {
		await attempts.make(operation, async () => await runOnce(n8n, operation));
	}
	const event = await attempts.make(
		'trigger event',
		async () => await inboundCall(n8n, client, n8n, 'trigger'),
	);
	const wait = await attempts.make(
		'Wait',
		async () => await inboundCall(n8n, client, n8n, 'execution'),
	);
	return {
		n8n: client.version,
		node: nodeJsVersion,
		date: new Date().toISOString().slice(0, 10),
		nodeTypes,
		operations,
		triggerEvent: event !== undefined,
		wait: wait !== undefined,
		resumeToken: wait?.searchParams.has('signature') ?? false,
		problems: attempts.problems,
	};
}

async function listed({ version, nodeTypes }: N8nClient): Promise<string[]> {
	const types = await nodeTypes.ofPackage(PACKAGE);
	const names = types.map(({ name }) => name.slice(PACKAGE.length + 1)).sort();
	const missing = NODE_TYPES.filter((name) => !names.includes(name));
	if (!(await nodeTypes.credential(CREDENTIAL_TYPE))) missing.push(CREDENTIAL_TYPE);
	if (missing.length === 0) return names;
	throw new Error(
		`n8n ${version} has not loaded ${missing.join(', ')}. Is the package installed there, and is N8N_UNVERIFIED_PACKAGES_ENABLED=true?`,
	);
}

/** Call: Start comes first, because others need an existing call. Wait has its own workflow. */
function inOrder(operations: readonly string[]): string[] {
	return [START, ...operations.filter((name) => name !== START && name !== WAIT)];
}

async function runOnce({ client, credential, emulator }: TestedN8n, name: string): Promise<void> {
	const { calls, requests } = emulator.ledger;
	const uid = calls.at(-1)?.vendorId ?? 0;
	const asked = requests.length;
	const execution = await runNode(client, credential, exampleParameters(name, uid));
	if (execution.error) throw new Error(execution.error.message);
	if (itemsOf(execution, NODE).length !== 1) throw new Error('it gave no item');
	if (requests.length === asked) throw new Error('nothing was asked');
}
