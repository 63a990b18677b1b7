import { File } from 'node:buffer';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../../emulator/seededRandom';
import {
	callWebhook,
	filesOf,
	FormVisitor,
	formUrl,
	itemsOf,
	productionUrl,
	waitUntil,
	type WorkflowFile,
} from '../../harness';
import {
	launchChromium,
	PAGE_LIMIT,
	pageWidth,
	unreadableTexts,
} from '../../harness/browser/chromium';
import {
	chain,
	manualTrigger,
	nodeOf,
	set,
	sideBySide,
	webhook,
} from '../../harness/rest/workflowFile';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import {
	inFolder,
	publishExample,
	readExample,
	withChosenCredentials,
	withCountryCode,
	withSettings,
} from '../../harness/workflows/examples';
import { LargeList, workersExample } from '../../harness/workflows/largeLists';
import { LoginApi } from '../../harness/workflows/loginApi';
import {
	OWNER,
	type PublishedReport,
	publishReport,
	recordingTo,
	REPORT_TABLE,
} from '../../harness/workflows/verificationReport';
import { PHONE, testIfChromium } from './inBrowser';
import { describeLongInN8n, describeLongInOwnN8n, type InOwnN8n } from './inN8n';
import { storedExecutions } from './storedExecutions';
import { waitsAfter } from './waitsAfter';
import { testIfPostgres, withPostgres } from './withPostgres';

const PACKAGE = 'n8n-nodes-call-verification';
const PHONE_NUMBER = '+79161234567';
const VERIFICATIONS = 1_000;
const DAY = 24 * 60 * 60 * 1_000;
const MINUTE = 60 * 1_000;
/** The settings of the example. */
const SETTINGS = { days: 28, alertBelow: 60, alertFrom: 20 };
const WAYS = {
	callerNumber: 'by the last digits',
	voice: 'by a spoken code',
	inbound: 'by calling you',
} as const;
const HOSTILE = [
	'<script>document.title = "owned"</script>',
	'"><img src=x onerror=\'document.title = "owned"\'>',
];

/** n8n 1.x runs all transactions of SQLite on one connection, where two at the same moment fail. docs/know-your-rate.md says so. */
const likeVersion2 = () => ({ settings: { DB_SQLITE_POOL_SIZE: '2' } });

/** n8n 1.x activates only what starts by itself. */
const everyMonday = nodeOf('Every Monday', 'n8n-nodes-base.scheduleTrigger', 1.2, {
	rule: { interval: [{ field: 'weeks' }] },
});

interface Visit {
	readonly n8n: InOwnN8n;
	readonly prefix: string;
	readonly phone: string;
	readonly change: (file: WorkflowFile) => WorkflowFile;
	/** Once the workflow is published. */
	readonly beforeVisit?: () => Promise<void>;
}

/** Somebody is verified, by each example that records. */
const LOGINS: Readonly<Record<string, (visit: Visit) => Promise<void>>> = {
	'call-and-check-code': async (visit) => {
		const { form } = await publishForm('call-and-check-code', visit);
		const visitor = await FormVisitor.start(form, `+${visit.phone}`);
		await visitor.nextPage();
		await visitor.submit(visit.n8n.emulator.ledger.calls.at(-1)?.code ?? '');
		expect((await visitor.nextPage()).title).toContain('Thank you');
	},
	'verify-by-inbound-call': async (visit) => {
		const { form, id } = await publishForm('verify-by-inbound-call', visit);
		const visitor = await FormVisitor.start(form, `+${visit.phone}`);
		await visitor.nextPage();
		await waitsAfter(visit.n8n.client, id, 'Waiting for a Call?');
		expect(await visit.n8n.emulator.callFrom(visit.phone)).toMatchObject({ status: 200 });
		expect((await visitor.nextPage()).title).toContain('Thank you');
	},
	'login-api, call': async (visit) => {
		const { n8n, phone, beforeVisit } = visit;
		const api = await LoginApi.publish({ ...visit, ...n8n, urls: [n8n.url] });
		await beforeVisit?.();
		const token = await api.start(phone);
		const { json } = await api.check(token, n8n.emulator.ledger.calls.at(-1)?.code ?? '');
		expect(json).toMatchObject({ verified: true });
	},
	'login-api, inbound': async (visit) => {
		const { n8n, phone, beforeVisit } = visit;
		const api = await LoginApi.publish({ ...visit, ...n8n, urls: [n8n.url] });
		await beforeVisit?.();
		const shown = await api.numberToCall(phone);
		await waitsAfter(n8n.client, api.workflowId, 'Number and Token');
		expect(await n8n.emulator.callFrom(phone)).toMatchObject({ status: 200 });
		expect(await api.verifiedBy(shown)).toMatchObject({ verified: true });
	},
};

