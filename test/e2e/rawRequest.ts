import { once } from 'node:events';
import { connect } from 'node:net';

/** A request from a program that follows no rules. */
export interface RawRequest {
	readonly method?: string;
	/** Path and query, as sent over the wire. */
	readonly path: string;
	/** Names may repeat. */
	readonly headers?: ReadonlyArray<readonly [name: string, value: string]>;
	readonly body?: Buffer | string;
	/** Closes the connection after this many bytes of the body. */
	readonly hangUpAfter?: number;
	/** Sends everything, and closes the connection this many milliseconds later, answered or not. */
	readonly patience?: number;
}

export interface RawAnswer {
	/** 0 if the connection was closed without a response. */
	readonly status: number;
	readonly text: string;
}

const LIMIT_MS = 60_000;

/** Sends it verbatim, without the checks of an HTTP client. */
export async function sendRaw(
	serverUrl: string,
	{ method = 'POST', path, headers = [], body = '', hangUpAfter, patience }: RawRequest,
): Promise<RawAnswer> {
	const { hostname, port } = new URL(serverUrl);
	const content = Buffer.from(body);
	const own = headers.map(([name]) => name.toLowerCase());
	const lines = [
		`${method} ${path} HTTP/1.1`,
		...(own.includes('host') ? [] : [`Host: ${hostname}:${port}`]),
		...(own.includes('content-length') ? [] : [`Content-Length: ${content.length}`]),
		'Connection: close',
		...headers.map(([name, value]) => `${name}: ${value}`),
	];
	const socket = connect({ host: hostname, port: Number(port) });
	const received: Buffer[] = [];
	socket.on('data', (piece: Buffer) => received.push(piece));
	// A server that has read enough closes the connection during the write.
	socket.on('error', () => undefined);
	socket.setTimeout(LIMIT_MS, () => socket.destroy());
	const closed = new Promise((resolve) => socket.once('close', resolve));
	await once(socket, 'connect');
	socket.write(`${lines.join('\r\n')}\r\n\r\n`);
	if (hangUpAfter === undefined) {
		socket.write(content);
		if (patience !== undefined) setTimeout(() => socket.destroy(), patience);
	} else {
		socket.end(content.subarray(0, hangUpAfter));
	}
	await closed;
	const answer = Buffer.concat(received).toString();
	return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0), text: bodyOf(answer) };
}

function bodyOf(answer: string): string {
	const end = answer.indexOf('\r\n\r\n');
	return end === -1 ? '' : answer.slice(end + 4);
}
