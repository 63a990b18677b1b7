import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { importExamples } from '../../scripts/demo/importExamples';
import type { N8nClient, RunningN8n, WorkflowFile } from '../../harness';

/** A workflow as n8n stores it. */
interface Stored extends WorkflowFile {
	readonly id: string;
	readonly published: boolean;
	readonly timesSaved: number;
}

/** The part of n8n that the import uses. */
class FakeN8n {
	readonly stored = new Map<string, Stored>();
	private count = 0;

	readonly client = {
		workflows: {
			list: async () => [...this.stored.values()],
			get: async (id: string) => this.stored.get(id),
			create: async (file: WorkflowFile) => this.put(`w${(this.count += 1)}`, file),
			replace: async (id: string, file: WorkflowFile) => this.put(id, file).id,
			publish: async (id: string) => {
				this.stored.set(id, { ...this.byId(id), published: true });
			},
		},
		run: async (id: string) => {
			if (this.byId(id).settings?.saveManualExecutions === false) throw new Error('Not found');
			return { status: 'success' };
		},
	} as unknown as N8nClient;

	put(id: string, file: WorkflowFile): Stored {
		const { published = false, timesSaved = 0 } = this.stored.get(id) ?? {};
		const stored = { ...file, id, published, timesSaved: timesSaved + 1 };
		this.stored.set(id, stored);
		return stored;
	}

	byId(id: string | undefined): Stored {
		const workflow = this.stored.get(id ?? '');
		if (!workflow) throw new Error(`There is no workflow ${id}`);
		return workflow;
	}
}

describe('the examples that “npm start” imports', () => {
	let userFolder: string;
	let n8n: FakeN8n;
	const start = async () => await importExamples(n8n.client, { userFolder } as RunningN8n);

	beforeEach(async () => {
		userFolder = await mkdtemp(join(tmpdir(), 'call-verification-import-'));
		n8n = new FakeN8n();
	});

	afterEach(async () => {
		await rm(userFolder, { recursive: true, force: true });
	});

	/** As if an earlier release had shipped a different example. */
	const pretendOlderExample = async (name: string) => {
		const file = join(userFolder, 'examples.json');
		const known = JSON.parse(await readFile(file, 'utf8')) as Record<string, object>;
		known[name] = { ...known[name], example: 'older' };
		await writeFile(file, JSON.stringify(known));
	};

	it('are updated, and published again, when the package has new ones', async () => {
		const id = (await start()).get('login-api');
		await pretendOlderExample('login-api');
		expect((await start()).get('login-api')).toBe(id);
		expect(n8n.byId(id)).toMatchObject({ published: true, timesSaved: 2 });
	});

	it('are left alone once the user has changed them', async () => {
		const id = (await start()).get('login-api') ?? '';
		const changed = n8n.put(id, { ...n8n.byId(id), name: 'My login' });
		await pretendOlderExample('login-api');
		await start();
		expect(n8n.byId(id)).toEqual(changed);
	});
});
