import { type RunningN8n, connect, itemsOf, type N8nClient } from '../../harness';
import { exampleParameters } from '../../harness/workflows/exampleParameters';
import { loadedOperations } from '../../harness/workflows/loadedOperations';
import { NODE, runNode } from '../../harness/workflows/nodeRunner';
import {
	CREDENTIAL_TYPE,
	type EmulatedService,
	startEmulatedService,
} from '../../harness/workflows/emulatedService';
import { inboundCall } from './inboundCall';
import type { TriedN8n } from './results';

const PACKAGE = 'n8n-nodes-call-verification';
const START = 'call.start';
const WAIT = 'inboundCall.wait';
const NODE_TYPES = ['callVerification', 'callVerificationTrigger'];

/** Lists the nodes, runs every operation, a trigger event and a Wait; a failure is noted, and the rest continues. */
export async function tryN8n(n8n: RunningN8n): Promise<Omit<TriedN8n, 'node' | 'date'>> {
	const client = await connect(n8n);
	const service = await startEmulatedService(client);
	const problems: string[] = [];
	const attempt = async <T>(what: string, action: () => Promise<T>): Promise<T | undefined> => {
		try {
			return await action();
		} catch (error) {
			problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
			return undefined;
		}
	};
	try {
		const nodeTypes = (await attempt('list', async () => await listed(client))) ?? [];
		const operations = await loadedOperations(client);
		for (const operation of inOrder(operations)) {
			await attempt(operation, async () => await runOnce(client, service, operation));
		}
		const event = await attempt(
			'trigger event',
			async () => await inboundCall(n8n, client, service, 'trigger'),
		);
		const wait = await attempt(
			'Wait',
			async () => await inboundCall(n8n, client, service, 'execution'),
		);
		return {
			n8n: n8n.version,
			nodeTypes,
			operations,
			triggerEvent: event !== undefined,
			wait: wait !== undefined,
			resumeToken: wait?.searchParams.has('signature') ?? false,
			problems,
		};
	} finally {
		await service.emulator.close();
	}
}

async function listed(client: N8nClient): Promise<string[]> {
	const types = await client.nodeTypes.ofPackage(PACKAGE);
	const names = types.map(({ name }) => name.slice(PACKAGE.length + 1)).sort();
	const missing = NODE_TYPES.filter((name) => !names.includes(name));
	if (missing.length > 0) throw new Error(`n8n does not list ${missing.join(', ')}`);
	if (!(await client.nodeTypes.credential(CREDENTIAL_TYPE))) throw new Error('no credential');
	return names;
}

/** Call: Start comes first, because others need an existing call. Wait has its own workflow. */
function inOrder(operations: readonly string[]): string[] {
	return [START, ...operations.filter((name) => name !== START && name !== WAIT)];
}

async function runOnce(client: N8nClient, service: EmulatedService, name: string): Promise<void> {
	const uid = service.emulator.ledger.calls.at(-1)?.vendorId ?? 0;
	const asked = service.emulator.ledger.requests.length;
	const parameters = exampleParameters(name, uid);
	const execution = await runNode(client, service.credential, parameters);
	if (execution.error) throw new Error(execution.error.message);
	if (itemsOf(execution, NODE).length !== 1) throw new Error('it gave no item');
	if (service.emulator.ledger.requests.length === asked) throw new Error('nothing was asked');
}
