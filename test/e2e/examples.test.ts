import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '../emulator/emulator';
import type { EmulatorSettings } from '../emulator/settings';
import { ALWAYS_FAILS, ALWAYS_SUCCEEDS } from '../emulator/test-numbers';
import {
	connect,
	type Execution,
	filesOf,
	FormVisitor,
	formUrl,
	itemsOf,
	type N8nClient,
	readWorkflowFiles,
	withParameters,
	type WorkflowFile,
} from '../real-n8n';
import { inFolder } from './inFolder';
import { instances } from './instances';
import {
	createModelCredential,
	type ModelStandIn,
	startModelStandIn,
	type Turn,
} from './modelStandIn';
import { CREDENTIAL_TYPE, credentialData } from './service';
import { waitsAfter } from './waitsAfter';

/** n8n gives a new credential this name, and an imported workflow finds it by that name. */
const DEFAULT_NAME = 'Call Verification account';
const TESTED = [
	'ai-agent',
	'call-and-check-code',
	'check-phone-list',
	// In loginApi.test.ts.
	'login-api',
	'low-balance-alert',
	// In inboundExamples.test.ts.
	'on-inbound-call-postgres',
	'on-inbound-call',
	'verify-by-inbound-call',
];

/** n8n looks once a minute for executions that have waited long enough. */
const TIMER_LIMIT = 100_000;

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
		client = await connect({ line, url });
	});

	describe('check-phone-list', () => {
		test('writes the rows and columns of the list as they were, with four more columns', async () => {
			const folder = filesOf(userFolder);
			const { emulator } = await runExample(inFolder(example('check-phone-list'), folder));

			const list = await linesOf(join(folder, 'phones.csv'));
			const checked = await linesOf(join(folder, 'phones-checked.csv'));
			const added = [
				'valid,operator,country,reason',
				'TRUE,North Line,Russia,',
				'TRUE,North Line,Russia,',
				expect.stringMatching(/^TRUE,.+,United Kingdom,$/),
				'FALSE,,,The phone number is empty',
				expect.stringMatching(/^TRUE,.+,United States.*,$/),
				'TRUE,North Line,Russia,',
				'FALSE,,,The phone is too short',
				expect.stringMatching(/^FALSE,,,./),
			];
			expect(list[0]).toBe('name,phone,email');
			expect(list).toHaveLength(added.length);
			expect(checked.map((line, row) => line.slice(0, list[row]?.length))).toEqual(list);
			expect(checked.map((line, row) => line.slice((list[row]?.length ?? 0) + 1))).toEqual(added);
			// The blank row is not asked for, and the number that is there twice is asked for once.
			expect(emulator.ledger.checks).toHaveLength(6);
		});

		test('keeps columns that have the names of the result, and rows whose check failed', async () => {
			const folder = filesOf(userFolder);
			const rows = [
				{ source: 'fair', mobile: 'home', phone: '+7 900 000-00-01', error: 'bounced' },
				{ source: 'web', mobile: '', phone: '79161234567', error: '' },
			];
			const list = { jsonOutput: JSON.stringify({ rows }) };
			const file = withParameters(
				withParameters(example('check-phone-list'), 'Sample List', list),
				'Check Number',
				{
					options: { includeInputFields: true, maxTotalCost: 0.05 },
					requestOptions: { concurrency: 1 },
				},
			);
			await runExample(inFolder(file, folder));

			expect(await linesOf(join(folder, 'phones-checked.csv'))).toEqual([
				'source,mobile,phone,error,valid,operator,country,reason',
				'fair,home,+7 900 000-00-01,bounced,TRUE,North Line,Russia,',
				expect.stringMatching(/^web,,79161234567,,,,,"?The checks of this run have cost 0.05/),
			]);
		});
	});

	describe('call-and-check-code', () => {
		const WRONG = '0000';

		test('verifies the visitor who types the code', async () => {
			await withForm('call-and-check-code', async (form, emulator) => {
				const visitor = await FormVisitor.start(form, '+7 916 123-45-67');
				expect(await visitor.nextPage()).toMatchObject({ title: 'We have called you' });
				const [call] = emulator.ledger.calls;
				await visitor.submit(call?.code ?? '');

				expect(await visitor.nextPage()).toMatchObject({ title: 'Thank you' });
				expect(emulator.ledger.calls).toHaveLength(1);
				expect(call).toMatchObject({ phone: '79161234567', client: 'form' });
			});
		});

		test('gives three tries with one call', async () => {
			await withForm('call-and-check-code', async (form, emulator) => {
				const visitor = await FormVisitor.start(form, ALWAYS_SUCCEEDS);
				await visitor.nextPage();
				const code = emulator.ledger.calls[0]?.code ?? '';
				for (const wrong of ['12', code === '1234' ? '4321' : '1234']) {
					await visitor.submit(wrong);
					expect(await visitor.nextPage()).toMatchObject({ title: 'That was not the code' });
				}
				await visitor.submit(code);

				expect(await visitor.nextPage()).toMatchObject({ title: 'Thank you' });
				expect(emulator.ledger.calls).toHaveLength(1);
			});
		});

		test('ends after the third wrong code', async () => {
			await withForm('call-and-check-code', async (form, emulator) => {
				const visitor = await FormVisitor.start(form, ALWAYS_SUCCEEDS);
				const pages = [await visitor.nextPage()];
				for (const wrong of [WRONG, WRONG, WRONG]) {
					await visitor.submit(wrong);
					pages.push(await visitor.nextPage());
				}

				expect(pages.map(({ text }) => text)).toEqual([
					...Array<string>(3).fill('Enter the last four digits of the number that called.'),
					'Please go back and let us call you again.',
				]);
				expect(emulator.ledger.calls).toHaveLength(1);
			});
		});

		test.each([
			['cannot be reached', ALWAYS_FAILS, 1],
			['lives where nobody is called', '+44 7700 900123', 0],
			['has typed no number', 'my phone', 0],
		])('says so to a visitor who %s', async (_who, phone, calls) => {
			await withForm('call-and-check-code', async (form, emulator) => {
				const visitor = await FormVisitor.start(form, phone);

				expect(await visitor.nextPage()).toMatchObject({ title: 'We could not reach you' });
				expect(emulator.ledger.calls).toHaveLength(calls);
			});
		});
	});

	test('low-balance-alert can be published', async () => {
		await withExample(example('low-balance-alert'), {}, async (id) => {
			await client.workflows.publish(id);
			await client.workflows.unpublish(id);
		});
	});

	test('low-balance-alert speaks up when the balance is low', async () => {
		const { execution } = await runExample(example('low-balance-alert'), { startingBalance: 99.5 });

		expect(itemsOf(execution, 'Alert')).toEqual([
			{ message: expect.stringContaining('99.5 RUB'), balance: 99.5 },
		]);
	});

	test('low-balance-alert keeps quiet when it is not', async () => {
		const { execution } = await runExample(example('low-balance-alert'), { startingBalance: 100 });

		expect(execution.nodes).not.toHaveProperty('Alert');
	});

	describe('verify-by-inbound-call', () => {
		test('shows the number to call, and thanks when the call has come', async () => {
			await withForm('verify-by-inbound-call', async (form, emulator, id) => {
				const visitor = await FormVisitor.start(form, '+7 900 000-00-01');
				const { title } = await visitor.nextPage();
				await waitsAfter(client, id, 'Is a Call Awaited?');
				const delivery = await emulator.callFrom(ALWAYS_SUCCEEDS);

				expect(title).toBe(`Now call +${emulator.ledger.inboundWaits[0]?.confirmationNumber}`);
				expect(delivery).toMatchObject({ status: 200 });
				expect(await visitor.nextPage()).toMatchObject({ title: 'Thank you' });
				const [only, ...others] = await client.executions.list(id);
				expect(others).toEqual([]);
				await client.executions.wait(only?.id ?? '', { until: ['success'] });
			});
		});

		test('says so when no call came', async () => {
			await withForm(
				'verify-by-inbound-call',
				async (form) => {
					const visitor = await FormVisitor.start(form, '+7 900 000-00-01');
					await visitor.nextPage();

					expect(await visitor.nextPage(TIMER_LIMIT)).toMatchObject({ title: 'No call came' });
				},
				(file) => withParameters(file, 'Wait for the Call', { limitWaitTime: 0.02 }),
			);
		});

		test('says so to a visitor who has typed no number', async () => {
			await withForm('verify-by-inbound-call', async (form, emulator) => {
				const visitor = await FormVisitor.start(form, 'my phone');

				expect(await visitor.nextPage()).toMatchObject({ title: 'This did not work' });
				expect(emulator.ledger.requests).toEqual([]);
			});
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
			const toldBefore = model.requests.join('\n');
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
		return file;
	}

	/** Imports the file as it is, into an n8n with one credential, and runs it as its button does. */
	async function runExample(
		file: WorkflowFile,
		settings: Partial<EmulatorSettings> = {},
	): Promise<{ execution: Execution; emulator: Emulator }> {
		return await withExample(file, settings, async (id, emulator) => {
			const execution = await client.executions.wait(await client.workflows.run(id));
			expect(execution.error).toBeUndefined();
			return { execution, emulator };
		});
	}

	/** Publishes the example, and hands over the address of its form. */
	async function withForm(
		name: string,
		use: (form: string, emulator: Emulator, workflowId: string) => Promise<void>,
		change: (file: WorkflowFile) => WorkflowFile = (file) => file,
	): Promise<void> {
		const file = change(example(name));
		const trigger = file.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
		await withExample(file, {}, async (id, emulator) => {
			await client.workflows.publish(id);
			try {
				await use(formUrl(url, trigger?.webhookId ?? ''), emulator, id);
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
		const emulator = await startEmulator({ callResultAfterMs: 300, ...settings });
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

/** The token that a tool has told the model. */
function tokenIn(model: ModelStandIn): string {
	return /v1\.[0-9a-f]{96}/.exec(model.toolAnswers().at(-1) ?? '')?.[0] ?? '';
}

async function linesOf(file: string): Promise<string[]> {
	const text = await readFile(file, 'utf8');
	return text.replace('\uFEFF', '').trim().split(/\r?\n/);
}
