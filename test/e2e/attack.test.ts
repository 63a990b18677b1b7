import type { INode, INodeParameters } from 'n8n-workflow';

import { webhookPayload } from '../../emulator/people/inboundCalls';
import {
	callWebhook,
	type Credential,
	type Execution,
	itemsOf,
	productionUrl,
	waitUntil,
} from '../../harness';
import { chain, manualTrigger, nodeOf } from '../../harness/rest/workflowFile';
import { ATTACKS, type Attack, type Honest, HONEST, KEY_ATTACKS, post } from './attacks';
import { describeInN8n, describeInOwnN8n, type InN8n } from './inN8n';
import { inboundNode, NODE, runNode, triggerNode } from '../../harness/workflows/nodeRunner';
import {
	htmlPage,
	type OtherServer,
	redirectTo,
	startOtherServer,
} from '../../harness/workflows/otherServers';
import { type RawAnswer, sendRaw } from './rawRequest';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import { storedFiles } from './storedExecutions';

const PHONE = '79161234567';
const ALLOWED = '192.0.2.10';

/** What the service would send for the last call that it was asked to wait for. */
function lastHonest({ emulator: { ledger } }: InN8n): Honest {
	const wait = ledger.inboundWaits.at(-1);
	if (!wait) throw new Error('Nobody was asked to call');
	return { url: wait.callbackUrl, event: webhookPayload(wait) };
}

const end = nodeOf('End', 'n8n-nodes-base.noOp', 1);

/** A published trigger, and a function that requests a callback for it. */
async function publishTrigger(n8n: InN8n, webhookId: string, parameters: INodeParameters = {}) {
	const { client, credential } = n8n;
	const node = triggerNode(credential, 'Trigger', webhookId);
	const file = chain(
		'Attacked',
		{ ...node, parameters: { ...node.parameters, ...parameters } },
		end,
	);
	const { id } = await client.workflows.create(file);
	await client.workflows.publish(id);
	const ask = async (): Promise<Honest> => {
		await runNode(client, credential, {
			resource: 'inboundCall',
			operation: 'start',
			phone: PHONE,
			callbackTarget: 'trigger',
			callbackUrl: productionUrl(n8n.url, `${webhookId}/inbound-call`),
			options: { reference: 'contact-42' },
		});
		return lastHonest(n8n);
	};
	return { workflowId: id, ask };
}

// The tests play the one proxy in front.
const behindProxy = () => ({ settings: { N8N_PROXY_HOPS: '1', N8N_LOG_LEVEL: 'debug' } });

