import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';

import { freshConnections } from '../rest/freshConnections';

export interface Post {
	readonly url: string;
	readonly body: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/** What the sender of an event gets. */
export interface Answer {
	/** Undefined if the connection broke or there was no response in time. */
	readonly status: number | undefined;
	readonly text: string;
	readonly milliseconds: number;
}

const ANSWER_LIMIT = 60_000;

/** Posts each once, at most `atOnce` at a time, and returns the responses in the same order. */
export async function postAll(posts: readonly Post[], atOnce: number): Promise<Answer[]> {
	const answers: Answer[] = [];
	let next = 0;
	const sender = async () => {
		for (let index = next++; index < posts.length; index = next++) {
			const post = posts[index];
			if (post) answers[index] = await send(post);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, sender));
	return answers;
}

/** Posts at a steady pace, without waiting for responses, and returns them in the same order. */
export async function postSteadily(posts: readonly Post[], perSecond: number): Promise<Answer[]> {
	const started = Date.now();
	return await Promise.all(
		posts.map(async (post, index) => {
			const due = started + (index * 1_000) / perSecond;
			await pause(Math.max(0, due - Date.now()));
			return await send(post);
		}),
	);
}

async function send({ url, body, headers }: Post): Promise<Answer> {
	const started = performance.now();
	const milliseconds = () => performance.now() - started;
	try {
		const response = await request(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body,
			dispatcher: freshConnections,
			headersTimeout: ANSWER_LIMIT,
			bodyTimeout: ANSWER_LIMIT,
		});
		const text = await response.body.text();
		return { status: response.statusCode, text, milliseconds: milliseconds() };
	} catch (error) {
		return { status: undefined, text: String(error), milliseconds: milliseconds() };
	}
}
