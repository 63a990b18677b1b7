import {
	connect,
	freePorts,
	type N8nClient,
	type Owner,
	RestError,
	SetupProblem,
	stopOnSignal,
	waitUntil,
} from '../../harness';
import { statusOf } from '../../harness/process/startN8n';
import { type EmulatedService, startEmulatedService } from '../../harness/emulatedService';
import type { TriedN8n } from './results';
import { tryExamples } from './tryExamples';
import { tryN8n } from './tryN8n';

const START_LIMIT = 120_000;

/** An n8n that somebody else has started, with the package installed. */
export interface ForeignN8n {
	/** Without a trailing slash. */
	readonly url: string;
	readonly owner: Owner;
	/** The name by which that n8n reaches this machine, if it is not on this machine itself. */
	readonly serviceHost?: string;
}

/** Tries what is tried in the other versions, and the examples. Deletes what it has created. */
export async function tryForeignN8n({ url, owner, serviceHost }: ForeignN8n): Promise<TriedN8n> {
	await untilReady(url);
	const client = await connect({ url }, owner).catch((error: unknown) => {
		if (!(error instanceof RestError && error.status === 401)) throw error;
		throw new SetupProblem(
			`${url} refuses the password of ${owner.email}. Check --email and N8N_PASSWORD.`,
		);
	});
	console.log(`Signed in to n8n ${client.version} at ${url}`);
	const cleanUp = async () => {
		await client.workflows.deleteCreated();
		await client.credentials.deleteCreated();
		await client.dataTables.deleteCreated();
	};
	stopOnSignal(cleanUp);
	const service = await startService(client, serviceHost);
	try {
		const n8n = { url, client, ...service };
		const tried = await tryN8n(n8n);
		const problems = await tryExamples(n8n);
		if (problems.length === 0) console.log('The examples with a form or an API work, too.');
		return { ...tried, problems: [...tried.problems, ...problems] };
	} finally {
		await service.emulator.close();
		await cleanUp();
	}
}

/** It may have been started a moment ago. */
async function untilReady(url: string): Promise<void> {
	let seen: number | string = '';
	await waitUntil(
		async () => {
			seen = await statusOf(`${url}/rest/settings`);
			return seen === 200 || undefined;
		},
		{ what: `an n8n is ready at ${url}`, limit: START_LIMIT, seen: () => String(seen) },
	);
}

/** On loopback, unless n8n is elsewhere. */
async function startService(client: N8nClient, host?: string): Promise<EmulatedService> {
	if (host === undefined) return await startEmulatedService(client);
	const [port = 0] = await freePorts(1);
	const baseUrl = `http://${host}:${port}`;
	return await startEmulatedService(client, { host: '0.0.0.0', port }, { baseUrl });
}
