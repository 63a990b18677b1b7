import type { RequestListener } from 'node:http';
import type { Emulator } from '../../emulator/emulator';
import { credentialData, startService } from '../../harness/emulatedService';
import { freePorts } from '../../harness';
import { describeInN8n } from './inN8n';
import {
	htmlPage,
	notFound,
	outOfService,
	redirectTo,
	startOtherServer,
} from '../../harness/workflows/otherServers';
import { testButtonWords } from './testButtonWords';

/** What is entered, given the service and an address where nothing listens. */
type Entered = (service: Emulator, nobody: string) => Readonly<Record<string, string>>;

describeInN8n('the Test button of the credential', {}, (n8n) => {
	const press = async (entered: Entered) => {
		const [port = 0] = await freePorts(1);
		const changes = entered(n8n.emulator, `http://127.0.0.1:${port}`);
		return await n8n.client.credentials.test(n8n.credential, credentialData(n8n.emulator, changes));
	};
	const expectGreen = async (entered: Entered) => {
		expect(await press(entered)).toEqual({ status: 'OK', message: 'Connection successful!' });
	};
	const expectRed = async (message: RegExp, entered: Entered) => {
		const red = { status: 'Error', message: expect.stringMatching(message) };
		expect(await press(entered)).toEqual(red);
	};

	test.each([
		['header', 'POST', 'header'],
		['body', 'POST', 'json'],
		['query', 'GET', 'query'],
	])('is green with the %s scheme', async (authScheme, verb, scheme) => {
		await expectGreen(() => ({ authScheme }));

		const last = n8n.emulator.ledger.requests.at(-1);
		expect(last).toMatchObject({ method: 'getBalance', verb, scheme });
	});

	test.each<[string, Entered]>([
		[
			'the base address is used and leads to the service',
			(_service, nobody) => ({ addressMode: 'primary', alternateBaseUrl: nobody }),
		],
		[
			'the alternate address is used and leads to the service',
			({ url }, nobody) => ({ baseUrl: nobody, addressMode: 'alternate', alternateBaseUrl: url }),
		],
		['the version was pasted with the address', ({ url }) => ({ baseUrl: `${url}/v1.0/` })],
		[
			'a line break was pasted with key and service ID',
			({ secretKey, serviceId }) => ({
				secretKey: ` ${secretKey}\n`,
				serviceId: `${serviceId}\r\n`,
			}),
		],
	])('is green when %s', async (_when, entered) => await expectGreen(entered));

	test.each<[string, RegExp, Entered]>([
		['a wrong key', testButtonWords.wrongKey, () => ({ secretKey: 'wrong' })],
		[
			'an https:// address that speaks plain HTTP',
			testButtonWords.plainHttp,
			({ url }) => ({ baseUrl: url.replace('http:', 'https:') }),
		],
		[
			'an address with something after it',
			/^“Base URL” in the credential has a “\?” after the address\. /,
			({ url }) => ({ baseUrl: `${url}?a=1` }),
		],
		[
			'an address where nothing listens',
			testButtonWords.nothingListens,
			(_service, nobody) => ({ baseUrl: nobody }),
		],
	])('is red for %s', async (_for, message, entered) => await expectRed(message, entered));

	test('is red for a wrong key that is refused with HTTP 200', async () => {
		const polite = await startService({ errorStatus: '200' });
		await expectRed(testButtonWords.wrongKey, () => ({ baseUrl: polite.url, secretKey: 'wrong' }));
		await polite.close();
	});

	test.each<[string, RegExp, RequestListener]>([
		['a web page', testButtonWords.webPage, htmlPage],
		['a server that knows no such path', testButtonWords.notFound, notFound],
		['a service that is down', testButtonWords.outOfService, outOfService],
	])('is red for %s', async (_for, message, listener) => {
		const other = await startOtherServer(listener);
		await expectRed(message, () => ({ baseUrl: other.url }));
		other.close();
	});

	test('is red for an address that redirects, and the key is not sent on', async () => {
		const target = await startOtherServer(htmlPage);
		const redirecting = await startOtherServer(redirectTo(target.url));

		await expectRed(testButtonWords.redirect, () => ({ baseUrl: redirecting.url }));
		redirecting.close();
		target.close();

		expect(redirecting.paths).toEqual(['/v1.0/getBalance']);
		expect(target.paths).toEqual([]);
	});
});
