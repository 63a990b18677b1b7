import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';

import { type HttpsStandIn, startHttpsStandIn } from './httpsStandIn';

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

interface Manifest {
	readonly name: string;
	readonly version: string;
}

export interface NpmStandIn extends HttpsStandIn {
	/** The checksum of the package's one version, as npm states it. */
	readonly integrity: string;
}

/** An npm registry with one package. n8n installs from another registry only with a licence, so it stands in for npm's. */
export async function startNpmStandIn(manifest: Manifest, tarball: string): Promise<NpmStandIn> {
	const packed = await readFile(tarball);
	const { name, version } = manifest;
	const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
	const tarballPath = `/${name}/-/${name}-${version}.tgz`;
	const published = {
		...manifest,
		dist: {
			tarball: `https://${HOST}${tarballPath}`,
			integrity,
			shasum: createHash('sha1').update(packed).digest('hex'),
		},
	};
	const documents: Readonly<Record<string, object>> = {
		[`/${name}`]: { name, 'dist-tags': { latest: version }, versions: { [version]: published } },
		[`/${name}/latest`]: published,
		[`/${name}/${version}`]: published,
	};
	const standIn = await startHttpsStandIn([HOST], ({ url = '' }, response) => {
		const { pathname } = new URL(url, `https://${HOST}`);
		if (pathname === tarballPath) return response.end(packed);
		const document = documents[pathname];
		response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
		return response.end(JSON.stringify(document ?? {}));
	});
	return { ...standIn, integrity };
}
