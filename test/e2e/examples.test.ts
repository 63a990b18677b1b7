import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emulator } from '../../emulator/emulator';
import type { FaultRule } from '../../emulator/settings';
import { CREDENTIAL_TYPE, credentialData, startService } from '../../harness/emulatedService';
import type { EmulatorSettings } from '../../emulator/settings';
import { ALWAYS_FAILS } from '../../emulator/service/numbers';
import {
	connect,
	type Credential,
	type Execution,
	filesOf,
	FormVisitor,
	formUrl,
	itemsOf,
	type N8nClient,
	readWorkflowFiles,
	withParameters,
	type WorkflowFile,
} from '../../harness';
import { inFolder, withCountryCode } from '../../harness/workflows/examples';
import { instances } from './instances';
import { MailStandIn } from './mailStandIn';
import {
	createModelCredential,
	type ModelStandIn,
	startModelStandIn,
	type Turn,
	withoutChance,
} from './modelStandIn';
import { testIfPostgres, withPostgres } from './withPostgres';

/** n8n's name for a new credential, by which an imported workflow finds it. */
const DEFAULT_NAME = 'Call Verification account';
const TESTED = [
	'ai-agent',
	// Also in browserForm.test.ts.
	'call-and-check-code',
	'check-large-list-workers',
	// In largeList.test.ts: it needs an n8n that can be killed.
	'check-large-list',
	// In listExamples.test.ts.
	'check-list-form',
	'check-list-schedule',
	'check-phone-list',
	// In loginApi.test.ts.
	'login-api',
	'low-balance-alert',
	// In inboundExamples.test.ts.
	'on-inbound-call-postgres',
	'on-inbound-call',
	// In verificationReport.test.ts.
	'verification-report',
	// In browserForm.test.ts.
	'verify-by-inbound-call',
];

/** What a browser sends for the ticked box. */
const NO_CALL_CAME = JSON.stringify(['No call came']);

let examples: Map<string, WorkflowFile>;

beforeAll(async () => {
	examples = await readWorkflowFiles(join(__dirname, '../../examples'));
});

test('every example is tested', () => {
	expect([...examples.keys()]).toEqual(TESTED);
});

