import { File } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
	formUrl,
	FormVisitor,
	type N8nClient,
	readWorkflowFiles,
	waitUntil,
	type WorkflowFile,
} from '../../harness';
import { lineOf } from '../../harness/setup/n8nReleases';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import { LoginApi } from '../../harness/workflows/loginApi';
import { publishExample, withChosenCredentials } from '../../harness/workflows/examples';
import {
	OWNER,
	publishReport,
	recordingTo,
	REPORT_TABLE,
} from '../../harness/workflows/verificationReport';
import { waitsAfter } from '../e2e/waitsAfter';
import { Attempts } from './attempts';
import type { TestedN8n } from './testedN8n';

const ROOT = join(__dirname, '../..');
const FOLDERS = ['examples', 'examples/recipes'];
const FIRST_VISITOR = 79_160_000_001;

/** Creates every example and recipe, and visits those that need nothing but n8n and the service. */
export async function tryExamples(n8n: TestedN8n): Promise<string[]> {
	const attempts = new Attempts();
	const known = await knownNodes(n8n.client);
	for (const [path, file] of await workflowFiles()) {
		await attempts.make(path, async () => {
			const unknown = file.nodes.map(nameAndVersion).filter((node) => !known.has(node));
			if (unknown.length > 0) throw new Error(`n8n has no ${unknown.join(', ')}`);
			await createExample(n8n, file);
		});
	}
	for (const [index, [name, visit]] of Object.entries(VISITS).entries()) {
		const phone = String(FIRST_VISITOR + index);
		await attempts.make(`a visit to ${name}`, async () => {
			await visit(n8n, { prefix: randomUUID(), phone });
		});
	}
	return attempts.problems;
}

/** The examples and recipes by path. */
export async function workflowFiles(): Promise<Array<[path: string, file: WorkflowFile]>> {
	const folders = FOLDERS.map(async (folder) => {
		const files = [...(await readWorkflowFiles(join(ROOT, folder)))];
		return files.map(([name, file]): [string, WorkflowFile] => [`${folder}/${name}.json`, file]);
	});
	return (await Promise.all(folders)).flat();
}

/** Creates it with the credential chosen, and returns its ID. */
export async function createExample(
	{ client, credential }: TestedN8n,
	file: WorkflowFile,
): Promise<string> {
	const chosen = withChosenCredentials(file, { [CREDENTIAL_TYPE]: credential });
	return (await client.workflows.create(chosen)).id;
}

async function knownNodes({ nodeTypes }: N8nClient): Promise<ReadonlySet<string>> {
	const types = (await nodeTypes.all()).flatMap(({ name: type, version }) =>
		[version].flat().map((typeVersion) => nameAndVersion({ type, typeVersion })),
	);
	return new Set(types);
}

function nameAndVersion({ type, typeVersion = 1 }: Partial<WorkflowFile['nodes'][number]>): string {
	return `${type} ${typeVersion}`;
}

interface Visit {
	/** Keeps the addresses apart from those that n8n has already. */
	readonly prefix: string;
	/** Somebody else's each time, because a number is not called twice in a minute. */
	readonly phone: string;
}

const VISITS: Readonly<Record<string, (n8n: TestedN8n, visit: Visit) => Promise<void>>> = {
	'call-and-check-code': async (n8n, { prefix, phone }) => {
		const { form } = await publishForm('call-and-check-code', n8n, prefix);
		const visitor = await FormVisitor.start(form, `+${phone}`);
		await visitor.nextPage();
		await visitor.submit(n8n.emulator.ledger.calls.at(-1)?.code ?? '');
		await expectPage(visitor, 'Thank you');
	},
	'verify-by-inbound-call': async (n8n, { prefix, phone }) => {
		const { form, id } = await publishForm('verify-by-inbound-call', n8n, prefix);
		const visitor = await FormVisitor.start(form, `+${phone}`);
		await visitor.nextPage();
		await waitsAfter(n8n.client, id, 'Waiting for a Call?');
		const event = await n8n.emulator.callFrom(phone);
		if (event?.status !== 200) throw new Error(`the event was answered with ${event?.status}`);
		await expectPage(visitor, 'Thank you');
	},
	'check-list-form': async (n8n, { prefix, phone }) => {
		const { form } = await publishForm('check-list-form', n8n, prefix);
		const list = new File([`name,phone\nAnn,+${phone}\n`], 'phones.csv');
		const visitor = await FormVisitor.start(form, list, '', '7');
		await expectPage(visitor, '1 of 1 row has a valid number');
	},
	'login-api': async (n8n, visit) => await logIn(n8n, visit),
	'verification-report': async (n8n, { prefix, phone }) => {
		const { dataTables } = n8n.client;
		// Of another name than that of a report that may be there already.
		const table = `${REPORT_TABLE}_${prefix.replaceAll('-', '_')}`;
		dataTables.deleteLater(table);
		const report = await publishReport({ ...n8n, line: lineOf(n8n.client.version) }, prefix, table);
		const recording = (file: WorkflowFile) => recordingTo(report.workflowId, file);
		await logIn(n8n, { prefix: `recorded-${prefix}`, phone }, recording);
		await waitUntil(
			async () => (await dataTables.rows(table)).some(({ confirmed }) => confirmed) || undefined,
			{ what: 'the verification is recorded' },
		);
		const login = Buffer.from(`${OWNER.user}:${OWNER.password}`).toString('base64');
		const visitor = await FormVisitor.startWith({ authorization: `Basic ${login}` }, report.form);
		await expectPage(visitor, '100% of 1 verifications were confirmed');
	},
};

/** Somebody is verified by login-api. */
async function logIn(
	n8n: TestedN8n,
	{ prefix, phone }: Visit,
	change?: (file: WorkflowFile) => WorkflowFile,
): Promise<void> {
	const api = await LoginApi.publish({ ...n8n, urls: [n8n.url], prefix, change });
	const token = await api.start(phone);
	const { text } = await api.check(token, n8n.emulator.ledger.calls.at(-1)?.code ?? '');
	if (!text.includes('"verified":true')) throw new Error(`the code was answered with ${text}`);
}

async function publishForm(name: string, n8n: TestedN8n, prefix: string) {
	const { id, file } = await publishExample(name, prefix, n8n);
	return { id, form: formUrl(n8n.url, file) };
}

async function expectPage(visitor: FormVisitor, title: string): Promise<void> {
	const page = await visitor.nextPage();
	if (!page.title.includes(title)) {
		throw new Error(`the visitor sees "${page.title}: ${page.text}" instead of "${title}"`);
	}
}
