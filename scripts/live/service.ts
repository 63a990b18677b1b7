import type { IHttpRequestOptions } from 'n8n-workflow';
import type { z } from 'zod';

import type { ServiceMethod } from '../../nodes/CallVerification/contract/methods';
import { authenticate, readAccess } from '../../nodes/CallVerification/transport/credential';
import { networkFailure } from '../../nodes/CallVerification/transport/errors';
import { serviceRequest } from '../../nodes/CallVerification/transport/pipeline';
import type { HttpResponse } from '../../nodes/CallVerification/transport/response';

export interface Account {
	readonly baseUrl: string;
	readonly secretKey: string;
	readonly serviceId: string;
}

export interface How {
	readonly scheme?: 'header' | 'body' | 'query';
	readonly secretKey?: string;
	/** Sent instead of what the package would send. */
	readonly body?: Record<string, unknown>;
}

const TIMEOUT_MS = 30_000;

/** Asks the service as the package does, once, and returns what came back as it came. */
export class LiveService {
	constructor(private readonly account: Account) {}

	async ask<Method extends ServiceMethod>(
		method: Method,
		parameters: z.input<Method['request']>,
		{ scheme = 'header', secretKey = this.account.secretKey, body }: How = {},
	): Promise<HttpResponse> {
		const credential = { ...this.account, secretKey, authScheme: scheme };
		const once = { timeout: TIMEOUT_MS, maxRetries: 0 };
		const { http } = serviceRequest(readAccess(credential), method, parameters, once);
		return await sent(
			await authenticate(credential, body === undefined ? http : { ...http, body: { ...body } }),
		);
	}
}

async function sent({
	url,
	qs,
	method,
	headers,
	body,
}: IHttpRequestOptions): Promise<HttpResponse> {
	const address = new URL(url);
	// Parameters of the contract are texts, numbers and flags.
	address.search = new URLSearchParams(qs as Record<string, string>).toString();
	try {
		const response = await fetch(address, {
			method,
			headers: { 'Content-Type': 'application/json', ...(headers as Record<string, string>) },
			body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
			redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		return {
			statusCode: response.status,
			headers: Object.fromEntries(response.headers),
			body: asJson(await response.text()),
		};
	} catch (error) {
		// The error itself may contain the key.
		throw networkFailure(error);
	}
}

function asJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}
