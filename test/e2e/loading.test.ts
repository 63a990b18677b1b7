import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetch } from 'undici';
import { z } from 'zod';
import { connect, type N8nClient } from '../../harness';
import { instances } from './instances';
import { CREDENTIAL_TYPE } from '../../harness/workflows/emulatedService';

const PACKAGE = 'n8n-nodes-call-verification';

const manifest = z
	.object({ n8n: z.object({ nodes: z.array(z.string()) }) })
	.parse(JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')));
/** The manifest's "…/CallVerification.node.js" is known to n8n as "callVerification". */
const nodeNames = manifest.n8n.nodes.map((file) => {
	const className = /(\w+)\.node\.js$/.exec(file)?.[1] ?? '';
	return `${PACKAGE}.${className.charAt(0).toLowerCase()}${className.slice(1)}`;
});

const icons = z.object({ light: z.string(), dark: z.string() });

describe.each(instances)('the installed package in n8n $version', ({ line, url }) => {
	let client: N8nClient;

	beforeAll(async () => {
		client = await connect({ line, url });
	});

	test('gives n8n every node of its manifest, and the action node as a tool', async () => {
		const types = await client.nodeTypes.ofPackage(PACKAGE);

		expect(nodeNames).toContain(`${PACKAGE}.callVerification`);
		expect(types.map(({ name }) => name).sort()).toEqual(
			[...nodeNames, `${PACKAGE}.callVerificationTool`].sort(),
		);
	});

	test('gives n8n its credential', async () => {
		const credential = await client.nodeTypes.credential(CREDENTIAL_TYPE);

		expect(credential?.displayName).toBe('Call Verification API');
	});

	test('has a light and a dark icon wherever n8n shows one', async () => {
		const types = [
			...(await client.nodeTypes.ofPackage(PACKAGE)),
			await client.nodeTypes.credential(CREDENTIAL_TYPE),
		];

		const { cookie } = client.session.authentication;
		for (const type of types) {
			const { light, dark } = icons.parse(type?.iconUrl);
			for (const path of [light, dark]) {
				const answer = await fetch(`${url}/${path}`, { headers: { cookie } });
				expect(answer.status).toBe(200);
				expect(await answer.text()).toContain('<svg');
			}
		}
	});
});
