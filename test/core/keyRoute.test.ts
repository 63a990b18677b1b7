import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import type { IExecuteFunctions } from 'n8n-workflow';
import nock from 'nock';

import {
	htmlPage,
	type OtherServer,
	redirectTo,
	startOtherServer,
} from '../../harness/workflows/otherServers';
import { CallVerification } from '../../harness/engine/builtPackage';
import { credential, runNode, SECRET_KEY } from '../../harness/engine/n8nCore';

/** The credential as used by other nodes, with n8n's own request code and real connections. */

const TYPE = 'callVerificationApi';
const SCHEMES = ['header', 'body', 'query'];

interface Asked {
	readonly url: string;
	readonly method?: 'GET' | 'POST';
	readonly options?: object;
}

type Send = (node: IExecuteFunctions, asked: Asked) => Promise<unknown>;

/** n8n has two request forms: its HTTP Request node uses the older one, most other nodes the newer. */
const older: Send = async (node, { url, method = 'POST', options }) =>
	await node.helpers.requestWithAuthentication.call(node, TYPE, { uri: url, method, ...options });
const newer: Send = async (node, { url, method = 'POST', options }) =>
	await node.helpers.httpRequestWithAuthentication.call(node, TYPE, { url, method, ...options });

let service: OtherServer;
let elsewhere: OtherServer;

beforeAll(() => nock.restore());

beforeEach(async () => {
	service = await startOtherServer(htmlPage);
	elsewhere = await startOtherServer(htmlPage);
});

afterEach(() => {
	service.close();
	elsewhere.close();
});

/** Runs a node that sends this request with our credential. */
async function ask(send: Send, baseUrl: string, authScheme: string, asked: Asked) {
	const implementation = Object.assign(new CallVerification(), {
		async execute(this: IExecuteFunctions) {
			await send(this, asked);
			return [[]];
		},
	});
	const { error } = await runNode({
		parameters: { resource: 'account', operation: 'getBalance' },
		credential: credential({ baseUrl, authScheme }),
		implementation,
	});
	return error;
}

