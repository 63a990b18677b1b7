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
import { type NpmStandIn, startNpmStandIn } from './npmStandIn';
import { runNode } from '../../harness/workflows/nodeRunner';
import { startEmulatedService } from '../../harness/emulatedService';

const ROOT = join(__dirname, '..', '..');
/** To start n8n and run npm on a machine that may be busy, and for n8n alone, which may run npm when it starts. */
const LIMIT = 900_000;
const START_LIMIT = 600_000;

describe.each(instances)('an empty n8n $version', ({ line }) => {
	let folder: string;
	let npm: NpmStandIn;
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
			startLimit: START_LIMIT,
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
			{ what: 'n8n has told its editor about the package', limit: START_LIMIT },
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

	/** The package in the list of those that n8n installs when it starts. */
	const listed = (more: Readonly<Record<string, string>> = {}) => ({
		N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
		N8N_COMMUNITY_PACKAGES: JSON.stringify([
			{ name: manifest.name, version: manifest.version, ...more },
		]),
	});

	test(
		'has the packages listed in its environment from the start',
		async () => {
			await expectToWork(await start(listed()));
		},
		LIMIT,
	);

	// The default of n8n 3.0.
	describe('that does not allow unverified packages', () => {
		const settings = { N8N_UNVERIFIED_PACKAGES_ENABLED: 'false' };

		test(
			'refuses to install the package, and says why',
			async () => {
				const client = await start(settings);
				const body = { name: manifest.name };

				await expect(client.session.post('/community-packages', body, z.any())).rejects.toThrow(
					'Installation of unverified community packages is forbidden!',
				);
				expect(await client.nodeTypes.ofPackage(manifest.name)).toEqual([]);
			},
			LIMIT,
		);

		test(
			'does not start if the package is listed without its checksum, and says so',
			async () => {
				const { name, version } = manifest;
				await expect(start({ ...settings, ...listed() })).rejects.toThrow(
					`no checksum available for '${name}@${version}' and unverified packages are disabled`,
				);
			},
			LIMIT,
		);

		test(
			'installs the package if it is listed with its checksum',
			async () => {
				await expectToWork(await start({ ...settings, ...listed({ checksum: npm.integrity }) }));
			},
			LIMIT,
		);
	});
});
