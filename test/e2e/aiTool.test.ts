import { ALWAYS_SUCCEEDS } from '../../emulator/service/numbers';
import { type Credential, itemsOf, type WorkflowFile } from '../../harness';
import { manualTrigger, nodeOf } from '../../harness/rest/workflowFile';
import { describeInN8n } from './inN8n';
import { resources } from '../../nodes/CallVerification/operations';
import { loadedOperations, type OperationParameters } from '../../harness/workflows/nodeRunner';
import { createModelCredential, startModelStandIn, type Turn, withoutChance } from './modelStandIn';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';

type FlowNode = WorkflowFile['nodes'][number];

const TOOL_NODE = 'n8n-nodes-call-verification.callVerificationTool';

const operations = resources.flatMap(({ value: resource, operations: own }) =>
	own.map(({ value, action, isForTools }) => ({
		name: `${resource}.${value}`,
		action,
		isForTools,
	})),
);
/** What n8n tells a model about each operation, unless the user rewrites it; also the node's name in the editor. */
const DESCRIPTIONS: Readonly<Record<string, string>> = Object.fromEntries(
	operations
		.filter(({ isForTools }) => isForTools !== false)
		.map(({ name, action }) => [name, `${action} in Call Verification`]),
);
/** Useless to an agent, and hidden from it. */
const NO_TOOLS = operations
	.filter(({ isForTools }) => isForTools === false)
	.map(({ name }) => name);

const CHECK = toolName('phoneNumber.check');
const CALL = toolName('call.start');
const GET = toolName('call.get');

/** Version 3 runs a tool as a separate node; 2.2 runs it inside the agent. */
const AGENT_VERSIONS = { '1.x': [2.2], '2.x': [3, 2.2] };

describeInN8n('the node as a tool', { leftOutIfEmpty: [] }, (n8n) => {
	describe.each(AGENT_VERSIONS[n8n.line])('of agent %d', (agentVersion) => {
		test('does what the model asks, and nothing else', async () => {
			const { execution, model, requests, calls } = await converse(
				[
					{ tool: CHECK, arguments: { Phone_Number: '+7 900 000-00-01' } },
					{ tool: CALL, arguments: { Phone_Number: '+7 900 000-00-01' } },
					{ say: 'The number is good, and I have called it.' },
				],
				[check, { ...start, waitForResult: true }],
			);

			expect(itemsOf(execution, 'Agent')).toEqual([
				{ output: 'The number is good, and I have called it.' },
			]);
			const [checked, called] = model.toolAnswers().map((answer) => JSON.parse(answer) as unknown);
			expect(checked).toEqual([
				{
					valid: true,
					phone_e164: '+79000000001',
					mobile: 1,
					operator: 'North Line',
					reason: 'ok',
					source: '+7 900 000-00-01',
					country: 'Russia',
					region: 'Saint Petersburg',
					phone: 79000000001,
					cost: 0.05,
				},
			]);
			expect(called).toEqual([
				{
					status: true,
					vendor_id: calls[0]?.vendorId,
					phone: calls[0]?.maskedPhone,
					exists: false,
					called_at: expect.stringMatching(/Z$/),
					next_call_at: null,
					verification_token: expect.stringMatching(/^v1\./),
				},
			]);
			const unique: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
			// A tool that waits would also have requested the call's result.
			expect(requests.map(({ method, args }) => ({ method, args }))).toEqual([
				{ method: 'checkPhone', args: { phone: '+7 900 000-00-01' } },
				{ method: 'initCall', args: { phone: Number(ALWAYS_SUCCEEDS), unique } },
			]);
		});

		test('never tells the model the code', async () => {
			const next = (n8n.emulator.ledger.calls.at(-1)?.vendorId ?? 0) + 1;
			const { model, calls } = await converse(
				[
					{ tool: CALL, arguments: { Phone_Number: '79161234567' } },
					{ tool: GET, arguments: { Call_ID: String(next) } },
					{ say: 'Please type the code.' },
				],
				[start, { ...get, simplify: false }],
			);

			const [call] = calls;
			expect(model.toolAnswers()[1]).toContain(`"vendor_id":${call?.vendorId}`);
			expect(call?.code).toMatch(/^\d{4}$/);
			expect(model.requests).toHaveLength(3);
			expect(withoutChance(model.requests.join('\n'))).not.toContain(call?.code);
		});

		test('calls once, however often the model asks for the same number', async () => {
			const ask = { tool: CALL, arguments: { Phone_Number: '79161234567' } };
			const { model, requests, calls } = await converse([ask, ask, { say: 'Done.' }], [start]);

			expect(requests.map(({ method }) => method)).toEqual(['initCall', 'initCall']);
			expect(calls).toHaveLength(1);
			expect(model.toolAnswers()[1]).toContain('"exists":true');
		});

		test('tells the model what is wrong with a number, and makes no call', async () => {
			const { model, requests } = await converse(
				[{ tool: CALL, arguments: { Phone_Number: '12' } }, { say: 'That is no number.' }],
				[start],
			);

			expect(model.toolAnswers().map((answer) => JSON.parse(answer) as unknown)).toEqual([
				[
					{
						error: 'The phone number has 2 digits instead of 7 to 15',
						message: expect.stringContaining('Enter the number with its country code'),
					},
				],
			]);
			expect(requests).toEqual([]);
		});

		test('is described to the model by its function', async () => {
			const tools = Object.keys(DESCRIPTIONS).map((name) => {
				const [resource = '', operation = ''] = name.split('.');
				return { resource, operation };
			});
			const { model } = await converse([{ say: 'I see.' }], tools);

			const offered = [...model.offeredTools()].map(({ name, description }) => [name, description]);
			expect(Object.fromEntries(offered)).toEqual(
				Object.fromEntries(
					Object.entries(DESCRIPTIONS).map(([key, text]) => [toolName(key), text]),
				),
			);
			expect([...Object.keys(DESCRIPTIONS), ...NO_TOOLS].sort()).toEqual(
				(await loadedOperations(n8n.client)).sort(),
			);
		});

		/** An agent with these operations as tools, in a separate workflow, and what it made of the service. */
		async function converse(script: readonly Turn[], chosen: readonly OperationParameters[]) {
			const { client, emulator } = n8n;
			const [asked, called] = [emulator.ledger.requests.length, emulator.ledger.calls.length];
			const model = await startModelStandIn(script);
			const credential = await createModelCredential(client, model, 'Model of the tools');
			const tools = chosen.map((parameters) => toolNode(n8n.credential, parameters));
			try {
				const { id } = await client.workflows.create(
					agentWorkflow(credential, agentVersion, tools),
				);
				const execution = await client.run(id);
				if (execution.error)
					throw new Error(`The agent failed: ${JSON.stringify(execution.error)}`);
				const { requests, calls } = emulator.ledger;
				return { execution, model, requests: requests.slice(asked), calls: calls.slice(called) };
			} finally {
				await client.credentials.delete(credential);
				await model.close();
			}
		}
	});
});

