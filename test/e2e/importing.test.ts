import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type INode, type INodeTypeDescription, NodeHelpers } from 'n8n-workflow';
import type { Browser } from 'playwright-core';

import {
	n8nProgram,
	readWorkflowFiles,
	runN8nCommand,
	waitUntil,
	type Workflow,
	type WorkflowFile,
} from '../../harness';
import { launchChromium } from '../../harness/browser/chromium';
import { type CanvasContent, Editor } from '../../harness/browser/editor';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import { filesIn, ROOT } from '../package/project';
import { describeIfChromium } from './inBrowser';
import { describeInOwnN8n } from './inN8n';

type FlowNode = WorkflowFile['nodes'][number];
type Stored = Workflow & WorkflowFile;

const FOLDERS = ['examples', 'examples/recipes'].map((folder) => join(ROOT, folder));
const LOGIN_API = join(ROOT, 'examples', 'login-api.json');
const FORM_TRIGGER = 'n8n-nodes-base.formTrigger';
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
/** The editor moves each node to a point of a grid of 16 before and after it moves all of them. */
const MOST_MOVED = 2 * 16;

/** What n8n calls the import of a file in its menu. */
const IMPORT_FROM_FILE = { '1.x': ['Import from File...'], '2.x': ['Import', 'From file'] };
/** The settings of every new workflow. */
const NEW_SETTINGS = {
	'1.x': { executionOrder: 'v1' },
	'2.x': { executionOrder: 'v1', binaryMode: 'separate' },
};

const nothing = () => ({});

