import type { RequestListener } from 'node:http';
import type { Emulator } from '../../emulator/emulator';
import { startService } from '../../harness/service';
import { connect, type Credential, freePorts, type N8nClient } from '../../harness';
import { instances } from './instances';
import {
	htmlPage,
	notFound,
	outOfService,
	redirectTo,
	startOtherServer,
} from '../../harness/workflows/otherServers';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/workflows/emulatedService';
import { testButtonWords } from './testButtonWords';

const GREEN = { status: 'OK', message: 'Connection successful!' };

describe.each(instances)('the Test button of the credential in n8n $version', ({ line, url }) => {
	let client: N8nClient;
	let emulator: Emulator;
	let credential: Credential;

	beforeAll(async () => {
		client = await connect({ line, url });
		emulator = await startService();
		const data = credentialData(emulator);
		credential = await client.credentials.create('Tested', CREDENTIAL_TYPE, data);
	});

	afterAll(async () => {
		await emulator.close();
	});

	describe('is green', () => {
		test.each([
			['header', 'POST', 'header'],
			['body', 'POST', 'json'],
			['query', 'GET', 'query'],
		])('with the %s scheme', async (authScheme, verb, scheme) => {
			expect(await pressTest({ authScheme })).toEqual(GREEN);

			expect(emulator.ledger.requests.at(-1)).toMatchObject({ method: 'getBalance', verb, scheme });
		});

		test.each<[string, (service: Emulator, nobody: string) => Record<string, string>]>([
			[
				'the base address is used and leads to the service',
				(_service, nobody) => ({ addressMode: 'primary', alternateBaseUrl: nobody }),
			],
			[
				'the alternate address is used and leads to the service',
				({ url: alternateBaseUrl }, baseUrl) => ({
					baseUrl,
					addressMode: 'alternate',
					alternateBaseUrl,
				}),
			],
			[
				'the version was pasted with the address',
				({ url: address }) => ({ baseUrl: `${address}/v1.0/` }),
			],
			[
				'a line break was pasted with key and service ID',
				({ secretKey, serviceId }) => ({
					secretKey: ` ${secretKey}\n`,
					serviceId: `${serviceId}\r\n`,
				}),
			],
		])('when %s', async (_when, changes) => {
			expect(await pressTest(changes(emulator, await addressOfNobody()))).toEqual(GREEN);
		});
	});

	describe('is red', () => {
		test('for a wrong key that is refused with HTTP 401', async () => {
			await expectRed({ secretKey: 'wrong' }, testButtonWords.wrongKey);

			expect(emulator.ledger.requests.at(-1)?.outcome).toMatchObject({ code: 401 });
		});

		test('for a wrong key that is refused with HTTP 200', async () => {
			const polite = await startService({ errorStatus: '200' });

			await expectRed({ baseUrl: polite.url, secretKey: 'wrong' }, testButtonWords.wrongKey);
			await polite.close();
		});

		test.each<[string, RequestListener, RegExp]>([
			['a web page', htmlPage, testButtonWords.webPage],
			['a server that knows no such path', notFound, testButtonWords.notFound],
			['a service that is down', outOfService, testButtonWords.outOfService],
		])('for %s', async (_title, listener, message) => {
			const other = await startOtherServer(listener);

			await expectRed({ baseUrl: other.url }, message);
			other.close();
		});

		test('for an address that redirects, and the key is not sent on', async () => {
			const target = await startOtherServer(htmlPage);
			const redirecting = await startOtherServer(redirectTo(target.url));

			await expectRed({ baseUrl: redirecting.url }, testButtonWords.redirect);
			redirecting.close();
			target.close();

			expect(redirecting.paths).toEqual(['/v1.0/getBalance']);
			expect(target.paths).toEqual([]);
		});

		test.each<[string, (service: Emulator, nobody: string) => string, RegExp]>([
			[
				'an https:// address that speaks plain HTTP',
				({ url: address }) => address.replace('http:', 'https:'),
				testButtonWords.plainHttp,
			],
			[
				'an address with something after it',
				({ url: address }) => `${address}?a=1`,
				/^“Base URL” in the credential has a “\?” after the address\. /,
			],
			[
				'an address where nothing listens',
				(_service, nobody) => nobody,
				testButtonWords.nothingListens,
			],
		])('for %s', async (_title, baseUrl, message) => {
			await expectRed({ baseUrl: baseUrl(emulator, await addressOfNobody()) }, message);
		});
	});

	async function pressTest(changes: Readonly<Record<string, string>>) {
		return await client.credentials.test(credential, credentialData(emulator, changes));
	}

	async function expectRed(changes: Readonly<Record<string, string>>, message: RegExp) {
		expect(await pressTest(changes)).toEqual({
			status: 'Error',
			message: expect.stringMatching(message),
		});
	}
});

async function addressOfNobody(): Promise<string> {
	const [port = 0] = await freePorts(1);
	return `http://127.0.0.1:${port}`;
}
