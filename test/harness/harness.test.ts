import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	callWebhook,
	connect,
	freePorts,
	itemsOf,
	type N8nClient,
	type N8nLine,
	n8nProgram,
	packPackage,
	processesInGroup,
	productionUrl,
	type RunningN8n,
	startN8n,
	testUrl,
} from '../../harness/index';
import { samplePackage, writeSamplePackage } from '../../harness/samplePackage';
import {
	chain,
	manualTrigger,
	mark,
	set,
	stopWith,
	waitForCall,
	webhook,
} from '../../harness/sampleWorkflow';

const LINES: N8nLine[] = ['1.x', '2.x'];

let workFolder: string;
let tarball: string;

beforeAll(async () => {
	workFolder = await mkdtemp(join(tmpdir(), 'real-n8n-test-'));
	await writeSamplePackage(join(workFolder, 'package'));
	tarball = await packPackage(join(workFolder, 'package'), join(workFolder, 'packed'));
});

afterAll(async () => {
	await rm(workFolder, { recursive: true, force: true });
});

describe.each(LINES)('n8n %s', (line) => {
	let n8n: RunningN8n;
	let client: N8nClient;

	beforeAll(async () => {
		n8n = await startN8n(await n8nProgram(line), { packages: [tarball] });
		console.info(`n8n ${n8n.version} answered after ${n8n.startUpTime} ms`);
		client = await connect(n8n);
	});

	afterAll(async () => {
		await n8n?.stop();
	});

	test('loads a packed community package under the package’s own name', async () => {
		const types = await client.nodeTypes.ofPackage(samplePackage.name);
		const credential = await client.nodeTypes.credential(samplePackage.credentialType);

		expect(types.map(({ name }) => name)).toContain(samplePackage.nodeType);
		expect(credential?.displayName).toBe('Sample API');
	});

	test('runs a workflow manually and returns the items of each node', async () => {
		const { id } = await client.workflows.create(
			chain('By hand', manualTrigger, set('Greet', '={"greeting": "{{ "Hel" + "lo" }}"}'), mark),
		);

		const execution = await client.executions.wait(await client.workflows.run(id));

		expect(execution).toMatchObject({ status: 'success', mode: 'manual', lastNode: 'Mark' });
		expect(itemsOf(execution, 'Greet')).toEqual([{ greeting: 'Hello' }]);
		expect(itemsOf(execution, 'Mark')).toEqual([{ greeting: 'Hello', marked: true }]);
	});

	test('reports which node failed and its message', async () => {
		const { id } = await client.workflows.create(
			chain('Failing', manualTrigger, stopWith('The list is empty'), mark),
		);

		const execution = await client.executions.wait(await client.workflows.run(id));

		expect(execution.status).toBe('error');
		expect(execution.error).toMatchObject({ message: 'The list is empty', node: 'Stop' });
		expect(() => itemsOf(execution, 'Mark')).toThrow(/did not run.*The list is empty/);
	});

	test('runs a published workflow through its webhook, until it is unpublished', async () => {
		const url = productionUrl(n8n.url, 'greet');
		const { id } = await client.workflows.create(
			chain('By webhook', webhook('greet'), set('Greet', '={"hello": "{{ $json.body.name }}"}')),
		);

		await client.workflows.publish(id);
		const { result, execution } = await client.executions.startedBy(
			id,
			async () => await callWebhook(url, { body: { name: 'Ann' } }),
		);
		await client.workflows.unpublish(id);

		expect(result).toMatchObject({ status: 200, json: { hello: 'Ann' } });
		expect(execution).toMatchObject({ status: 'success', mode: 'webhook' });
		expect(itemsOf(execution, 'Greet')).toEqual([{ hello: 'Ann' }]);
		expect((await callWebhook(url, { body: { name: 'Ann' } })).status).toBe(404);
	});

	test('listens for one test call', async () => {
		const { id } = await client.workflows.create(
			chain('Test call', webhook('try'), set('Greet', '={"hello": "{{ $json.body.name }}"}')),
		);
		const call = async () => await callWebhook(testUrl(n8n.url, 'try'), { body: { name: 'Bo' } });

		await client.workflows.listen(id);
		const { result, execution } = await client.executions.startedBy(id, call);

		expect(result).toMatchObject({ status: 200, json: { hello: 'Bo' } });
		expect(itemsOf(execution, 'Greet')).toEqual([{ hello: 'Bo' }]);
		expect((await call()).status).toBe(404);
	});

	test('sees an execution wait, and stops it', async () => {
		const { id } = await client.workflows.create(
			chain('Waiting', manualTrigger, waitForCall, mark),
		);
		const executionId = await client.workflows.run(id);

		const waiting = await client.executions.wait(executionId, { until: ['waiting'] });
		await client.executions.stop(executionId);
		const stopped = await client.executions.wait(executionId);

		expect(waiting.lastNode).toBe('Wait');
		expect(stopped.status).toBe('canceled');
		expect(await client.executions.list(id)).toHaveLength(1);
	});

	test('tests a credential as the button in the editor does', async () => {
		const service = await serviceThatKnows('right');
		const data = { baseUrl: service.url, token: 'right' };
		const credential = await client.credentials.create(
			'Sample',
			samplePackage.credentialType,
			data,
		);

		const good = await client.credentials.test(credential, data);
		const bad = await client.credentials.test(credential, { ...data, token: 'wrong' });
		service.server.close();

		expect(await client.credentials.list()).toContainEqual(credential);
		expect(good.status).toBe('OK');
		expect(bad.status).toBe('Error');
	});

	test('lets the same owner sign in again', async () => {
		const again = await connect(n8n);

		expect(await again.workflows.list()).toEqual(await client.workflows.list());
	});

	test('leaves neither a process nor a file when stopped', async () => {
		expect(processesInGroup(n8n.pid)).toContain(n8n.pid);

		await n8n.stop();

		expect(processesInGroup(n8n.pid)).toEqual([]);
		expect(existsSync(n8n.userFolder)).toBe(false);
	});
});

test('a start that fails shows the end of the log and leaves nothing behind', async () => {
	const program = await n8nProgram('2.x');
	const userFolder = join(workFolder, 'failing');
	const settings = { N8N_DISABLED_MODULES: 'no-such-module' };

	await expect(startN8n(program, { userFolder, settings })).rejects.toThrow(
		/n8n 2\.41\.1 did not start\. The process ended by itself\.[^]*Unknown module "no-such-module"/,
	);
});

test('a port in use is named before anything is started', async () => {
	const [port = 0] = await freePorts(1);
	const occupant = createServer().listen(port, '127.0.0.1');

	await expect(startN8n(await n8nProgram('2.x'), { port })).rejects.toThrow(
		`Port ${port} is in use`,
	);
	occupant.close();
});

async function serviceThatKnows(token: string): Promise<{ url: string; server: Server }> {
	const [port = 0] = await freePorts(1);
	const server = createServer(({ headers }, response) => {
		response.writeHead(headers.authorization === token ? 200 : 401).end('{}');
	});
	await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
	return { url: `http://127.0.0.1:${port}`, server };
}