async function publishForm(name: string, { n8n, prefix, change, beforeVisit }: Visit) {
	const { id, file } = await publishExample(name, prefix, n8n, {}, change);
	await beforeVisit?.();
	return { id, form: formUrl(n8n.url, file) };
}

/** A type, so that it can be sent as a record. */
type Row = {
	readonly key: string;
	readonly kind: 'verification' | 'list';
	readonly at: string;
	readonly delivery?: keyof typeof WAYS;
	readonly operator?: string;
	readonly number?: string;
	readonly confirmed?: boolean;
	readonly seconds?: number;
	readonly cost?: number;
	readonly name?: string;
	readonly rows?: number;
	readonly valid?: number;
	readonly invalid?: number;
	readonly unreadable?: number;
	readonly paid?: number;
};

describeLongInOwnN8n('verification-report', likeVersion2, (n8n) => {
	// It deletes the table in the end.
	describe('called by other workflows', () => testRecording(n8n));
	describe('opened by its owner', () => testPage(n8n));
});

function testRecording(n8n: InOwnN8n): void {
	let report: PublishedReport;
	const rows = async () => await n8n.client.dataTables.rows(REPORT_TABLE);
	const recording = (file: WorkflowFile) => recordingTo(report.workflowId, file);
	let nextPhone = 79_160_000_101;
	/** The row, once it has all of this. */
	const untilRecorded = async (expected: Readonly<Record<string, unknown>>) => {
		const isRight = (row: Record<string, unknown>) =>
			Object.entries(expected).every(([name, value]) => row[name] === value);
		let newest: unknown;
		return await waitUntil(
			async () => {
				const all = await rows();
				newest = all.at(-1);
				return all.find(isRight);
			},
			{
				what: `there is a row with ${JSON.stringify(expected)}`,
				seen: () => JSON.stringify(newest),
			},
		);
	};

	beforeAll(async () => {
		report = await publishReport(n8n, 'recording');
	});

	test('stores one row for each call, with operator and price, and no number', async () => {
		const call = await startCall();
		const key = `call ${call}`;
		const event = { vendor_id: call, delivery: 'callerNumber' };
		const number = 'fedcba9876543210';
		await record({ ...event, event: 'confirmed', example: 'The end', number });
		await untilRecorded({ key, confirmed: true });
		// It waits for the result of the call, so it comes later, and with a number that nobody made a fingerprint of.
		await record({ ...event, event: 'started', example: 'The start', number: PHONE_NUMBER });
		await untilRecorded({ key, example: 'The start' });

		expect((await rows()).filter((row) => row.key === key)).toEqual([
			expect.objectContaining({
				kind: 'verification',
				delivery: 'callerNumber',
				operator: expect.stringMatching(/\w/) as string,
				number,
				cost: n8n.emulator.ledger.calls.at(-1)?.cost,
				confirmed: true,
				seconds: expect.any(Number) as number,
			}),
		]);
		expect(JSON.stringify(await rows())).not.toContain(PHONE_NUMBER.slice(-7));
	});

	test('stores a call that the service does not know, and nothing without a call', async () => {
		await record({ event: 'confirmed' });
		await record({ event: 'confirmed', vendor_id: 1, delivery: 'inbound', number: 'f'.repeat(16) });
		await untilRecorded({ key: 'call 1', confirmed: true, delivery: 'inbound' });
		expect((await rows()).filter(({ key }) => String(key).includes('undefined'))).toEqual([]);
	});

	test.each(Object.entries(LOGINS))(
		'%s records who is called and who confirms, and verifies without the report, too',
		async (name, verify) => {
			const phone = String(nextPhone++);
			const { calls, inboundWaits } = n8n.emulator.ledger;
			await verify({
				n8n,
				prefix: `recorded-${name.replace(', ', '-')}`,
				phone,
				change: recording,
			});
			const ids = { call: calls.at(-1)?.vendorId, inbound: inboundWaits.at(-1)?.vendorId };
			const [example, way] = name.split(', ');
			const isInbound = way === 'inbound' || example === 'verify-by-inbound-call';
			const row = await untilRecorded({
				key: `call ${isInbound ? ids.inbound : ids.call}`,
				confirmed: true,
				delivery: isInbound ? 'inbound' : 'callerNumber',
			});
			expect(row.number).toMatch(/^[0-9a-f]{16}$/);
			expect(row.example).toBe((await readExample(example ?? '')).name);
			expect(JSON.stringify(row)).not.toContain(phone.slice(-7));

			const { workflows } = n8n.client;
			const other = await workflows.create(chain('Another report', everyMonday));
			await workflows.publish(other.id);
			await verify({
				n8n,
				prefix: `unrecorded-${name.replace(', ', '-')}`,
				phone: String(nextPhone++),
				change: (file) => recordingTo(other.id, file),
				beforeVisit: async () => await workflows.delete(other.id),
			});
		},
	);

	test('stores one row for each run of a list', async () => {
		const began = Date.now();
		// So that a list that is paid for takes a second at least.
		const fault = n8n.emulator.faults.add({ kind: 'delay', ms: 1_500 });
		/** How long the run has taken, by its row. */
		const secondsOf = async (expected: Readonly<Record<string, unknown>>) => {
			const { seconds } = await untilRecorded(expected);
			expect(seconds).toEqual(expect.any(Number));
			expect(seconds).toBeLessThanOrEqual(Math.ceil((Date.now() - began) / 1_000));
			return seconds;
		};
		const { file: form } = await publishExample('check-list-form', 'recorded', n8n, {}, recording);
		const list = new File(['name,phone\nAnn,+7 900 000-00-01\nBen,12\n'], 'team.csv');
		const visitor = await FormVisitor.start(formUrl(n8n.url, form), list, '', '7');
		await visitor.nextPage();
		const figures = {
			kind: 'list',
			rows: 2,
			valid: 1,
			invalid: 0,
			unreadable: 1,
			paid: 1,
			cost: 0.05,
		};
		expect(await secondsOf({ ...figures, name: 'team.csv', example: form.name })).toBeGreaterThan(
			0,
		);

		const large = await LargeList.import(n8n.client, n8n, { firstRun: true }, (example) =>
			withChosenCredentials(recording(example), { [CREDENTIAL_TYPE]: n8n.credential }),
		);
		await large.writeList('name,phone\nAnn,+7 900 000-00-02\nBen,12\n');
		await large.run(n8n.client);
		expect(await secondsOf({ ...figures, name: 'phones.csv' })).toBeGreaterThan(0);
		// Nothing is left to check, so the second run costs nothing.
		await large.run(n8n.client);
		await secondsOf({ ...figures, name: 'phones.csv', paid: 0, cost: 0 });

		const schedule = withSettings(recording(await readExample('check-list-schedule')), {
			folder: filesOf(n8n.userFolder),
			defaultCountryCode: '7',
			firstRun: true,
		});
		await run(schedule);
		// The large list has paid for these numbers.
		await secondsOf({
			...figures,
			name: 'phones.csv',
			example: schedule.name,
			paid: 0,
			cost: 0,
		});
		n8n.emulator.faults.remove(fault);
	});

	test('stores one row for each run of a list row by row, whose columns may have the names of results', async () => {
		const folder = join(filesOf(n8n.userFolder), 'row-by-row');
		await mkdir(folder);
		const rows = ['Ann,+7 900 000-10-01,no,9', 'Ben,12,yes,9', 'Cara,+7 000 000-00-01,,', 'Dev,,,'];
		await writeFile(join(folder, 'phones.csv'), ['name,phone,valid,cost', ...rows, ''].join('\n'));
		const example = withCountryCode(recording(await readExample('check-phone-list')));
		await run(inFolder(example, folder));
		const { seconds } = await untilRecorded({
			...{ kind: 'list', example: example.name, name: 'phones.csv', rows: 4 },
			...{ valid: 1, invalid: 1, unreadable: 2, paid: 1, cost: 0.05 },
		});
		expect(seconds).toEqual(expect.any(Number));
	});

	testIfPostgres('stores one row for each list that many workers have finished', async () => {
		await withPostgres(async ({ login, query }) => {
			const postgres = await n8n.client.credentials.create('A list', 'postgres', login);
			const example = withCountryCode(recording(await workersExample()));
			const chosen = { [CREDENTIAL_TYPE]: n8n.credential, postgres };
			const { id } = await n8n.client.workflows.create(withChosenCredentials(example, chosen));
			const runFrom = async (trigger: string) => {
				expect((await n8n.client.run(id, trigger)).error).toBeUndefined();
			};
			await runFrom('Set Up');
			await runFrom('Every Minute');
			await query("UPDATE phone_chunks SET written_at = written_at - interval '10 minutes'");
			await runFrom('Every Minute');
			await untilRecorded({
				...{ kind: 'list', example: example.name, name: 'phone_list', rows: 8 },
				...{ valid: 5, invalid: 0, unreadable: 3, paid: 4, cost: 0.2 },
			});
			await n8n.client.credentials.delete(postgres);
		});
	});

	test('without its table, it fails alone', async () => {
		await n8n.client.dataTables.delete(REPORT_TABLE);
		await record({ event: 'confirmed', vendor_id: 2, delivery: 'voice', number: 'f'.repeat(16) });
	});

	/** Runs the example once, with the credential chosen. */
	async function run(example: WorkflowFile): Promise<void> {
		const file = withChosenCredentials(example, { [CREDENTIAL_TYPE]: n8n.credential });
		const { id } = await n8n.client.workflows.create(file);
		const { error } = await n8n.client.run(id);
		expect(error).toBeUndefined();
	}

	/** Starts a call and returns its ID. */
	async function startCall(): Promise<number> {
		const parameters = { resource: 'call', operation: 'start', phone: PHONE_NUMBER };
		const start = nodeOf('Call', `${PACKAGE}.callVerification`, 1, parameters);
		const credentials = { [CREDENTIAL_TYPE]: n8n.credential };
		const file = chain('A call', manualTrigger, { ...start, credentials });
		const { id } = await n8n.client.workflows.create(file);
		const execution = await n8n.client.run(id);
		return Number(itemsOf(execution, 'Call')[0]?.vendor_id);
	}

	/** Hands an event to the report, as Record does, and sees that its workflow ends well. */
	async function record(event: object): Promise<void> {
		const fields = set('Fields', JSON.stringify(event));
		const file = recordingTo(
			report.workflowId,
			chain('A login', manualTrigger, fields, await recordNode()),
		);
		const { id } = await n8n.client.workflows.create(file);
		const execution = await n8n.client.run(id);
		expect(execution.error).toBeUndefined();
	}
}

