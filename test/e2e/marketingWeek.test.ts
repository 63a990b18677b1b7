import { File } from 'node:buffer';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completeSettings } from '../../emulator/played/services';
import { filesOf, FormVisitor, formUrl, waitUntil, type WorkflowFile } from '../../harness';
import { CREDENTIAL_TYPE, serviceAs } from '../../harness/emulatedService';
import { LargeList } from '../../harness/workflows/largeLists';
import {
	publishExample,
	readExample,
	withChosenCredentials,
	withSettings,
} from '../../harness/workflows/examples';
import {
	publishReport,
	recordingTo,
	REPORT_TABLE,
} from '../../harness/workflows/verificationReport';
import {
	addedCells,
	type Cell,
	CRM,
	type MessyNumber,
	type MessyRow,
	messyRows,
	messyText,
	numbersOf,
} from '../core/messyList';
import { HeldAnswers, patient } from './heldAnswers';
import { describeInN8n } from './inN8n';
import { sheetsOf, spreadsheet } from './spreadsheet';

/** The lists of a team, in its form, its schedule and its large list, which share one folder. */
const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const clients = messyRows(90, { seed: SEED, numbers: 70 });
const leads = messyRows(60, { seed: SEED + 1, from: 50, numbers: 60 });
const newClients = messyRows(15, { seed: SEED + 2, from: 200 });
const moreClients = messyRows(15, { seed: SEED + 3, from: 230 });
const everybody = [
	...clients,
	...leads,
	...newClients,
	...messyRows(60, { seed: SEED + 4, from: 300 }),
];
const forForm = messyRows(12, { seed: SEED + 5, from: 500, numbers: 30 });
const forSchedule = messyRows(12, { seed: SEED + 6, from: 510, numbers: 30 });

const PART = 20;
const PRICES = { valid: 0.05, invalid: 0.02 };
const RESULTS = 'valid phone_e164 mobile operator country region reason checked_at'.split(' ');
const COLUMNS = CRM.phoneLabels.flatMap((label) => RESULTS.map((name) => `${name} (${label})`));
const OWN_COLUMNS = 7;
const answers = new HeldAnswers();
const { prices } = completeSettings({ as: serviceAs() });
const service = {
	prices: { ...prices, check: PRICES.valid, invalidCheck: PRICES.invalid },
	startingBalance: 1e6,
	clock: answers.clock,
};

const cellsIn = (rows: readonly MessyRow[]) => rows.flatMap(({ phones }) => phones);
const priceOf = ({ country }: MessyNumber) => (country === '' ? PRICES.invalid : PRICES.valid);
const withPlus = (sent: string) => `+${sent.replace(/\D/g, '')}`;

