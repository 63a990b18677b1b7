import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import { Pool } from 'undici';

import { freePorts } from '../../harness';
import type { Mishap, MishapPlan } from './mishap';
import { isAfterTheWork } from './mishap';

/** The service's response before any fault. */
interface Answer {
	status: number;
	body: string;
}

export interface Arrival {
	readonly method: string;
	/** The number or call it asks about. */
	readonly asked: string;
	readonly at: number;
	readonly happened: Mishap | 'storm' | undefined;
	/** Whether the service has processed the request and charged for it. */
	worked: boolean;
	/** Whether the complete response was sent. */
	delivered: boolean;
}

const DRIP_MS = 500;

/**
 * A proxy in front of the service that injects faults. n8n opens a connection per request, so what is in
 * flight here is what n8n has in flight.
 */
export class Door {
	readonly arrivals: Arrival[] = [];

	/** The most requests in flight at once. */
	peak = 0;

	private readonly underWay = new Set<IncomingMessage>();

	private readonly attempts = new Map<string, number>();

	private storm: { until: number; headers: Record<string, string> } | undefined;

	private onArrival: Array<{ count: number; act: () => void }> = [];

	private constructor(
		private readonly server: Server,
		private readonly service: Pool,
		private readonly plan: MishapPlan,
		private readonly port: number,
	) {
		server.on('request', (request, response) => void this.receive(request, response));
	}

	static async open(serviceUrl: string, plan: MishapPlan = () => undefined): Promise<Door> {
		const server = createServer();
		// It is opened again on the same port.
		const [port = 0] = await freePorts(1);
		await listen(server, port);
		// A new connection for each request, as in `freshConnections`: the service must not seem to have lost one.
		const service = new Pool(serviceUrl, { connections: 128, pipelining: 0 });
		return new Door(server, service, plan, port);
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** Calls `act` once `count` requests have arrived. */
	after(count: number, act: () => void): void {
		this.onArrival.push({ count, act });
	}

	/** Refuses every request for this long. */
	startStorm(milliseconds: number, headers: Record<string, string> = {}): void {
		this.storm = { until: Date.now() + milliseconds, headers };
	}

	/** Cuts off requests in flight and accepts no connections for this long. */
	async die(milliseconds: number): Promise<void> {
		this.shut();
		await delay(milliseconds);
		await this.reopen();
	}

	shut(): void {
		this.server.close();
		this.server.closeAllConnections();
	}

	async reopen(): Promise<void> {
		await listen(this.server, this.port);
	}

	async close(): Promise<void> {
		this.shut();
		await this.service.destroy();
	}

	private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		this.underWay.add(request);
		this.peak = Math.max(this.peak, this.underWay.size);
		response.once('close', () => this.underWay.delete(request));
		const at = Date.now();
		const method = request.url?.split('/').at(-1) ?? '';
		const body = await text(request).catch(() => undefined);
		// Cut off before it arrived: the service has not seen it.
		if (body === undefined) return;

		const asked = whatIsAsked(method, body);
		const happened = this.whatHappens(`${method} ${asked}`, at);
		const arrival = { method, asked, at, happened, worked: false, delivered: false };
		this.arrivals.push(arrival);
		this.onArrival
			.filter(({ count }) => count === this.arrivals.length)
			.forEach(({ act }) => act());
		await this.answer(arrival, request, body, response);
	}

	private whatHappens(asked: string, now: number): Mishap | 'storm' | undefined {
		if (this.storm !== undefined && now < this.storm.until) return 'storm';
		const attempt = this.attempts.get(asked) ?? 0;
		this.attempts.set(asked, attempt + 1);
		return this.plan(asked, attempt);
	}

	private async answer(
		arrival: Arrival,
		request: IncomingMessage,
		body: string,
		response: ServerResponse,
	): Promise<void> {
		const { happened } = arrival;
		if (happened === 'storm') return send(response, refusal(429), this.storm?.headers);
		if (happened !== undefined && !isAfterTheWork(happened)) return spoil(response, happened);
		const truth = await this.askService(request, body);
		arrival.worked = true;
		if (happened !== undefined) return spoil(response, happened, truth);
		// Meanwhile cut off or given up: there is no one to answer.
		if (response.destroyed) return;
		response.once('finish', () => (arrival.delivered = true));
		send(response, truth);
	}

	private async askService(request: IncomingMessage, body: string): Promise<Answer> {
		const { authorization, 'content-type': contentType } = request.headers;
		const answer = await this.service.request({
			method: request.method === 'GET' ? 'GET' : 'POST',
			path: request.url ?? '/',
			headers: {
				...(authorization !== undefined && { authorization }),
				...(contentType !== undefined && { 'content-type': contentType }),
			},
			...(body !== '' && { body }),
		});
		return { status: answer.statusCode, body: await answer.body.text() };
	}
}

function whatIsAsked(method: string, body: string): string {
	const { phone, uid } = (body === '' ? {} : JSON.parse(body)) as Record<string, string | number>;
	return String(phone ?? uid ?? method);
}

function spoil(response: ServerResponse, mishap: Mishap, truth: Answer = refusal(500)): void {
	const { status, body } = truth;
	const half = body.slice(0, body.length / 2);
	switch (mishap) {
		case 'resetOnArrival':
		case 'answerLost':
			response.socket?.resetAndDestroy();
			return;
		case 'resetInBody':
			response.writeHead(status, { ...JSON_TYPE, 'content-length': Buffer.byteLength(body) });
			response.write(half, () => response.socket?.resetAndDestroy());
			return;
		case 'halfJson':
			return send(response, { status, body: half });
		case 'httpError':
			return send(response, refusal(503));
		case 'errorCodeInBody':
			return send(response, { ...refusal(500), status: 200 });
		case 'throttled':
			return send(response, refusal(429), { 'retry-after': '0' });
		case 'throttledInBody':
			return send(response, { ...refusal(429), status: 200 }, { 'retry-after': '0' });
		case 'gatewayError':
			response.writeHead(504, { 'content-type': 'text/html' });
			response.end('<html><body><h1>Gateway time-out</h1></body></html>');
			return;
		case 'silence':
			return;
		case 'drippingBody':
			drip(response, truth);
			return;
	}
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

function send(
	response: ServerResponse,
	{ status, body }: Answer,
	headers: Record<string, string> = {},
): void {
	response.writeHead(status, { ...JSON_TYPE, ...headers });
	response.end(body);
}

/** Sends so slowly that the timeout comes first, but never pauses for long. */
function drip(response: ServerResponse, { status, body }: Answer): void {
	response.writeHead(status, JSON_TYPE);
	let sent = 0;
	const timer = setInterval(() => {
		response.write(body.charAt(sent++));
		if (sent >= body.length) response.end();
	}, DRIP_MS);
	response.once('close', () => clearInterval(timer));
}

function refusal(code: number): Answer {
	return { status: code, body: JSON.stringify({ status: false, error: 'Try again later', code }) };
}

async function listen(server: Server, port: number): Promise<void> {
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
}