describeInOwnN8n('an example', nothing, (n8n) => {
	let files: Map<string, WorkflowFile>;

	beforeAll(async () => {
		const read = FOLDERS.map(async (folder) => [...(await readWorkflowFiles(folder))]);
		files = new Map((await Promise.all(read)).flat());
	});

	function fileAt(path: string): WorkflowFile {
		const file = files.get(basename(path, '.json'));
		if (!file) throw new Error(`There is no ${path}`);
		return file;
	}

	// What n8n stores has the fields of a file.
	const stored = async (id = '') => (await n8n.client.workflows.get(id)) as Stored;

	test('imported with “n8n import:workflow” keeps its settings, and a second import replaces it', async () => {
		const program = await n8nProgram(n8n.line);
		const importFrom = async (...args: string[]) =>
			await runN8nCommand(program, n8n.userFolder, ['import:workflow', ...args]);

		await importFrom(`--input=${LOGIN_API}`);
		const { settings } = await stored(fileAt(LOGIN_API).id);
		expect(settings).toMatchObject({
			saveDataSuccessExecution: 'none',
			saveManualExecutions: false,
		});

		for (const folder of FOLDERS) await importFrom('--separate', `--input=${folder}`);
		for (const { id, name, settings: wanted } of files.values()) {
			expect(await stored(id)).toMatchObject({ name, settings: wanted });
		}
		expect(await n8n.client.workflows.list()).toHaveLength(files.size);
	});

	describeIfChromium('imported in the editor', () => {
		let browser: Browser;
		let editor: Editor;
		let types: INodeTypeDescription[];

		beforeAll(async () => {
			// The descriptions that n8n gives to its editor.
			types = (await n8n.client.nodeTypes.all()) as unknown as INodeTypeDescription[];
			browser = await launchChromium();
			editor = await Editor.open(browser, n8n.client);
		});

		afterAll(async () => await browser?.close());

		test.each(filesIn('examples', /\.json$/))(
			'by copying and pasting %s is the same, but for the settings',
			async (path) => {
				await editor.copyFromPage(await readFile(join(ROOT, path), 'utf8'));
				await editor.openNewWorkflow();
				await editor.pasteOnCanvas();
				await expectImported(fileAt(path), async () => await editor.saveNewWorkflow());
			},
		);

		test('from a file is the same, but for the settings, and 2.x saves it by itself', async () => {
			await editor.openNewWorkflow();
			await editor.importFile(LOGIN_API, IMPORT_FROM_FILE[n8n.line]);
			await expectImported(fileAt(LOGIN_API), async () =>
				n8n.line === '1.x' ? await editor.saveNewWorkflow() : await editor.savedNewWorkflow(),
			);
		});

		test('causes no error in the console', () => {
			expect(editor.complaints).toEqual([]);
		});

		async function expectImported(file: WorkflowFile, save: () => Promise<string>): Promise<void> {
			const copy = await saved(file, save);
			const asImported = file.nodes.map((node, index) => imported(node, copy.nodes[index]));

			expect(copy.id).not.toBe(file.id);
			expect(copy.name).toBe(file.name);
			expect(copy.nodes.map(contentOf)).toEqual(asImported.map(contentOf));
			expect(copy.connections).toEqual(file.connections);
			expect(distortion(file, copy)).toBeLessThanOrEqual(MOST_MOVED);
			// Nothing from the file.
			expect(copy.settings).toEqual(NEW_SETTINGS[n8n.line]);
			expect(await editor.shownErrors()).toEqual([]);
		}

		/** The workflow as n8n has stored it after its import. */
		async function saved(file: WorkflowFile, save: () => Promise<string>): Promise<Stored> {
			const whole = JSON.stringify(contentOnCanvas(file));
			let seen = '';
			await waitUntil(
				async () => {
					seen = JSON.stringify(await editor.canvasContent());
					return seen === whole ? true : undefined;
				},
				{ what: `the canvas shows ${whole}`, seen: () => seen },
			);
			const id = await save();
			// The first save may come before the last connection.
			return await waitUntil(
				async () => {
					const workflow = await stored(id);
					seen = JSON.stringify(contentOnCanvas(workflow));
					return seen === whole ? workflow : undefined;
				},
				{ what: `n8n has stored ${whole}`, seen: () => seen },
			);
		}

		/** What n8n makes of a node of the file. */
		function imported(node: FlowNode, copy: FlowNode | undefined): FlowNode {
			return { ...node, credentials: chosenFor(node), ...newAddress(node, copy) };
		}

		/** No credential of the file exists here. From 2.x on, the editor chooses the newest of the same type, and says so. */
		function chosenFor({ credentials = {} }: FlowNode): FlowNode['credentials'] {
			if (n8n.line === '1.x' || !(CREDENTIAL_TYPE in credentials)) return {};
			const { id, name } = n8n.credential;
			return { [CREDENTIAL_TYPE]: { id, name } };
		}

		/** Forms get a new webhook ID, and on 1.x their path as well; other webhooks keep both. */
		function newAddress(node: FlowNode, copy: FlowNode | undefined): Partial<FlowNode> {
			const webhookId = copy?.webhookId;
			if (node.type !== FORM_TRIGGER) return { webhookId: node.webhookId ?? webhookId };
			expect(webhookId).not.toBe(node.webhookId);
			if (n8n.line !== '1.x') return { webhookId };
			const options = { ...Object(node.parameters?.options), path: webhookId };
			return { webhookId, parameters: { ...node.parameters, options } };
		}

		/** Everything but ID and place, with the parameters as n8n reads them: it does not store defaults. */
		function contentOf({ id: _id, position: _position, ...node }: FlowNode) {
			const { credentials = {}, parameters = {}, type, typeVersion = 1 } = node;
			const description = types.find(
				({ name, version }) => name === type && [version].flat().includes(typeVersion),
			);
			if (!description) throw new Error(`n8n has no ${type} of version ${typeVersion}`);
			const { properties } = description;
			// A node of a file is complete.
			const whole = node as INode;
			const read = NodeHelpers.getNodeParameters(
				properties,
				parameters,
				true,
				false,
				whole,
				description,
			);
			return { ...node, credentials, parameters: read };
		}
	});
});

function contentOnCanvas({ nodes, connections }: WorkflowFile): CanvasContent {
	const notes = nodes.filter(({ type }) => type === STICKY_NOTE).length;
	const ends = Object.values(connections).flatMap((byType) => Object.values(byType).flat(2));
	return {
		nodes: nodes.length - notes,
		notes,
		connections: ends.filter((end) => end !== null).length,
	};
}

/** How far two nodes are from where they would be if all had been moved alike. */
function distortion(file: WorkflowFile, copy: WorkflowFile): number {
	const spread = (axis: 0 | 1) => {
		const moves = file.nodes.map(
			({ position }, index) =>
				(copy.nodes[index]?.position?.[axis] ?? NaN) - (position?.[axis] ?? NaN),
		);
		return Math.max(...moves) - Math.min(...moves);
	};
	return Math.max(spread(0), spread(1));
}