describe.each(instances)('the examples in n8n $version', ({ line, url, userFolder }) => {
	let client: N8nClient;

	beforeAll(async () => {
		client = await connect({ url });
	});

	describe('check-phone-list', () => {
		const list = async (content: string | Buffer) => {
			const folder = await mkdtemp(join(filesOf(userFolder), 'rows-'));
			await writeFile(join(folder, 'phones.csv'), content);
			return folder;
		};

		test('sends every row down a branch, with its own columns unchanged, and writes nothing', async () => {
			const text = [
				'name,phone,valid,country,error',
				'Eve,12345,yes,,',
				'Ann,+7 (900) 000-00-01,maybe,RU,bounced',
				',,,,',
				'Ann (work),79000000001,,,',
				'Ben,79161234567,,,',
				'',
			].join('\n');
			const folder = await list(text);
			const file = withParameters(example('check-phone-list'), 'Check Number', {
				options: { includeInputFields: true, maxTotalCost: 0.05 },
				requestOptions: { concurrency: 1 },
			});
			const { execution, emulator } = await runExample(inFolder(file, folder));

			const valid = { result_valid: true, phone_e164: '+79000000001', result_country: 'Russia' };
			expect(itemsOf(execution, 'Valid?', 0)).toEqual([
				expect.objectContaining({
					...valid,
					name: 'Ann',
					phone: '+7 (900) 000-00-01',
					valid: 'maybe',
					country: 'RU',
					input_error: 'bounced',
				}),
				expect.objectContaining({ ...valid, name: 'Ann (work)', phone: '79000000001' }),
			]);
			expect(itemsOf(execution, 'Valid?', 1)).toEqual([
				expect.objectContaining({
					name: 'Eve',
					valid: 'yes',
					reason: 'unreadable: a digit is missing',
				}),
				expect.objectContaining({ phone: '', reason: 'empty' }),
				expect.objectContaining({
					name: 'Ben',
					phone: '79161234567',
					error: expect.stringContaining('The checks of this run have cost 0.05'),
				}),
			]);
			expect(emulator.ledger.checks).toHaveLength(1);
			expect(await readdir(folder)).toEqual(['phones.csv']);
			expect(await readFile(join(folder, 'phones.csv'), 'utf8')).toBe(text);
		});

		test.each([
			['another name for the column', 'name,Phone,phone \nAnn,1,2\n', '"name", "Phone", "phone "'],
			['semicolons', 'name;phone\nAnn;79000000001\n', '"name;phone"'],
			['no rows', 'name,phone\n', 'The list has no rows'],
			['rows that are too short', 'name,phone\nAnn,79000000001\nBen\n', 'The list cannot be read'],
			[
				'windows-1251',
				Buffer.from('name,phone\n\xC0\xED\xED\xE0,79000000001\n', 'latin1'),
				'not UTF-8',
			],
		])('stops at a file with %s before anything is paid for', async (_what, content, message) => {
			await expectRefusal(await list(content), message);
		});

		test('stops if there is no file', async () => {
			await expectRefusal(join(filesOf(userFolder), 'nowhere'), 'Check the file name in Read List');
		});

		async function expectRefusal(folder: string, message: string): Promise<void> {
			await withExample(inFolder(example('check-phone-list'), folder), {}, async (id, emulator) => {
				const { error } = await client.run(id);
				expect(error?.message).toContain(message);
				expect(emulator.ledger.requests).toEqual([]);
			});
		}
	});

	describe('call-and-check-code', () => {
		const PHONE = '+7 916 123-45-67';
		/** So long that no test happens to start near the end of a slot. */
		const LONG_COOLDOWN = 60 * 24 * 31;

		test('says how many attempts are left, and ends after the fifth, even after a new start', async () => {
			await withForm(
				// Also in browserForm.test.ts.
				'call-and-check-code',
				async (form, emulator) => {
					const visitor = await FormVisitor.start(form, PHONE);
					const pages = [await visitor.nextPage()];
					for (const wrong of ['12', '0000', 'abcd', '0000', '0000']) {
						await visitor.submit(wrong);
						pages.push(await visitor.nextPage());
					}
					const again = await FormVisitor.start(form, PHONE);
					pages.push(await again.nextPage());
					await again.submit(emulator.ledger.calls[0]?.code ?? '');
					pages.push(await again.nextPage());

					expect(pages.map(({ title, text }) => `${title}: ${text.split('.')[0]}`)).toEqual([
						'We are calling you now: No need to answer',
						'That was not the code: Tries left: 4',
						'That was not the code: Tries left: 3',
						'That was not the code: Tries left: 2',
						'That was not the code: Tries left: 1',
						'Too many wrong codes: That was the last try for this call',
						'We called you a moment ago: Your phone does not ring again now',
						'Too many wrong codes: There are no tries left for this call',
					]);
					expect(emulator.ledger.calls).toHaveLength(1);
				},
				withCooldown,
			);
		});

		test('says so when the code has expired', async () => {
			await withForm('call-and-check-code', async (form, emulator) => {
				emulator.setNow(Date.now() - 11 * 60_000);
				const visitor = await FormVisitor.start(form, PHONE);
				await visitor.nextPage();
				await visitor.submit(emulator.ledger.calls[0]?.code ?? '');

				expect(await visitor.nextPage()).toMatchObject({ title: 'The code has expired' });
			});
		});

		test('goes on to the next way when a call did not get through, and makes no call again after a new start', async () => {
			await withForm(
				'call-and-check-code',
				async (form, emulator) => {
					const hour = 3_600_000;
					const visitor = await FormVisitor.start(form, `+${ALWAYS_FAILS}`);
					const pages = [await visitor.nextPage()];
					for (const known of [hour, 2 * hour]) {
						emulator.setNow(Date.now() + known);
						await visitor.submit('1234');
						pages.push(await visitor.nextPage());
					}
					const again = await FormVisitor.start(form, `+${ALWAYS_FAILS}`);
					pages.push(await again.nextPage());

					expect(pages.map(({ title }) => title)).toEqual([
						'We are calling you now',
						'We are calling you once more',
						'Call this number now',
						'Call this number now',
					]);
					expect(emulator.ledger.calls.map(({ variant }) => variant)).toEqual(['call', 'voice']);
				},
				(file) => withParameters(withCooldown(file), 'Pause', { amount: 0 }),
				{ callResultAfterMs: 3_600_000, unreachable: 'failsLater' },
			);
		});

		test('shows a number to call at once where codes cannot be spoken', async () => {
			await withForm(
				'call-and-check-code',
				async (form, emulator) => {
					const visitor = await FormVisitor.start(form, '+44 7700 900123');
					await visitor.nextPage();
					await visitor.submit('', NO_CALL_CAME);
					expect(await visitor.nextPage()).toMatchObject({ title: 'Call this number now' });
					expect(emulator.ledger.calls).toHaveLength(1);
				},
				(file) => withCallOptions(file, { allowedPrefixes: '447' }),
			);
		});

		test('shows a number to call when the number has had its calls of the day', async () => {
			await withForm(
				'call-and-check-code',
				async (form, emulator) => {
					const titles = [];
					for (let time = 0; time < 3; time++) {
						titles.push((await (await FormVisitor.start(form, PHONE)).nextPage()).title);
					}
					expect(titles).toEqual([
						'We are calling you now',
						'We are calling you now',
						'Call this number now',
					]);
					expect(emulator.ledger.calls).toHaveLength(2);
				},
				(file) => withCallOptions(file, { cooldown: 0, maxCallsPerNumber: 2 }),
			);
		});

		test('says since when no phone rings, and when the next call is possible', async () => {
			await withForm(
				'call-and-check-code',
				async (form) => {
					await (await FormVisitor.start(form, PHONE)).nextPage();
					const { title, text } = await (await FormVisitor.start(form, PHONE)).nextPage();
					expect(title).toBe('We called you a moment ago');
					expect(text).toMatch(/That call was 0:\d\d minutes ago/);
					expect(text).toMatch(/The next one is possible in \d+:\d\d minutes/);
				},
				(file) => withCallOptions(file, { cooldown: 60 }),
			);
		});

		test('shows a number to call when the spoken call fails, and says so when that fails, too', async () => {
			await withForm(
				'call-and-check-code',
				async (form, emulator) => {
					const told = async (method: string, phone: string) => {
						const visitor = await FormVisitor.start(form, phone);
						await visitor.nextPage();
						const faults = [method, 'initCall'].map((each) =>
							emulator.faults.add({ kind: 'errorCode', code: 400, method: each }),
						);
						await visitor.submit('', NO_CALL_CAME);
						const page = await visitor.nextPage();
						for (const fault of faults) emulator.faults.remove(fault);
						return page;
					};
					expect(await told('initCall', '+7 916 123-45-68')).toMatchObject({
						title: 'Call this number now',
					});
					expect(await told('inboundCallWaiting', '+7 916 123-45-69')).toMatchObject({
						title: 'We cannot verify you right now',
						text: expect.stringContaining('in a few minutes'),
					});
				},
				(file) => withParameters(file, 'Pause', { amount: 0 }),
			);
		});

		test('lets the visitor try again when the code could not be checked', async () => {
			await withForm('call-and-check-code', async (form, emulator) => {
				const visitor = await FormVisitor.start(form, PHONE);
				await visitor.nextPage();
				const code = emulator.ledger.calls[0]?.code ?? '';
				const fault = emulator.faults.add({ kind: 'errorCode', code: 400, method: 'getInfo' });
				await visitor.submit(code);
				const page = await visitor.nextPage();
				emulator.faults.remove(fault);
				await visitor.submit(code);

				expect(page).toMatchObject({ title: 'We could not check the code' });
				expect(await visitor.nextPage()).toMatchObject({ title: 'Thank you' });
			});
		});

		test('says so when too many people have asked for a call', async () => {
			await withForm(
				// Also in browserForm.test.ts.
				'call-and-check-code',
				async (form, emulator) => {
					await (await FormVisitor.start(form, PHONE)).nextPage();
					const second = await FormVisitor.start(form, '+7 916 765-43-21');

					expect(await second.nextPage()).toMatchObject({
						title: 'We cannot verify you right now',
						text: expect.stringContaining('Too many people'),
					});
					expect(emulator.ledger.calls).toHaveLength(1);
				},
				(file) => withCallOptions(file, { maxCallsPerHour: 1 }),
			);
		});

		function withCooldown(file: WorkflowFile): WorkflowFile {
			return withCallOptions(file, { cooldown: LONG_COOLDOWN });
		}

		function withCallOptions(file: WorkflowFile, values: object): WorkflowFile {
			const call = file.nodes.find(({ name }) => name === 'Call');
			const options = Object(call?.parameters?.options) as object;
			return withParameters(file, 'Call', { options: { ...options, ...values } });
		}
	});

	describe('low-balance-alert', () => {
		const mail = new MailStandIn();
		let smtp: Credential;

		beforeAll(async () => {
			smtp = await client.credentials.create('SMTP account', 'smtp', await mail.start());
		});

		afterAll(async () => {
			await client.credentials.delete(smtp);
			await mail.close();
		});

		test.each([
			[99.5, 100, 'is 99.5 RUB, and your largest list may cost 100 RUB'],
			[100, 100, undefined],
			[249, 250, 'is 249 RUB, and your largest list may cost 250 RUB'],
		])('with a balance of %d and a list of %d sends: %s', async (balance, cost, told) => {
			const file = withListOf(cost, example('low-balance-alert'));
			expect(await mailsOf(file, { startingBalance: balance })).toEqual(
				told === undefined ? [] : [expect.stringContaining(told)],
			);
		});

		test.each<[string, FaultRule, string]>([
			['the service is down', { kind: 'httpStatus', status: 503 }, 'HTTP status 503'],
			['the key is refused', { kind: 'errorCode', code: 401 }, 'key'],
			['the connection is lost', { kind: 'resetBeforeProcessing' }, 'connection'],
		])('alerts when %s, and says so', async (_what, fault, why) => {
			const file = withParameters(example('low-balance-alert'), 'Get Balance', {
				requestOptions: { maxRetries: 0 },
			});
			const [alert = '', ...others] = await mailsOf(file, {}, [fault]);
			expect(others).toEqual([]);
			expect(alert).toMatch(new RegExp(`could not be read\\. .*${why}`));
		});

		test('sends nothing before somebody has set up the e-mail, and can be published', async () => {
			await withExample(example('low-balance-alert'), { startingBalance: 1 }, async (id) => {
				const before = mail.mails.length;
				const execution = await client.run(id);
				expect(execution.error).toBeUndefined();
				expect(itemsOf(execution, 'Alert')).toHaveLength(1);
				expect(mail.mails).toHaveLength(before);
				await client.workflows.publish(id);
				await client.workflows.unpublish(id);
			});
		});

		/** What is sent in one run, once somebody has chosen a credential and enabled the node. */
		async function mailsOf(
			file: WorkflowFile,
			settings: Partial<EmulatorSettings>,
			faults: readonly FaultRule[] = [],
		): Promise<string[]> {
			const nodes = file.nodes.map((node) =>
				node.name === 'Send Alert' ? { ...node, disabled: false, credentials: { smtp } } : node,
			);
			return await withExample({ ...file, nodes }, settings, async (id, emulator) => {
				for (const fault of faults) emulator.faults.add(fault);
				const before = mail.mails.length;
				const execution = await client.run(id);
				expect(execution.error).toBeUndefined();
				// Long lines of a mail are wrapped.
				return mail.mails.slice(before).map((text) => text.replace(/=?\n/g, ''));
			});
		}

		function withListOf(cost: number, file: WorkflowFile): WorkflowFile {
			const assignment = { id: 'cost', name: 'largest_list_may_cost', value: cost, type: 'number' };
			return withParameters(file, 'Settings', { assignments: { assignments: [assignment] } });
		}
	});

	// Forms of n8n 1.x do not show their headers, so each visit has a key of its own.
	test.each(['call-and-check-code', 'verify-by-inbound-call'])(
		'%s gives each address behind a proxy three tries an hour (n8n 2.x)',
		async (name) => {
			await withForm(name, async (form, emulator) => {
				const visit = async (address: string, last: number) => {
					// The visitor invents the first address, and the proxy adds the true one.
					const headers = { 'x-forwarded-for': `10.0.0.${last}, ${address}` };
					const phone = `+7 916 333-44-${last}`;
					const visitor = await FormVisitor.startWith(headers, form, phone);
					return (await visitor.nextPage()).text;
				};
				const told = [];
				for (let last = 10; last < 15; last++) told.push(await visit('203.0.113.7', last));
				const refused = told.filter((text) => text.includes('You have tried several times'));
				expect(refused).toHaveLength(line === '2.x' ? 2 : 0);
				expect(await visit('203.0.113.8', 20)).not.toContain('several times');
				const { calls, inboundWaits } = emulator.ledger;
				expect([...calls, ...inboundWaits]).toHaveLength(line === '2.x' ? 4 : 6);
			});
		},
	);

	test.each([
		['call-and-check-code', 'We cannot call this number'],
		['verify-by-inbound-call', 'We do not support this country'],
	])(
		'%s tells each visitor what is wrong with the number, without a request to the service',
		async (name, foreign) => {
			const entered = ['+44 7700 900123', '8 916 123-45-67', '0916', '+7 916'];
			await withForm(name, async (form, emulator) => {
				const visitors = entered.map(async (phone) => await FormVisitor.start(form, phone));
				const pages = visitors.map(async (visitor) => await (await visitor).nextPage());
				expect((await Promise.all(pages)).map(({ title }) => title)).toEqual([
					foreign,
					'We need the country code',
					'We need the country code',
					'This is not a valid phone number',
				]);
				expect(emulator.ledger.requests).toEqual([]);
			});
		},
	);

	testIfPostgres('check-large-list-workers checks the table, and writes the list', async () => {
		await withPostgres(async ({ login, query }) => {
			const database = await client.credentials.create('Postgres account', 'postgres', login);
			await withExample(example('check-large-list-workers'), {}, async (id, emulator) => {
				const run = async (trigger: string) => {
					const execution = await client.run(id, trigger);
					expect(execution.error).toBeUndefined();
					return execution;
				};
				await run('Set Up');
				await run('Every Minute');
				const written = await run('Set Up');

				expect(itemsOf(written, 'Progress')).toEqual([
					{ rows: 8, numbers: 7, checked: 7, failed: 0, cost: 0.2, chunks_in_hand: 0 },
				]);
				expect(
					itemsOf(written, 'Checked List').map(({ name, phone, valid, operator, reason }) => [
						name,
						phone,
						valid,
						operator,
						reason,
					]),
				).toEqual([
					['Ann', '+7 (900) 000-00-01', true, 'North Line', 'ok'],
					['Ben', '79000000002', true, 'North Line', 'ok'],
					['Cara', '+44 7700 900123', true, expect.any(String), 'ok'],
					[null, null, null, '', 'empty'],
					['Dev', '+1 202 555 0123', true, expect.any(String), 'ok'],
					['Ann (work)', '79000000001', true, 'North Line', 'ok'],
					['Eve', '12345', null, '', 'unreadable: a digit is missing'],
					['Finn', 'no phone yet', null, '', 'unreadable: no number'],
				]);
				expect(written.nodes).toHaveProperty('CSV File');
				// What cannot be read is not sent, and the duplicate number is sent once.
				expect(emulator.ledger.checks).toHaveLength(4);

				const known = await query('SELECT count(*) FROM phone_chunks');
				await run('Every Minute');
				expect(await query('SELECT count(*) FROM phone_chunks')).toEqual(known);
			}).finally(async () => await client.credentials.delete(database));
		});
	});

	test('ai-agent checks a number, calls it and checks the code', async () => {
		const phone = '+7 916 123-45-67';
		const script: Turn[] = [
			{ tool: 'Check_Number', arguments: { phone } },
			{ tool: 'Call_With_Code', arguments: { phone } },
			{ say: 'Which four digits does the number end with?' },
		];
		const model = await startModelStandIn(script);
		const credential = await createModelCredential(client, model, 'OpenAi account');
		await withExample(example('ai-agent'), {}, async (id, emulator) => {
			const say = async (text: string) => {
				const executionId = await client.workflows.chat(id, 'visitor', text);
				return itemsOf(await client.executions.wait(executionId), 'Agent')[0]?.output;
			};
			const { calls, checks } = emulator.ledger;
			const question = await say(`Please verify ${phone}`);
			const code = calls[0]?.code ?? '';
			const toldBefore = withoutChance(model.requests.join('\n'));
			script.push(
				{ tool: 'Check_Code', arguments: { verification_token: tokenIn(model), code } },
				{ say: 'You are verified.' },
			);
			const verdict = await say(`They are ${code}`);

			expect(question).toBe('Which four digits does the number end with?');
			expect(toldBefore).not.toContain(code);
			expect(verdict).toBe('You are verified.');
			expect(model.toolAnswers().at(-1)).toContain('"matched":true');
			expect(checks.map(({ source }) => source)).toEqual([phone]);
			expect(calls).toEqual([
				expect.objectContaining({ phone: '79161234567', client: 'ai-agent' }),
			]);
		}).finally(async () => {
			await client.credentials.delete(credential);
			await model.close();
		});
	});

	function example(name: string): WorkflowFile {
		const file = examples.get(name);
		if (!file) throw new Error(`There is no example ${name}`);
		return withCountryCode(file);
	}

	/** Imports the file unchanged into an n8n with one credential, and runs it as the editor's button does. */
	async function runExample(
		file: WorkflowFile,
		settings: Partial<EmulatorSettings> = {},
	): Promise<{ execution: Execution; emulator: Emulator }> {
		return await withExample(file, settings, async (id, emulator) => {
			const execution = await client.run(id);
			expect(execution.error).toBeUndefined();
			return { execution, emulator };
		});
	}

	/** Publishes the example and passes on its form URL. */
	async function withForm(
		name: string,
		use: (form: string, emulator: Emulator) => Promise<void>,
		change: (file: WorkflowFile) => WorkflowFile = (file) => file,
		settings: Partial<EmulatorSettings> = {},
	): Promise<void> {
		const file = change(example(name));
		await withExample(file, settings, async (id, emulator) => {
			await client.workflows.publish(id);
			try {
				await use(formUrl(url, file), emulator);
			} finally {
				await client.workflows.unpublish(id);
			}
		});
	}

	async function withExample<T>(
		file: WorkflowFile,
		settings: Partial<EmulatorSettings>,
		use: (workflowId: string, emulator: Emulator) => Promise<T>,
	): Promise<T> {
		const emulator = await startService({ callResultAfterMs: 300, ...settings });
		const data = credentialData(emulator);
		const credential = await client.credentials.create(DEFAULT_NAME, CREDENTIAL_TYPE, data);
		try {
			const { id } = await client.workflows.create(file);
			return await use(id, emulator);
		} finally {
			await client.credentials.delete(credential);
			await emulator.close();
		}
	}
});

/** The token that a tool returned to the model. */
function tokenIn(model: ModelStandIn): string {
	return /v1\.[0-9a-f]{96}/.exec(model.toolAnswers().at(-1) ?? '')?.[0] ?? '';
}