describe.each([
	[
		'older',
		older,
		{ rejectUnauthorized: false },
		{ followRedirect: true, followAllRedirects: true, maxRedirects: 5 },
	],
	['newer', newer, { skipSslCertificateValidation: true }, { maxRedirects: 5 }],
] as const)('the key, with a request of the %s form', (_form, send, unchecked, following) => {
	it.each(SCHEMES)('does not reach a proxy that the node names (%s scheme)', async (scheme) => {
		const { hostname: host, port } = new URL(elsewhere.url);
		for (const baseUrl of [service.url, 'https://service.test']) {
			for (const proxy of [elsewhere.url, { host, port: Number(port) }]) {
				const options = { proxy, ...unchecked };
				const error = await ask(send, baseUrl, scheme, { url: `${baseUrl}/x`, options });
				expect(error?.message).toContain('not sent through a proxy set in the node');
				expect(error?.description).toContain('Remove the option “Proxy”');
			}
		}
		expect([...elsewhere.received, ...service.received]).toEqual([]);
	});

	it.each(SCHEMES)('reaches the proxy of n8n’s own environment (%s scheme)', async (scheme) => {
		const { url: proxy } = elsewhere;
		const settings = { http_proxy: proxy, https_proxy: proxy, no_proxy: '', NO_PROXY: '' };
		const environment = jest.replaceProperty(process, 'env', { ...process.env, ...settings });
		const plain = await ask(send, 'http://service.test', scheme, { url: 'http://service.test/x' });
		await ask(send, 'https://service.test', scheme, { url: 'https://service.test/x' });
		environment.restore();

		expect(plain).toBeUndefined();
		expect(elsewhere.paths[0]).toMatch(/^http:\/\/service\.test\/x/);
		expect(elsewhere.received[0]).toContain(SECRET_KEY);
		// With https the key is inside the encrypted connection, which the proxy only forwards.
		expect(elsewhere.received[1]).toContain('CONNECT service.test:443');
		expect(elsewhere.received[1]).not.toContain(SECRET_KEY);
	});

	it.each([
		['checks off', unchecked],
		['checks off deeper down', { agentOptions: { rejectUnauthorized: false } }],
		['a judge of their own', { agentOptions: { checkServerIdentity: () => undefined } }],
	])('opens no connection with %s', async (_what, options) => {
		let connections = 0;
		const server = createServer((socket) => {
			connections += 1;
			socket.destroy();
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const error = await ask(send, baseUrl, 'header', { url: `${baseUrl}/x`, options });
		server.close();
		expect(error?.message).toContain('not sent without n8n’s own certificate checks');
		expect(connections).toBe(0);
	});

	it('does not reach the server that the node’s agent would connect to', async () => {
		const { hostname: host, port } = new URL(elsewhere.url);
		const options = { agentOptions: { host, port: Number(port) } };
		await ask(send, service.url, 'header', { url: `${service.url}/x`, options });
		expect(elsewhere.received).toEqual([]);
	});

	it.each(SCHEMES.flatMap((scheme) => [301, 302, 303, 307, 308].map((status) => [scheme, status])))(
		'does not follow a redirect (%s scheme, %i)',
		async (scheme, status) => {
			const moved = await startOtherServer(redirectTo(elsewhere.url, Number(status)));
			const codes = [];
			for (const method of ['GET', 'POST'] as const) {
				for (const options of [{}, following]) {
					const asked = { url: `${moved.url}/x`, method, options };
					codes.push((await ask(send, moved.url, String(scheme), asked))?.httpCode);
				}
			}
			moved.close();
			expect(codes).toEqual(Array(4).fill(String(status)));
			expect(elsewhere.received).toEqual([]);
		},
	);
});

describe('what the node wrote', () => {
	const json = { 'content-type': 'application/json' };
	const plain = { 'content-type': 'text/plain' };

	it.each([
		['text', older, { body: 'phone = 7', headers: plain }, 'phone = 7'],
		['JSON as text', older, { body: '{"phone": 7}', headers: json }, '{"phone": 7}'],
		['JSON', older, { body: { phone: 7 }, json: true }, '{"phone":7}'],
		['a list', older, { body: [7], json: true }, '[7]'],
		['a file', older, { body: Buffer.from('phone'), headers: plain }, 'phone'],
		['a form', older, { form: { phone: '7', a: 'b c' } }, 'phone=7&a=b%20c'],
		['a form with files', older, { formData: { phone: '7' } }, 'name="phone"\r\n\r\n7\r\n'],
		['text', newer, { body: 'phone = 7', headers: plain }, 'phone = 7'],
		['a file', newer, { body: Buffer.from('phone'), headers: plain }, 'phone'],
		['a form', newer, { body: new URLSearchParams({ phone: '7' }) }, 'phone=7'],
	])('goes out with the header scheme: %s', async (_what, send, options, written) => {
		const asked = { url: `${service.url}/x`, options };
		expect(await ask(send, service.url, 'header', asked)).toBeUndefined();
		const [request = ''] = service.received;
		expect(request).toMatch(/^POST \/x\n/);
		expect(request).toContain(SECRET_KEY);
		expect(request).toContain(written);
		expect(request).not.toContain('{}');
	});

	it.each([
		['text', older, { body: 'phone = 7' }],
		['a form', older, { form: { phone: '7' } }],
		['a file', newer, { body: Buffer.from('{}') }],
	])('is refused with the JSON Body scheme: %s', async (_what, send, options) => {
		const error = await ask(send, service.url, 'body', { url: `${service.url}/x`, options });
		expect(error?.message).toContain('the body must be a JSON object');
		expect(error?.description).toContain('Set “Body Content Type” in the node to JSON');
		expect(service.received).toEqual([]);
	});
});
