import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A minimal community package: one node that marks its items, one credential that can be tested. */
export const samplePackage = {
	name: 'n8n-nodes-sample',
	nodeType: 'n8n-nodes-sample.mark',
	credentialType: 'sampleApi',
};

const manifest = {
	name: samplePackage.name,
	version: '1.0.0',
	keywords: ['n8n-community-node-package'],
	files: ['dist'],
	peerDependencies: { 'n8n-workflow': '*' },
	n8n: {
		n8nNodesApiVersion: 1,
		nodes: ['dist/Mark.node.js'],
		credentials: ['dist/SampleApi.credentials.js'],
	},
};

const node = `
exports.Mark = class Mark {
	description = {
		name: 'mark', displayName: 'Mark', description: 'Marks items', group: ['transform'], version: 1,
		defaults: { name: 'Mark' }, inputs: ['main'], outputs: ['main'], properties: [],
	};
	async execute() {
		return [this.getInputData().map(({ json }, item) => ({ json: { ...json, marked: true }, pairedItem: { item } }))];
	}
};`;

const credential = `
exports.SampleApi = class SampleApi {
	name = 'sampleApi';
	displayName = 'Sample API';
	properties = [
		{ name: 'baseUrl', displayName: 'Base URL', type: 'string', default: '' },
		{ name: 'token', displayName: 'Token', type: 'string', typeOptions: { password: true }, default: '' },
	];
	authenticate = { type: 'generic', properties: { headers: { authorization: '={{ $credentials.token }}' } } };
	test = { request: { baseURL: '={{ $credentials.baseUrl }}', url: '/' } };
};`;

export async function writeSamplePackage(folder: string): Promise<void> {
	await mkdir(join(folder, 'dist'), { recursive: true });
	await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
	await writeFile(join(folder, 'dist', 'Mark.node.js'), node);
	await writeFile(join(folder, 'dist', 'SampleApi.credentials.js'), credential);
}
