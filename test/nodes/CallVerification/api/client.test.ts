import type { IHttpRequestOptions } from 'n8n-workflow';

import type { HttpAnswer } from '../../../../nodes/CallVerification/api/answer';
import type { ServiceAccess } from '../../../../nodes/CallVerification/api/address';
import { ServiceClient } from '../../../../nodes/CallVerification/api/client';
import {
	getBalance,
	inboundCallWaiting,
	initCall,
	initRepeat,
} from '../../../../nodes/CallVerification/api/contract/methods';

const ONE = 'https://one.test';
const TWO = 'http://two.test';
const ANSWER = {
	status: true,
	vendor_id: 1,
	rub_balance: 1,
	confirmation_number: '7',
};
const OPTIONS = { timeout: 30_000 };
const never = () => new AbortController().signal;

const broken = (code: string) => async () => {
	throw Object.assign(new Error(code), { code });
};
const answering = async (): Promise<HttpAnswer> => ({ statusCode: 200, headers: {}, body: ANSWER });

/** A client whose addresses behave as told, and the paths of what it sent. */
function clientWith(
	baseUrls: ServiceAccess['baseUrls'],
	behaviour: Record<string, () => Promise<HttpAnswer>>,
	deadline = never,
) {
	const sent: string[] = [];
	const transport = async (request: IHttpRequestOptions): Promise<HttpAnswer> => {
		sent.push(request.url.replace('/v1.0', ''));
		return await (behaviour[new URL(request.url).origin] ?? answering)();
	};
	return { sent, client: new ServiceClient({ baseUrls, secretKey: 'k' }, { transport, deadline }) };
}

describe('the fallback to the alternate address', () => {
	it.each([
		'ECONNREFUSED',
		'ENOTFOUND',
		'EPROTO',
		'CERT_HAS_EXPIRED',
		'ECONNRESET',
		'ECONNABORTED',
	])('happens after %s, and the run stays there', async (code) => {
		const { client, sent } = clientWith([ONE, TWO], { [ONE]: broken(code) });
		await client.send(getBalance, {}, OPTIONS);
		await client.send(getBalance, {}, OPTIONS);
		expect(sent).toEqual([`${ONE}/getBalance`, `${TWO}/getBalance`, `${TWO}/getBalance`]);
	});

	it('does not happen because of an answer, whatever it says', async () => {
		const down = async () => ({ statusCode: 503, headers: {}, body: 'down' });
		const { client, sent } = clientWith([ONE, TWO], { [ONE]: down });
		await expect(client.send(getBalance, {}, OPTIONS)).rejects.toThrow('HTTP status 503');
		expect(sent).toEqual([`${ONE}/getBalance`]);
	});

	it('does not happen without an alternate address', async () => {
		const { client, sent } = clientWith([ONE], { [ONE]: broken('ECONNREFUSED') });
		await expect(client.send(getBalance, {}, OPTIONS)).rejects.toThrow('cannot be reached');
		expect(sent).toEqual([`${ONE}/getBalance`]);
	});

	it('fails with the second address when that cannot be reached either', async () => {
		const { client, sent } = clientWith([ONE, TWO], {
			[ONE]: broken('ECONNREFUSED'),
			[TWO]: broken('ENOTFOUND'),
		});
		await expect(client.send(getBalance, {}, OPTIONS)).rejects.toThrow('name of its host');
		expect(sent).toEqual([`${ONE}/getBalance`, `${TWO}/getBalance`]);
	});

	it('sends a call again only with its idempotency key', async () => {
		const keyed = clientWith([ONE, TWO], { [ONE]: broken('ECONNRESET') });
		await keyed.client.send(initCall, { phone: 79000000001, unique: 'u' }, OPTIONS);
		expect(keyed.sent).toEqual([`${ONE}/initCall`, `${TWO}/initCall`]);
	});

	it.each([
		['initRepeat', initRepeat, { uid: 1 }],
		[
			'inboundCallWaiting',
			inboundCallWaiting,
			{ phone: 79000000001, callback_url: 'https://x.test' },
		],
		['initCall without a key', initCall, { phone: 79000000001 }],
	] as const)(
		'asks a harmless question first for %s, which must not be sent twice',
		async (_what, method, request) => {
			const { client, sent } = clientWith([ONE, TWO], { [ONE]: broken('ECONNRESET') });
			await client.send(method, request, OPTIONS);
			expect(sent).toEqual([`${ONE}/getBalance`, `${TWO}/getBalance`, `${TWO}/${method.name}`]);
		},
	);

	it('asks no question where the address has answered before', async () => {
		const { client, sent } = clientWith([ONE, TWO], {});
		await client.send(getBalance, {}, OPTIONS);
		await client.send(initRepeat, { uid: 1 }, OPTIONS);
		expect(sent).toEqual([`${ONE}/getBalance`, `${ONE}/initRepeat`]);
	});

	it('never sends what must not be sent twice to a second address', async () => {
		let isReachable = true;
		const { client, sent } = clientWith([ONE, TWO], {
			[ONE]: async () => (isReachable ? await answering() : await broken('ECONNRESET')()),
		});
		await client.send(getBalance, {}, OPTIONS);
		isReachable = false;
		await expect(client.send(initRepeat, { uid: 1 }, OPTIONS)).rejects.toThrow('broke off');
		expect(sent).toEqual([`${ONE}/getBalance`, `${ONE}/initRepeat`]);
	});
});

describe('the time limit', () => {
	it('is the whole request’s: a body that drips does not outlive it', async () => {
		const limit = new AbortController();
		const dripping = async () => await new Promise<HttpAnswer>(() => {});
		const { client } = clientWith([ONE], { [ONE]: dripping }, () => limit.signal);
		const sending = client.send(getBalance, {}, OPTIONS);
		limit.abort();
		await expect(sending).rejects.toThrow('did not answer within the time limit');
	});

	it('is told to n8n as well, so that the connection is closed', async () => {
		const requests: IHttpRequestOptions[] = [];
		const client = new ServiceClient(
			{ baseUrls: [ONE], secretKey: 'k' },
			{
				transport: async (request) => {
					requests.push(request);
					return await answering();
				},
				deadline: never,
			},
		);
		await client.send(getBalance, {}, { timeout: 12_000 });
		expect(requests[0]?.timeout).toBe(12_000);
	});

	it('leaves no listener behind', async () => {
		const limit = new AbortController();
		const removed = jest.spyOn(limit.signal, 'removeEventListener');
		const { client } = clientWith([ONE], {}, () => limit.signal);
		await client.send(getBalance, {}, OPTIONS);
		expect(removed).toHaveBeenCalledTimes(1);
	});
});