describeInN8n(
	'the week of a team',
	service,
	(n8n) => {
		const folder = join(filesOf(n8n.userFolder), 'week');
		const paid = new Map<string, number>();
		let form: string;
		let formName: string;
		let recording: (file: WorkflowFile) => WorkflowFile;

		beforeAll(async () => {
			await mkdir(folder);
			const { workflowId } = await publishReport(n8n, 'week');
			recording = (file) => recordingTo(workflowId, patient(file));
			const { file } = await publishExample('check-list-form', 'week', n8n, {}, (example) =>
				withSettings(recording(example), { folder }),
			);
			form = formUrl(n8n.url, file);
			formName = file.name;
		});

		afterAll(async () => await n8n.client.dataTables.delete(REPORT_TABLE));

		test('Monday: the form checks a CSV file, and pays for each number once', async () => {
			const result = await expectPaid(clients, async () => await send('clients.csv', clients));
			expectResults(addedCells(result.toString().slice(1), clients, CRM, COLUMNS.length), clients);
			await expectRecorded(formName, 'clients.csv', clients);
		});

		test('Tuesday: a colleague sends an Excel file, and what is known costs nothing', async () => {
			const header = ['№', 'Клиент', 'ИНН', ...CRM.phoneNames, 'Почта', 'Комментарий'];
			// Excel has other line breaks.
			const cells = leads.map(({ before, phones, after }) =>
				[...before, ...phones.map(({ text }) => text), ...after].map((cell) =>
					cell.replaceAll('\r\n', '\n'),
				),
			);
			const sheet = spreadsheet([header, ...cells]);
			const result = await expectPaid(leads, async () => await send('leads.xlsx', sheet));
			const [rows = []] = (await sheetsOf(result, n8n.line)).values();
			const textIn = (cell: unknown) => (typeof cell === 'string' ? cell : '');
			const width = OWN_COLUMNS + COLUMNS.length;
			const texts = rows.map((row) =>
				Array.from({ length: width }, (_none, column) => textIn(row[column])),
			);
			expect(texts.map((row) => row.slice(0, OWN_COLUMNS))).toEqual([header, ...cells]);
			expectResults(
				texts.map((row) => row.slice(OWN_COLUMNS)),
				leads,
			);
			await expectRecorded(formName, 'leads.xlsx', leads);
		});

		test.each([
			['2026-01', [...clients, ...newClients]],
			['2026-02', clients.slice(0, 30)],
			['2026-03', [...clients, ...newClients, ...moreClients]],
		])('the schedule of %s pays only for what nobody has checked', async (month, rows) => {
			await writeList(rows);
			await expectPaid(rows, async () => {
				expect(await schedule(month)).toBeUndefined();
			});
			await expectFile(`phones-checked-${month}.csv`, rows);
			await expectRecorded('Check a phone list every month', 'phones.csv', rows);
		});

		test('the large list checks the rest in parts', async () => {
			await writeList(everybody);
			const list = await LargeList.import(
				n8n.client,
				n8n,
				{ checksPerPart: PART },
				(file) => withChosenCredentials(recording(file), { [CREDENTIAL_TYPE]: n8n.credential }),
				folder,
			);
			await expectPaid(everybody, async () => await list.run(n8n.client));
			expect(lastPaid.length).toBeGreaterThan(2 * PART);
			await expectFile('phones-checked.csv', everybody);
			await expectRecorded('Check a large phone list', 'phones.csv', everybody);
		});

		test('the form and the schedule at the same moment: one of them is refused, and nothing is paid twice', async () => {
			await writeList(forSchedule);
			const before = n8n.emulator.ledger.checks.length;
			const release = answers.hold(n8n.emulator);
			const runs = [post('together.csv', forForm), schedule('2026-04')] as const;
			await Promise.race(runs);
			release();
			const [page, problem] = await Promise.all(runs);
			const isFormRefused = page.title === 'This list was not checked';
			expect([isFormRefused, problem !== undefined].sort()).toEqual([false, true]);
			expect(page.text + String(problem)).toMatch(
				/Another (list is being checked|run is checking)/,
			);
			notePaid(before);

			// The one that was refused pays only for what the other one has not checked.
			const [again, rows] = isFormRefused
				? [async () => void (await send('together.csv', forForm)), forForm]
				: [async () => expect(await schedule('2026-04')).toBeUndefined(), forSchedule];
			await expectPaid(rows, again);
		});

		test('in the end, each number was paid for once, whoever has sent it', () => {
			const all = [...everybody, ...moreClients, ...forForm, ...forSchedule];
			expect(new Set(paid.keys())).toEqual(new Set(numbersOf(cellsIn(all)).keys()));
			expect([...paid.values()].filter((times) => times !== 1)).toEqual([]);
		});

		/** What the last run has paid for. */
		let lastPaid: string[] = [];

		function notePaid(from: number): void {
			lastPaid = n8n.emulator.ledger.checks.slice(from).map(({ source }) => withPlus(source));
			for (const number of lastPaid) paid.set(number, (paid.get(number) ?? 0) + 1);
		}

		/** All numbers of the rows that nobody has paid for, each once, and nothing else. */
		async function expectPaid<T>(rows: readonly MessyRow[], work: () => Promise<T>): Promise<T> {
			const due = [...numbersOf(cellsIn(rows)).keys()].filter((number) => !paid.has(number));
			const before = n8n.emulator.ledger.checks.length;
			const result = await work();
			notePaid(before);
			expect([...lastPaid].sort()).toEqual(due.sort());
			return result;
		}

		/** The run that has just ended has a line in the report. */
		async function expectRecorded(
			example: string,
			name: string,
			rows: readonly MessyRow[],
		): Promise<void> {
			const cells = cellsIn(rows);
			const numbers = cells.flatMap((cell) => ('number' in cell ? [cell.number] : []));
			const valid = numbers.filter(({ country }) => country !== '').length;
			const known = numbersOf(cells);
			const cost = lastPaid.reduce((sum, number) => {
				const found = known.get(number);
				return sum + (found ? priceOf(found) : NaN);
			}, 0);
			const expected: Readonly<Record<string, unknown>> = {
				example,
				name,
				rows: rows.length,
				valid,
				invalid: numbers.length - valid,
				unreadable: cells.length - numbers.length,
				paid: lastPaid.length,
				cost: Number(cost.toFixed(6)),
			};
			let seen: unknown;
			await waitUntil(
				async () => {
					const lines = await n8n.client.dataTables.rows(REPORT_TABLE);
					seen = lines.at(-1);
					const isIt = (line: Record<string, unknown>) =>
						Object.entries(expected).every(([field, value]) => line[field] === value);
					return lines.some(isIt) || undefined;
				},
				{
					what: `there is a line with ${JSON.stringify(expected)}`,
					seen: () => JSON.stringify(seen),
				},
			);
		}

		async function post(name: string, list: Buffer | readonly MessyRow[]) {
			const bytes = Buffer.isBuffer(list) ? list : Buffer.from(messyText(list, CRM));
			const visitor = await FormVisitor.start(form, new File([bytes], name), '', '7');
			return await visitor.nextPage();
		}

		/** What somebody downloads who has sent the list. */
		async function send(name: string, list: Buffer | readonly MessyRow[]): Promise<Buffer> {
			const { title, html } = await post(name, list);
			const [, base64] = /^offer\('list', '[^']*', '([^']*)'\)/m.exec(html) ?? [];
			if (base64 === undefined) throw new Error(`There is nothing to download: ${title}`);
			return Buffer.from(base64, 'base64');
		}

		async function schedule(month: string): Promise<string | undefined> {
			const example = withSettings(recording(await readExample('check-list-schedule')), {
				folder,
				month,
				defaultCountryCode: '7',
			});
			const chosen = { [CREDENTIAL_TYPE]: n8n.credential };
			const { id } = await n8n.client.workflows.create(withChosenCredentials(example, chosen));
			return (await n8n.client.run(id)).error?.message;
		}

		async function writeList(rows: readonly MessyRow[]): Promise<void> {
			await writeFile(join(folder, 'phones.csv'), messyText(rows, CRM));
		}

		async function expectFile(name: string, rows: readonly MessyRow[]): Promise<void> {
			const text = (await readFile(join(folder, name), 'utf8')).slice(1);
			expectResults(addedCells(text, rows, CRM, COLUMNS.length), rows);
		}
	},
	['2.x'],
);

/** Beside each phone cell is what belongs there. */
function expectResults(added: readonly string[][], rows: readonly MessyRow[]): void {
	const [header, ...results] = added;
	expect(header).toEqual(COLUMNS);
	const found = results.map((cells) =>
		[0, 1].map((column) => resultIn(cells.slice(column * RESULTS.length))),
	);
	expect(found).toEqual(rows.map(({ phones }) => phones.map(expectedFor)));
}

function resultIn([
	valid,
	number,
	_mobile,
	_operator,
	country,
	_region,
	reason = '',
]: readonly string[]) {
	// Why a number is invalid, the service says in its own words.
	return [valid, number, country, valid === 'FALSE' ? '' : reason];
}

function expectedFor(cell: Cell): string[] {
	if ('reason' in cell) return ['', '', '', cell.reason];
	const { e164, country } = cell.number;
	return country === '' ? ['FALSE', e164, '', ''] : ['TRUE', e164, country, ''];
}
