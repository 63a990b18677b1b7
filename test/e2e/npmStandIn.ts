import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

import { ownCertificate } from '../../harness/process/ownCertificate';

/** Where npm, and so n8n, looks for packages by default. */
const HOST = new URL(
	execFileSync(
		'npm',
		['config', 'get', 'registry', '--userconfig=none', '--globalconfig=no-other'],
		{
			cwd: tmpdir(),
			encoding: 'utf8',
			env: { PATH: process.env.PATH, HOME: tmpdir() },
		},
	).trim(),
).host;

export interface NpmStandIn {
	/** Environment variables that make n8n use this as npm's registry. */
	readonly settings: Readonly<Record<string, string>>;
	/** The requested paths. */
	readonly asked: readonly string[];
	close(): Promise<void>;
}

interface Manifest {
	readonly name: string;
	readonly version: string;
}

/**
 * An npm registry with one package, on loopback. n8n installs from another registry only with a licence, so this one is
 * reached through a proxy, as a company's mirror might be.
 */
export async function startNpmStandIn(manifest: Manifest, tarball: string): Promise<NpmStandIn> {
	const packed = await readFile(tarball);
	const { name, version } = manifest;
	const tarballPath = `/${name}/-/${name}-${version}.tgz`;
	const published = {
		...manifest,
		dist: {
			tarball: `https://${HOST}${tarballPath}`,
			integrity: `sha512-${createHash('sha512').update(packed).digest('base64')}`,
			shasum: createHash('sha1').update(packed).digest('hex'),
		},
	};
	const documents: Readonly<Record<string, object>> = {
		[`/${name}`]: { name, 'dist-tags': { latest: version }, versions: { [version]: published } },
		[`/${name}/latest`]: published,
		[`/${name}/${version}`]: published,
	};
	const asked: string[] = [];
	const answer: RequestListener = ({ url = '' }, response) => {
		const { pathname } = new URL(url, `https://${HOST}`);
		asked.push(pathname);
		if (pathname === tarballPath) return response.end(packed);
		const document = documents[pathname];
		response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
		return response.end(JSON.stringify(document ?? {}));
	};

	const { key, cert } = ownCertificate(`DNS:${HOST}`);
	const registry = createTlsServer({ key, cert }, answer).listen(0, '127.0.0.1');
	const proxy = createServer(answer).listen(0, '127.0.0.1');
	await Promise.all([once(registry, 'listening'), once(proxy, 'listening')]);
	// The server no longer tracks a tunnel's connection, but close() waits for it.
	const tunnels = new Set<Duplex>();
	proxy.on('connect', ({ url }, client) => {
		if (url !== `${HOST}:443`) return client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
		const onward = connect((registry.address() as AddressInfo).port, '127.0.0.1', () => {
			client.write('HTTP/1.1 200 OK\r\n\r\n');
			onward.pipe(client).pipe(onward);
		});
		tunnels.add(client).add(onward);
		client.on('error', () => onward.destroy());
		return onward.on('error', () => client.destroy());
	});

	const folder = await mkdtemp(join(tmpdir(), 'call-verification-npm-'));
	const certificateFile = join(folder, 'certificate.pem');
	await writeFile(certificateFile, cert);
	const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	return {
		settings: {
			HTTPS_PROXY: address,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: certificateFile,
		},
		asked,
		close: async () => {
			for (const tunnel of tunnels) tunnel.destroy();
			registry.closeAllConnections();
			proxy.closeAllConnections();
			await Promise.all([once(registry.close(), 'close'), once(proxy.close(), 'close')]);
			await rm(folder, { recursive: true, force: true });
		},
	};
}
