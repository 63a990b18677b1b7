import { parseArgs } from 'node:util';
import { callWebhook } from '../harness';
import { siteHeaders } from '../harness/workflows/siteRequests';
import { SITE_SECRET } from './demo/importExamples';

const USAGE = `Usage: npm run -s request -- [--get] URL name=value …

Sends a request to a webhook that "npm start" has published, with a token, as the server of a site would.
--get  send the values in the URL, not in the body`;

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { get: { type: 'boolean' } },
	});
	const [address, ...pairs] = positionals;
	if (address === undefined) return console.log(USAGE);
	const fields = Object.fromEntries(
		pairs.map((pair) => {
			const [name = ''] = pair.split('=', 1);
			return [name, pair.slice(name.length + 1)];
		}),
	);
	const headers = siteHeaders(SITE_SECRET);
	const url = new URL(address);
	if (values.get) url.search = new URLSearchParams(fields).toString();
	const { status, text } = values.get
		? await callWebhook(url.href, { method: 'GET', headers })
		: await callWebhook(url.href, { body: fields, headers });
	console.log(`${status} ${text}`);
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