describeInOwnN8n('attacks on', behindProxy, (n8n) => {
	const { line } = n8n;

	/** Answered by the node in a few words, or by n8n in its own; neither reveals anything. */
	const expectRefusal = ({ statuses }: Attack, { status, text }: RawAnswer, { url }: Honest) => {
		const isExpected = statuses.includes(status);
		expect({ isExpected, status, text }).toEqual({ isExpected: true, status, text });
		if (text.includes('"accepted"')) {
			expect(text).toMatch(/^\{"accepted":false,"reason":"[\w ,"\\]{1,90}"\}$/);
		}
		const secrets = [n8n.emulator.secretKey, new URL(url).searchParams.get('sig') ?? '', PHONE];
		expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
	};

	const expectAlive = async () => {
		expect((await callWebhook(`${n8n.url}/healthz`, { method: 'GET' })).status).toBe(200);
	};

	describe('on the trigger: an event', () => {
		let trigger: Awaited<ReturnType<typeof publishTrigger>>;
		let workflowId: string;
		let honest: Honest;

		beforeAll(async () => {
			trigger = await publishTrigger(n8n, `attacked-${line}`);
			workflowId = trigger.workflowId;
			honest = await trigger.ask();
		});

		test.each(ATTACKS)('$what', async (attack) => {
			expectRefusal(attack, await sendRaw(n8n.url, attack.request(honest)), honest);
		});

		test('after all attacks, nothing has run and n8n still answers', async () => {
			await expectAlive();
			expect(await n8n.client.executions.list(workflowId)).toEqual([]);
		});

		test.each(HONEST)('an honest one %s is accepted', async (what, request) => {
			const own = await trigger.ask();
			const event = { ...own.event, callId: `honest ${what}` };
			const { result, execution } = await n8n.client.executions.startedBy(
				workflowId,
				async () => await sendRaw(n8n.url, request({ ...own, event })),
				{ ran: 'End' },
			);
			expect(result).toMatchObject({ status: 200 });
			expect(itemsOf(execution, 'End')).toEqual([
				expect.objectContaining({ callId: `honest ${what}`, reference: 'contact-42' }),
			]);
			expect(JSON.stringify(execution.nodes.End).length).toBeLessThan(2_000);
		});

		/** Posts the event, then the same one again, then another, to the same sealed URL. */
		test('that was accepted cannot be replayed, and its URL no longer works', async () => {
			const { url, event } = await trigger.ask();
			const before = (await n8n.client.executions.list(workflowId)).length;
			const first = await callWebhook(url, { body: event });
			const again = await callWebhook(url, { body: { ...event, regionName: 'elsewhere' } });
			const other = await callWebhook(url, { body: { ...event, callId: '1' } });
			expect([first.json, again.json]).toEqual([
				{ accepted: true },
				{ accepted: true, duplicate: true },
			]);
			expect(other).toMatchObject({ status: 401, json: { accepted: false } });
			await expectExecutions(before + 1);
		});

		test('whose sender hangs up before the answer, over and over, starts one execution', async () => {
			const own = await trigger.ask();
			const before = (await n8n.client.executions.list(workflowId)).length;
			// From hanging up before n8n has read the event to when the answer comes first.
			let status = 0;
			for (let patience = 5; status === 0; patience *= 1.1) {
				({ status } = await sendRaw(n8n.url, { ...post(own), patience }));
			}
			await expectExecutions(before + 1);
			expect((await callWebhook(own.url, { body: own.event })).json).toMatchObject({
				duplicate: true,
			});
		});

		/** Exactly this many: an extra execution would have started by the time a later event is answered. */
		const expectExecutions = async (count: number) => {
			const marker = await trigger.ask();
			await n8n.client.executions.startedBy(
				workflowId,
				async () => await callWebhook(marker.url, { body: marker.event }),
				{ ran: 'End' },
			);
			expect(await n8n.client.executions.list(workflowId)).toHaveLength(count + 1);
		};
	});

	describe('on a waiting execution: an event', () => {
		let execution: Execution;
		let honest: Honest;

		beforeAll(async () => {
			const { credential } = n8n;
			const { id } = await n8n.client.workflows.create(
				chain(
					'Waiting',
					manualTrigger,
					inboundNode(credential, 'Ask', 'start', { phone: PHONE, callbackTarget: 'execution' }),
					inboundNode(credential, 'Wait', 'wait', {
						uid: '={{ $json.vendor_id }}',
						limitWaitTime: 60,
					}),
					end,
				),
			);
			const started = await n8n.client.workflows.run(id);
			execution = await n8n.client.executions.wait(started, { until: ['waiting'], ran: 'Ask' });
			honest = lastHonest(n8n);
		});

		test.each(ATTACKS)('$what', async (attack) => {
			expectRefusal(attack, await sendRaw(n8n.url, attack.request(honest)), honest);
		});

		test('after all attacks, it still waits, and the honest event resumes it', async () => {
			await expectAlive();
			expect((await n8n.client.executions.get(execution.id)).status).toBe('waiting');

			expect(await sendRaw(n8n.url, post(honest))).toMatchObject({ status: 200 });
			const done = await n8n.client.executions.wait(execution.id, { ran: 'End' });
			expect(itemsOf(done, 'End')[0]).toMatchObject({ received: true });
		});

		test('it cannot be replayed', async () => {
			expect((await sendRaw(n8n.url, post(honest))).status).toBe(409);
		});
	});

	describe('behind a proxy, with an IP allowlist: an event', () => {
		let honest: Honest;

		beforeAll(async () => {
			const parameters = { options: { ipAllowlist: ALLOWED } };
			const trigger = await publishTrigger(n8n, `listed-${line}`, parameters);
			honest = await trigger.ask();
		});

		const postWith = async (headers: Array<[string, string]>) => {
			const { pathname, search } = new URL(honest.url);
			return await sendRaw(n8n.url, {
				path: pathname + search,
				headers: [['Content-Type', 'application/json'], ...headers],
				body: JSON.stringify(honest.event),
			});
		};

		test.each<[string, Array<[string, string]>]>([
			['from the proxy itself', []],
			['that claims a longer proxy chain', [['X-Forwarded-For', `${ALLOWED}, 203.0.113.7`]]],
			[
				'that claims so in two headers',
				[
					['X-Forwarded-For', ALLOWED],
					['X-Forwarded-For', '203.0.113.7'],
				],
			],
			[
				'that uses other headers',
				[
					['X-Real-IP', ALLOWED],
					['Forwarded', `for=${ALLOWED}`],
				],
			],
			['from an invalid address', [['X-Forwarded-For', `${ALLOWED}:1`]]],
		])('%s is refused', async (_what, headers) => {
			expect((await postWith(headers)).status).toBe(403);
		});

		test('from an address on the list is accepted', async () => {
			expect((await postWith([['X-Forwarded-For', `203.0.113.7, ${ALLOWED}`]])).status).toBe(200);
		});
	});

	describe('on the key', () => {
		let elsewhere: OtherServer;

		beforeEach(async () => {
			elsewhere = await startOtherServer(htmlPage);
		});

		afterEach(() => {
			elsewhere.close();
		});

		const credentialWith = async (changes: Readonly<Record<string, string>>) =>
			await n8n.client.credentials.create('Changed', CREDENTIAL_TYPE, { ...n8n.data, ...changes });

		interface Asked {
			readonly parameters?: INodeParameters;
			readonly credential?: Credential;
			readonly certificates?: Credential;
			readonly typeVersion?: number;
			readonly onError?: INode['onError'];
		}

		/** Runs n8n's HTTP Request node with the credential: a POST, unless the parameters say otherwise. */
		const askWith = async (url: string, asked: Asked = {}) => {
			const { parameters, credential = n8n.credential, certificates, onError } = asked;
			const request = {
				...nodeOf('Request', 'n8n-nodes-base.httpRequest', asked.typeVersion ?? 4.2, {
					url,
					method: 'POST',
					authentication: 'predefinedCredentialType',
					nodeCredentialType: CREDENTIAL_TYPE,
					options: {},
					...parameters,
				}),
				credentials: {
					[CREDENTIAL_TYPE]: credential,
					...(certificates && { httpSslAuth: certificates }),
				},
				...(onError && { onError }),
			};
			const { id } = await n8n.client.workflows.create(chain('Key', manualTrigger, request));
			return await n8n.client.run(id);
		};

		test.each(['header', 'body', 'query'])(
			'n8n’s HTTP Request node sends it to the service (%s scheme)',
			async (authScheme) => {
				const credential = await credentialWith({ authScheme });
				const url = `${n8n.emulator.url}/v1.0/getBalance`;
				const execution = await askWith(url, { credential });
				expect(itemsOf(execution, 'Request')[0]).toHaveProperty('rub_balance');
			},
		);

		test.each(KEY_ATTACKS)(
			'n8n’s HTTP Request node sends it nowhere else: $what',
			async ({ refusal, parameters, typeVersion }) => {
				const certificates = await n8n.client.credentials.create('CA', 'httpSslAuth', {
					ca: 'theirs',
				});
				const { status, error } = await askWith(`${n8n.emulator.url}/v1.0/getBalance`, {
					typeVersion,
					parameters: parameters(elsewhere.url),
					certificates,
				});
				expect({ status, message: error?.message }).toEqual({
					status: 'error',
					message: expect.stringContaining(refusal),
				});
				expect(error?.description).toMatch(/^(Use|Remove|Turn off) /);
				expect(elsewhere.received).toEqual([]);
			},
		);

		test.each([
			{ authScheme: 'header', status: 302 },
			{ authScheme: 'body', status: 307 },
			{ authScheme: 'query', status: 302 },
		])(
			'n8n’s HTTP Request node follows no redirect with it ($authScheme scheme, $status)',
			async ({ authScheme, status }) => {
				const moved = await startOtherServer(redirectTo(elsewhere.url, status));
				const credential = await credentialWith({ baseUrl: moved.url, authScheme });
				const followed = [
					{},
					{ redirect: { redirect: { followRedirects: true, maxRedirects: 21 } } },
				];
				const errors = [];
				for (const options of followed) {
					const asked = { credential, parameters: { options } };
					errors.push((await askWith(`${moved.url}/x`, asked)).error?.message);
				}
				moved.close();
				expect(errors).toEqual(followed.map(() => expect.stringContaining(`${status} - `)));
				expect(moved.received).toHaveLength(followed.length);
				expect(elsewhere.received).toEqual([]);
			},
		);

		test('with the JSON Body scheme it joins the fields of n8n’s HTTP Request node', async () => {
			const credential = await credentialWith({ authScheme: 'body' });
			const execution = await askWith(`${n8n.emulator.url}/v1.0/checkPhone`, {
				credential,
				parameters: {
					sendBody: true,
					contentType: 'json',
					specifyBody: 'json',
					jsonBody: '={{ { phone: "+7 900 000-00-01" } }}',
				},
			});
			expect(itemsOf(execution, 'Request')[0]).toMatchObject({ source: '+7 900 000-00-01' });
		});

		// A later test shows that it is not stored either.
		test.each([
			{ authScheme: 'header', typeVersion: 4.2 },
			{ authScheme: 'body', typeVersion: 2 },
			{ authScheme: 'query', typeVersion: 4.2 },
		])(
			'it is in no error of n8n’s HTTP Request node ($authScheme scheme, version $typeVersion)',
			async ({ authScheme, typeVersion }) => {
				const nobody = 'http://127.0.0.1:9';
				const credential = await credentialWith({ authScheme });
				const refused = await credentialWith({ authScheme, baseUrl: nobody });
				const parameters = { requestMethod: 'POST' };
				for (const onError of ['stopWorkflow', 'continueRegularOutput'] as const) {
					const asked = { typeVersion, parameters, onError };
					const executions = [
						await askWith(`${n8n.emulator.url}/nowhere`, { ...asked, credential }),
						await askWith(`${nobody}/nowhere`, { ...asked, credential: refused }),
					];
					expect(JSON.stringify(executions)).not.toContain(n8n.emulator.secretKey);
				}
			},
		);
	});

	describe('what n8n stores', () => {
		test('is neither the key nor a seal, but numbers and codes are', async () => {
			const started = await runNode(n8n.client, n8n.credential, {
				resource: 'call',
				operation: 'start',
				phone: PHONE,
				delivery: 'callerNumber',
				options: { client: 'marked-client' },
			});
			const { code, vendor_id: uid } = itemsOf(started, NODE)[0] ?? {};
			const checked = await runNode(n8n.client, n8n.credential, {
				resource: 'call',
				operation: 'checkCode',
				uid: uid as number,
				code: '0001',
			});
			const { requests } = n8n.emulator.ledger;
			const seals = requests
				.map(({ args }) => args.callback_url)
				.filter((url) => typeof url === 'string')
				.filter((url) => url.includes('sig='))
				.map((url) => new URL(url).searchParams.get('sig') ?? '');
			// n8n writes with a delay: wait until the last execution is stored before searching for the rest.
			const files = await waitUntil(
				async () => {
					const read = await storedFiles(n8n.userFolder);
					return read.some((file) => file.includes('marked-client')) ? read : undefined;
				},
				{ what: 'the last execution is stored' },
			);
			const isStored = (text: string) => files.some((file) => file.includes(text));

			expect(seals.length).toBeGreaterThanOrEqual(3);
			expect(seals.filter(isStored)).toEqual([]);
			expect(seals.filter((seal) => n8n.running.log().includes(seal))).toEqual([]);
			expect(isStored(n8n.emulator.secretKey)).toBe(false);
			expect(n8n.running.log()).not.toContain(n8n.emulator.secretKey);

			expect(isStored(PHONE)).toBe(true);
			expect(code).toMatch(/^\d{4}$/);
			const masked = { phone: expect.stringContaining('*'), verified_phone: null };
			expect(itemsOf(checked, NODE)[0]).toMatchObject({ vendor_id: uid, ...masked });
			expect(itemsOf(checked, NODE)[0]).not.toHaveProperty('code');
		});
	});
});

describeInN8n('without a proxy, with an IP allowlist,', {}, (n8n) => {
	test('an event that names an allowed address in its headers is refused', async () => {
		const parameters = { options: { ipAllowlist: ALLOWED } };
		const trigger = await publishTrigger(n8n, `direct-${n8n.line}`, parameters);
		const { url, event } = await trigger.ask();
		const headers = { 'X-Forwarded-For': ALLOWED, 'X-Real-IP': ALLOWED };
		expect(await callWebhook(url, { body: event, headers })).toMatchObject({ status: 403 });
		expect(await n8n.client.executions.list(trigger.workflowId)).toEqual([]);
	});
});
