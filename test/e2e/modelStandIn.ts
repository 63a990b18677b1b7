import Fastify from 'fastify';
import { z } from 'zod';
import type { N8nClient } from '../../harness';

const MODEL = 'stand-in';

const request = z
	.object({
		messages: z.array(z.object({ role: z.string(), content: z.unknown() }).passthrough()),
		tools: z
			.array(
				z.object({
					function: z.object({ name: z.string(), description: z.string() }),
				}),
			)
			.default([]),
	})
	.passthrough();

export type OfferedTool = z.infer<typeof request>['tools'][number]['function'];

interface ToolRequest {
	readonly tool: string;
	readonly arguments: Readonly<Record<string, unknown>>;
}

/** What the model says next: tool calls, or a message to the user, which ends the conversation. */
export type Turn =
	| ToolRequest
	| { readonly tools: readonly ToolRequest[] }
	| { readonly say: string };

export interface ModelStandIn {
	/** The base URL for n8n's OpenAI credential. */
	readonly url: string;
	/** Everything sent to the model, as received over the wire. */
	readonly requests: readonly string[];
	/** The tools as they were described to the model. */
	offeredTools(): OfferedTool[];
	/** The tool responses, in order. */
	toolAnswers(): string[];
	close(): Promise<void>;
}

/**
 * Acts as an OpenAI-compatible chat model that follows the test's script, one turn per request. The test may extend the
 * script during the conversation.
 */
export async function startModelStandIn(script: readonly Turn[]): Promise<ModelStandIn> {
	const requests: string[] = [];
	const app = Fastify({ forceCloseConnections: true, bodyLimit: 10_000_000 });
	app.get('/v1/models', () => ({ object: 'list', data: [{ id: MODEL, object: 'model' }] }));
	app.post('/v1/chat/completions', (received, reply) => {
		requests.push(JSON.stringify(received.body));
		const { tools } = request.parse(received.body);
		const turn = script[requests.length - 1];
		if (turn === undefined) return reply.code(400).send(refusal('The script is at its end'));
		const offered = tools.map(({ function: { name } }) => name);
		const unknown = toolsIn(turn).find(({ tool }) => !offered.includes(tool));
		if (unknown) return reply.code(400).send(refusal(`No tool ${unknown.tool} is offered`));
		return completion(turn, requests.length);
	});
	const last = () => request.parse(JSON.parse(requests.at(-1) ?? '{"messages":[]}'));
	return {
		url: `${await app.listen({ port: 0, host: '127.0.0.1' })}/v1`,
		requests,
		offeredTools: () => last().tools.map(({ function: tool }) => tool),
		toolAnswers: () =>
			last()
				.messages.filter(({ role }) => role === 'tool')
				.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))),
		close: async () => await app.close(),
	};
}

/** A text without tokens, keys and times, in which any code can occur by chance. */
export function withoutChance(text: string): string {
	return text.replace(/[0-9a-f-]{36,}|init_time\W+\d+/g, '');
}

/** An n8n credential for the stand-in. Its name is unique, because two test files run at a time. */
export async function createModelCredential(
	{ credentials }: N8nClient,
	{ url }: ModelStandIn,
	name: string,
) {
	const data = { apiKey: 'no-key-needed', organizationId: '', url, header: false };
	return await credentials.create(name, 'openAiApi', data);
}

function completion(turn: Turn, position: number) {
	const calls = toolsIn(turn).map(({ tool, arguments: values }, index) => ({
		id: `call_${position}_${index}`,
		type: 'function',
		function: { name: tool, arguments: JSON.stringify(values) },
	}));
	return {
		id: `completion_${position}`,
		object: 'chat.completion',
		created: 0,
		model: MODEL,
		choices: [
			{
				index: 0,
				message: {
					role: 'assistant',
					content: 'say' in turn ? turn.say : null,
					...(calls.length > 0 && { tool_calls: calls }),
				},
				finish_reason: 'say' in turn ? 'stop' : 'tool_calls',
			},
		],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}

function toolsIn(turn: Turn): readonly ToolRequest[] {
	if ('say' in turn) return [];
	return 'tools' in turn ? turn.tools : [turn];
}

function refusal(message: string) {
	return { error: { message, type: 'invalid_request_error', code: null } };
}
