import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

import manifest from '../../package.json';
import {
	connect,
	itemsOf,
	n8nProgram,
	packPackage,
	type RunningN8n,
	startN8n,
	waitUntil,
} from '../../harness';
import { instances } from './instances';
import type { HttpsStandIn } from './httpsStandIn';
import { startNpmStandIn } from './npmStandIn';
import { runNode } from '../../harness/workflows/nodeRunner';
import { startEmulatedService } from '../../harness/workflows/emulatedService';

const ROOT = join(__dirname, '..', '..');
/** Starts n8n and runs npm, on a machine that may be busy. */
const LIMIT = 300_000;

describe.each(instances)('an empty n8n $version', ({ line }) => {
	let folder: string;
	let npm: HttpsStandIn;
	let n8n: RunningN8n | undefined;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'call-verification-installing-'));
		npm = await startNpmStandIn(manifest, await packPackage(ROOT, folder));
	});

	afterEach(async () => {
		await n8n?.stop();
		n8n = undefined;
	});

	afterAll(async () => {
		await npm?.close();
		await rm(folder, { recursive: true, force: true });
	});

	const start = async (settings: Readonly<Record<string, string>> = {}) => {
		n8n = await startN8n(await n8nProgram(line), {
			settings: { ...npm.settings, ...settings },
			startLimit: LIMIT,
		});
		return await connect(n8n);
	};

	/** Expects both nodes and the tool to be installed, and one of them to work. */
	const expectToWork = async (client: Awaited<ReturnType<typeof start>>) => {
		const types = await waitUntil(
			async () => {
				const found = await client.nodeTypes.ofPackage(manifest.name);
				return found.length > 0 ? found : undefined;
			},
			{ what: 'n8n has told its editor about the package', limit: 30_000 },
		);
		expect(types.map(({ name }) => name).sort()).toEqual([
			'n8n-nodes-call-verification.callVerification',
			'n8n-nodes-call-verification.callVerificationTool',
			'n8n-nodes-call-verification.callVerificationTrigger',
		]);
		const { emulator, credential } = await startEmulatedService(client);
		const execution = await runNode(client, credential, {
			resource: 'account',
			operation: 'getBalance',
		});
		await emulator.close();
		expect(itemsOf(execution, 'Call Verification')).toEqual([
			expect.objectContaining({ status: true }),
		]);
	};

	test(
		'installs the package as Settings → Community nodes does, without a restart',
		async () => {
			const client = await start();
			expect(await client.nodeTypes.ofPackage(manifest.name)).toEqual([]);

			const body = { name: manifest.name };
			const installed = await client.session.post('/community-packages', body, z.any());

			expect(installed).toMatchObject({ installedVersion: manifest.version });
			await expectToWork(client);
		},
		LIMIT,
	);

	if (line === '1.x') return;

	test(
		'has the packages listed in its environment from the start',
		async () => {
			const packages = [{ name: manifest.name, version: manifest.version }];
			const client = await start({
				N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
				N8N_COMMUNITY_PACKAGES: JSON.stringify(packages),
			});

			await expectToWork(client);
		},
		LIMIT,
	);
});