function testPage(n8n: InOwnN8n): void {
	const random = seededRandom(20_261_118);
	const pick = <T>(...values: [T, ...T[]]): T =>
		values[Math.floor(random() * values.length)] ?? values[0];
	const now = Date.now();
	const verifications = Array.from({ length: VERIFICATIONS }, (_none, index): Row => {
		const delivery = pick<keyof typeof WAYS>(
			'callerNumber',
			'callerNumber',
			'callerNumber',
			'voice',
			'inbound',
		);
		const operator = pick('North Line', 'South Line', 'East Line', '', ...HOSTILE);
		const isConfirmed = random() < (operator === 'South Line' && delivery !== 'voice' ? 0.4 : 0.85);
		// Not at the edge of what the page shows: the time goes on while the test runs.
		const age =
			20 * MINUTE + Math.floor(random() * 39) * DAY + Math.floor(random() * 20) * 60 * MINUTE;
		return {
			key: `call ${index}`,
			kind: 'verification',
			at: new Date(now - age).toISOString(),
			delivery,
			operator,
			number: Math.floor(random() * 600)
				.toString(16)
				.padStart(16, '0'),
			cost: pick(0, 0.4, 1.2),
			...(isConfirmed && { confirmed: true, seconds: 5 + Math.floor(random() * 60) }),
		};
	});
	const tooFresh: Row = {
		...verifications[0],
		key: 'call fresh',
		kind: 'verification',
		// The service's clock may be ahead of n8n's. An hour, so that it stays too fresh while the test runs.
		at: new Date(now + 60 * MINUTE).toISOString(),
		confirmed: false,
		cost: 7,
	};
	// Two events of one call at the same moment: n8n's tables have no unique key.
	const twice: Row[] = [
		{ key: 'call twice', kind: 'verification', at: new Date(now - DAY).toISOString(), cost: 3 },
		{
			key: 'call twice',
			kind: 'verification',
			at: new Date(now - DAY).toISOString(),
			delivery: 'voice',
			operator: 'North Line',
			number: 'f'.repeat(16),
			confirmed: true,
			seconds: 9,
		},
	];
	const lists = [1, 2, 3].map(
		(each): Row => ({
			key: `list ${each}`,
			kind: 'list',
			at: new Date(now - each * 10 * DAY + DAY).toISOString(),
			name: `${HOSTILE[0]} ${each}.csv`,
			rows: 100 * each,
			valid: 60 * each,
			invalid: 30 * each,
			unreadable: 10 * each,
			paid: 80 * each,
			cost: 4.5 * each,
			seconds: 12,
		}),
	);
	const merged: Row[] = [...verifications, Object.assign({}, ...twice) as Row];
	let report: PublishedReport;

	beforeAll(async () => {
		report = await publishReport(n8n, 'report');
		await n8n.client.dataTables.insert(REPORT_TABLE, [
			...verifications,
			tooFresh,
			...twice,
			...lists,
		]);
	});

	test('shows the page only to those who know the password', async () => {
		expect((await callWebhook(report.form, { method: 'GET' })).status).toBe(401);
	});

	testIfChromium(
		'the page of 1,000 verifications has the right figures, and nothing in it runs',
		async () => {
			const browser = await launchChromium();
			const httpCredentials = { username: OWNER.user, password: OWNER.password };
			const context = await browser.newContext({ ...PHONE, httpCredentials });
			context.setDefaultTimeout(PAGE_LIMIT);
			const page = await context.newPage();
			await page.goto(report.form);
			await page.getByRole('button', { name: 'Show' }).click();
			await page.locator('.tiles').waitFor();

			const recent = merged.filter(({ at }) => now - Date.parse(at) < SETTINGS.days * DAY);
			const confirmed = recent.filter((row) => row.confirmed);
			const persons = new Set(confirmed.map(({ number }) => number)).size;
			const cost = costOf(recent);
			const seconds = confirmed.map((row) => row.seconds ?? NaN).sort((one, other) => one - other);
			const month = new Date().toISOString().slice(0, 7);
			const spent = [[...merged, tooFresh], lists].map((rows) =>
				costOf(rows.filter(({ at }) => at >= month)),
			);
			const [calls = 0, onLists = 0] = spent;
			expect(await page.locator('h1').innerText()).toBe(
				`${percent(confirmed, recent)} of ${recent.length} verifications were confirmed`,
			);
			expect(await page.locator('.tiles > div').allInnerTexts()).toEqual([
				`Confirmed\n${percent(confirmed, recent)}\n${confirmed.length} of ${recent.length}`,
				`Cost per person\n${money(cost / persons)}\n${money(cost)} for ${persons} confirmed`,
				`Until the code\n${seconds[Math.floor((seconds.length - 1) / 2)]} s\nhalf were faster`,
				`Spent this month\n${money(calls + onLists)}\ncalls ${money(calls)}, lists ${money(onLists)}`,
			]);

			const lines = (await page.locator('tr').allInnerTexts()).map((line) =>
				line.split(/\s*[\n\t]\s*/),
			);
			for (const way of Object.keys(WAYS) as Array<keyof typeof WAYS>) {
				expect(lines).toContainEqual(
					lineOf(
						WAYS[way],
						recent.filter(({ delivery }) => delivery === way),
					),
				);
			}
			for (const operator of ['North Line', 'South Line', 'East Line', '', ...HOSTILE]) {
				const rows = recent.filter((row) => row.operator === operator);
				expect(lines).toContainEqual(lineOf(operator || 'Unknown operator', rows));
				for (const way of Object.keys(WAYS) as Array<keyof typeof WAYS>) {
					const part = rows.filter(({ delivery }) => delivery === way);
					expect(lines).toContainEqual(lineOf(WAYS[way], part));
				}
			}
			const text = await page.locator('body').innerText();
			for (const { rows, valid, invalid, unreadable, paid } of lists.filter(
				({ at }) => at >= month,
			)) {
				const counts = `${valid} valid, ${invalid} invalid, ${unreadable} unreadable`;
				expect(text).toContain(`${rows} rows: ${counts}, ${paid} paid for, in 12 s`);
			}
			expect(await page.title()).toBe('Verification report');
			expect(await page.locator('img, a').count()).toBe(0);
			// n8n has one of its own.
			expect(await page.locator('script', { hasText: 'owned' }).count()).toBe(0);
			expect(await pageWidth(page)).toBe(PHONE.viewport.width);
			expect(await unreadableTexts(page)).toEqual([]);
			await browser.close();
		},
	);

	test('every Monday, the page comes as a file, and an operator below the limit is an alert', async () => {
		const execution = await n8n.client.run(report.workflowId, 'Every Monday');
		expect(execution.error).toBeUndefined();
		expect(execution.nodes).not.toHaveProperty('Show Page');
		expect(itemsOf(execution, 'Weekly Report')).toHaveLength(1);

		const recent = merged.filter(({ at }) => now - Date.parse(at) < SETTINGS.days * DAY);
		const expected = ['North Line', 'South Line', 'East Line', '', ...HOSTILE].flatMap((operator) =>
			(Object.keys(WAYS) as Array<keyof typeof WAYS>).flatMap((way) => {
				const rows = recent.filter((row) => row.operator === operator && row.delivery === way);
				const yes = rows.filter((row) => row.confirmed).length;
				const isLow =
					rows.length >= SETTINGS.alertFrom && (100 * yes) / rows.length < SETTINGS.alertBelow;
				return isLow
					? [{ operator, way: WAYS[way], verifications: rows.length, confirmed: yes }]
					: [];
			}),
		);
		const alerts = itemsOf(execution, 'Alert');
		expect(alerts).toHaveLength(expected.length);
		expect(alerts).toEqual(
			expect.arrayContaining(expected.map((alert) => expect.objectContaining(alert) as object)),
		);
		expect(expected.map(({ operator }) => operator)).toContain('South Line');
		expect(alerts[0]?.message).toMatch(
			/^South Line, by .*: only \d+ of \d+ verifications were confirmed/,
		);
	});
}