const phone = "={{ $fromAI('Phone_Number', '', 'string') }}";
const check = { resource: 'phoneNumber', operation: 'check', phone };
const start = { resource: 'call', operation: 'start', phone };
const get = { resource: 'call', operation: 'get', uid: "={{ $fromAI('Call_ID', '', 'string') }}" };

/** Tool names sent to models contain no spaces. */
function toolName(operation: string): string {
	return (DESCRIPTIONS[operation] ?? '').replaceAll(' ', '_');
}

function toolNode({ id, name }: Credential, parameters: OperationParameters): FlowNode {
	const title = DESCRIPTIONS[`${parameters.resource}.${parameters.operation}`] ?? '';
	return {
		...nodeOf(title, TOOL_NODE, 1, { descriptionType: 'auto', ...parameters }),
		credentials: { [CREDENTIAL_TYPE]: { id, name } },
	};
}

function agentWorkflow(
	{ id, name }: Credential,
	agentVersion: number,
	tools: readonly FlowNode[],
): WorkflowFile {
	const agent = nodeOf('Agent', '@n8n/n8n-nodes-langchain.agent', agentVersion, {
		promptType: 'define',
		text: 'Verify the number of our visitor.',
		options: {},
	});
	const model = {
		...nodeOf('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, {
			model: { __rl: true, mode: 'id', value: 'stand-in' },
			options: {},
		}),
		credentials: { openAiApi: { id, name } },
	};
	const toAgent = (type: 'main' | 'ai_tool' | 'ai_languageModel') => ({
		[type]: [[{ node: agent.name, type, index: 0 }]],
	});
	return {
		name: 'Agent',
		nodes: [manualTrigger, agent, model, ...tools],
		connections: {
			[manualTrigger.name]: toAgent('main'),
			[model.name]: toAgent('ai_languageModel'),
			...Object.fromEntries(tools.map((tool) => [tool.name, toAgent('ai_tool')])),
		},
		settings: { executionOrder: 'v1' },
	};
}
