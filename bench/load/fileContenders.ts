import { join } from 'node:path';

import type { EmulatorAccess } from '../services';
import { RESULT_COLUMNS } from '../../nodes/CallVerification/phones/resultColumns';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/emulatedService';
import { actionNode, NODE, type OperationParameters } from '../../harness/workflows/nodeRunner';
import type { N8nClient, WorkflowFile, WorkflowNode } from '../../harness';
import { chain, set, webhook } from '../../harness/rest/workflowFile';
import { AT_ONCE } from './lists';

const INPUT = 'phones.csv';
const KNOWN = 'known-numbers.csv';
export const OUTPUT = 'phones-checked.csv';
/** How many numbers are known for each row of the list. */
const KNOWN_PER_ROW = 3;

/** A way from a file on disk to a file with the results. */
export interface FileContender {
	readonly name: string;
	/** What the workflow reads, by file name. */
	readonly files: (rows: number, firstPhone: number) => Readonly<Record<string, string>>;
	/** Nodes between reading the list in `folder` and writing the results there. */
	readonly nodes: (
		client: N8nClient,
		service: EmulatorAccess,
		folder: string,
	) => Promise<WorkflowNode[]>;
	/** Whether all numbers of a row have a result. */
	readonly hasResults: (row: string) => boolean;
}

/** A result with its number, as Check File writes it. */
const RESULT = /,TRUE,\+79\d{9},/g;

export const AS_FILE: FileContender = {
	name: 'Check File',
	files: oneColumn,
	nodes: async (client, service) => [
		await ours(client, service, { resource: 'phoneNumber', operation: 'checkFile' }),
	],
	hasResults: (row) => row.match(RESULT)?.length === 1,
};

/** Pays for as many numbers as with one column: those of the second one are known, as are twice as many others. */
export const WITH_KNOWN_NUMBERS: FileContender = {
	name: `Check File, two columns, ${KNOWN_PER_ROW} known numbers per row`,
	files: (rows, firstPhone) => ({
		[INPUT]: csv(
			['name', 'phone', 'work phone', 'email'],
			rows,
			(row) =>
				`Person ${row},+${firstPhone + row},+${firstPhone + rows + row},person${row}@example.com`,
		),
		[KNOWN]: knownNumbers(KNOWN_PER_ROW * rows, firstPhone + rows),
	}),
	nodes: async (client, service, folder) => [
		n8nNode('Read Known', 'readWriteFile', 1, {
			operation: 'read',
			fileSelector: join(folder, KNOWN),
			options: { dataPropertyName: 'known' },
		}),
		n8nNode('Both', 'code', 2, {
			jsCode:
				"return [{ json: {}, binary: { ...$('Read').first().binary, ...$input.first().binary } }];",
		}),
		await ours(client, service, {
			resource: 'phoneNumber',
			operation: 'checkFile',
			options: { earlierResults: 'known', knownNumbers: 'known' },
		}),
		n8nNode('Write Known', 'readWriteFile', 1, {
			operation: 'write',
			fileName: join(folder, `next-${KNOWN}`),
			dataPropertyName: 'known',
		}),
	],
	hasResults: (row) => row.match(RESULT)?.length === 2,
};

export const AS_ITEMS: FileContender = {
	name: 'Check, a row per item',
	files: oneColumn,
	nodes: async (client, service) =>
		perItem({
			...(await ours(client, service, {
				resource: 'phoneNumber',
				operation: 'check',
				phone: '={{ $json.phone }}',
				options: { includeInputFields: true },
			})),
			onError: 'continueRegularOutput',
		}),
	hasResults: (row) => /,true,/i.test(row),
};

/** The folder of a node that does nothing else, for N8N_CUSTOM_EXTENSIONS. */
export const OWN_NODES = join(__dirname, 'requestsAlone');

/** What n8n itself needs to send the requests. The results are lost. */
export const REQUESTS_ALONE: FileContender = {
	name: 'n8n’s requests alone',
	files: oneColumn,
	nodes: async (client, service) => [
		{
			...(await ours(client, service, { resource: '', operation: '' })),
			type: 'CUSTOM.requestsAlone',
			parameters: {},
		},
	],
	hasResults: (row) => row.includes(',+79'),
};

/** Only what the service responds comes out: the other columns of the file are lost. */
export const WITH_HTTP_REQUEST: FileContender = {
	name: 'HTTP Request, a row per item',
	files: oneColumn,
	nodes: async (client, service) => perItem(await AT_ONCE.node(client, service)),
	// The service returns numbers without a plus.
	hasResults: (row) => /(?<![+\d])79\d{9}(?!\d)/.test(row),
};

export function fileWorkflow(
	path: string,
	folder: string,
	nodes: readonly WorkflowNode[],
): WorkflowFile {
	const begin = webhook(path);
	return chain(
		`File (${path})`,
		{ ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } },
		n8nNode('Read', 'readWriteFile', 1, { operation: 'read', fileSelector: join(folder, INPUT) }),
		...nodes,
		n8nNode('Write', 'readWriteFile', 1, { operation: 'write', fileName: join(folder, OUTPUT) }),
	);
}

async function ours(
	client: N8nClient,
	service: EmulatorAccess,
	parameters: OperationParameters,
): Promise<WorkflowNode> {
	const credential = await client.credentials.create(
		'Service',
		CREDENTIAL_TYPE,
		credentialData(service),
	);
	return actionNode(credential, parameters);
}

function perItem(node: WorkflowNode): WorkflowNode[] {
	return [
		n8nNode('Rows', 'extractFromFile', 1, { operation: 'csv' }),
		{ ...node, name: NODE },
		n8nNode('File', 'convertToFile', 1.1, { operation: 'csv' }),
	];
}

function n8nNode(
	name: string,
	type: string,
	typeVersion: number,
	parameters: WorkflowNode['parameters'],
): WorkflowNode {
	return { ...set(name, ''), type: `n8n-nodes-base.${type}`, typeVersion, parameters };
}

function oneColumn(rows: number, firstPhone: number): Readonly<Record<string, string>> {
	const line = (row: number) => `Person ${row},+${firstPhone + row},person${row}@example.com`;
	return { [INPUT]: csv(['name', 'phone', 'email'], rows, line) };
}

/** As Check File writes them. */
function knownNumbers(count: number, firstPhone: number): string {
	const checkedAt = new Date().toISOString();
	return csv(
		['phone', ...RESULT_COLUMNS, 'price'],
		count,
		(row) =>
			`+${firstPhone + row},TRUE,+${firstPhone + row},TRUE,Birch Mobile,Russia,Moscow and Moscow Region,,${checkedAt},0.05`,
	);
}

function csv(columns: readonly string[], rows: number, line: (row: number) => string): string {
	const lines = Array.from({ length: rows }, (_none, row) => line(row));
	return `${[columns.join(','), ...lines].join('\n')}\n`;
}