/** Whatever may be wrong with the report that was chosen in Record. */
const TROUBLES = {
	fails: [nodeOf('Fail', 'n8n-nodes-base.stopAndError', 1, { errorMessage: 'Broken' })],
	'takes long': [nodeOf('Long', 'n8n-nodes-base.wait', 1.1, { amount: 60, unit: 'seconds' })],
	'is not published': [],
	'was deleted': [],
};

describeLongInN8n('Record', {}, (n8n) => {
	test.each(Object.entries(TROUBLES))(
		'is harmless to its workflow if the report %s',
		async (trouble, nodes) => {
			const { workflows, executions } = n8n.client;
			const trigger = nodeOf('Record', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
				inputSource: 'passthrough',
			});
			const report = await workflows.create(
				sideBySide(chain(`A report that ${trouble}`, trigger, ...nodes), chain('', everyMonday)),
			);
			await workflows.publish(report.id);
			const path = `record-${trouble.replaceAll(' ', '-')}`;
			const { id } = await workflows.create(recordingTo(report.id, await recordThenAnswer(path)));
			await workflows.publish(id);
			if (trouble === 'is not published') await workflows.unpublish(report.id);
			if (trouble === 'was deleted') await workflows.delete(report.id);

			for (const _visitor of ['first', 'second']) {
				const answer = await callWebhook(productionUrl(n8n.url, path), { body: {} });
				expect(answer).toMatchObject({ status: 200, json: { ok: true } });
			}
			if (trouble === 'takes long') {
				const [begun] = await executions.list(report.id);
				expect(begun?.status).toMatch(/running|waiting/);
				await executions.stop(begun?.id ?? '');
			}
			const ended = await storedExecutions(n8n.client, id, 2);
			expect(ended.map(({ status }) => status)).toEqual(['success', 'success']);
		},
	);

	/** A workflow that records before it answers. */
	async function recordThenAnswer(path: string): Promise<WorkflowFile> {
		const record = await recordNode();
		const answer = nodeOf('Answer', 'n8n-nodes-base.respondToWebhook', 1.1, {
			respondWith: 'json',
			responseBody: '={{ { ok: true } }}',
		});
		// n8n runs the upper branch first.
		const branches: WorkflowFile['nodes'] = [
			{ ...record, position: [220, 0] },
			{ ...answer, position: [220, 200] },
		];
		const main = [branches.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }))];
		return {
			name: path,
			nodes: [webhook(path, 'responseNode'), ...branches],
			connections: { Webhook: { main } },
			settings: { executionOrder: 'v1' },
		};
	}
});

/** The node as it is in the examples. */
async function recordNode(): Promise<WorkflowFile['nodes'][number]> {
	const { nodes } = await readExample('check-list-schedule');
	const record = nodes.find(({ name }) => name === 'Record');
	if (!record) throw new Error('The example has no Record');
	return record;
}

function lineOf(name: string, rows: readonly Row[]): string[] {
	const confirmed = rows.filter((row) => row.confirmed);
	return [name, `${percent(confirmed, rows)} ${confirmed.length} of ${rows.length}`];
}

const costOf = (rows: readonly Row[]) => rows.reduce((sum, { cost = 0 }) => sum + cost, 0);
const percent = (part: readonly Row[], all: readonly Row[]) =>
	`${Math.round((100 * part.length) / all.length)}%`;
const money = (value: number) =>
	value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
