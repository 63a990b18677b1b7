import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { z } from 'zod';

import type { ServiceAccess } from './address';
import { methodUrl } from './address';
import type { HttpAnswer } from './answer';
import { readAnswer } from './answer';
import type { ServiceMethod } from './contract/methods';
import { getBalance } from './contract/methods';
import { parseInput } from './contract/requestValue';
import { ServiceError } from './errors';
import { networkFailure, timedOut } from './networkFailure';
import { createRedactor } from './redact';

export interface ClientDependencies {
	/** Authenticates and sends; throws only when no answer came. */
	readonly transport: (request: IHttpRequestOptions) => Promise<HttpAnswer>;
	/** A signal that aborts after so many milliseconds. */
	readonly deadline: (milliseconds: number) => AbortSignal;
}

export interface SendOptions {
	/** Limit for the whole request, in milliseconds. */
	readonly timeout: number;
}

/** Sends typed requests and hands back checked records. One client serves one run of a node. */
export class ServiceClient {
	private readonly redact: (text: string) => string;

	/** Index of the address in use; moves once, when the first address cannot be reached. */
	private current = 0;

	/** Whether an answer has come from the address in use. */
	private proven = false;

	constructor(
		private readonly access: ServiceAccess,
		private readonly dependencies: ClientDependencies,
	) {
		this.redact = createRedactor(access.secretKey);
	}

	async send<Method extends ServiceMethod>(
		method: Method,
		parameters: z.input<Method['request']>,
		options: SendOptions,
	): Promise<z.output<Method['answer']>> {
		const request: IDataObject = parseInput(method.request, parameters);
		if (!isRepeatable(method, request)) await this.proveAddress(options);
		const answer = await this.sendToReachable(method, request, options);
		return readAnswer(method, answer, this.redact);
	}

	/**
	 * A request that must not be sent twice cannot be used to find out which address works, so a
	 * harmless one goes first where there is a choice.
	 */
	private async proveAddress(options: SendOptions): Promise<void> {
		if (this.proven || this.access.baseUrls[this.current + 1] === undefined) return;
		await this.sendToReachable(getBalance, {}, options);
	}

	private async sendToReachable(
		method: ServiceMethod,
		request: IDataObject,
		options: SendOptions,
	): Promise<HttpAnswer> {
		const used = this.current;
		const first = await this.sendTo(used, method, request, options);
		if (!(first instanceof ServiceError)) return first;

		const hasAnother = this.access.baseUrls[used + 1] !== undefined;
		if (!hasAnother || !isAddressFailure(first) || !isRepeatable(method, request)) throw first;
		this.current = used + 1;
		this.proven = false;
		const second = await this.sendTo(used + 1, method, request, options);
		if (second instanceof ServiceError) throw second;
		return second;
	}

	/** A failure to get an answer is a value here, because the next address may give one. */
	private async sendTo(
		address: number,
		method: ServiceMethod,
		request: IDataObject,
		{ timeout }: SendOptions,
	): Promise<HttpAnswer | ServiceError> {
		const baseUrl = this.access.baseUrls[address] ?? this.access.baseUrls[0];
		const sent = this.dependencies.transport({
			method: method.verb,
			url: methodUrl(baseUrl, method.name),
			...(method.verb === 'POST' ? { body: request } : { qs: request }),
			timeout,
			json: true,
			// n8n then writes a space as %20 and not as a plus sign, which not every server reads back.
			arrayFormat: 'repeat',
			returnFullResponse: true,
			// A 401 that n8n sees as an error is sent a second time.
			ignoreHttpStatusErrors: true,
			// A redirect would carry the key to another host.
			disableFollowRedirect: true,
		});
		const answer = await withinDeadline(this.dependencies.deadline(timeout), sent);
		if (!(answer instanceof ServiceError)) this.proven = true;
		return answer;
	}
}

function isRepeatable(method: ServiceMethod, request: IDataObject): boolean {
	if (method.repeatable === 'withKey') return request.unique !== undefined;
	return method.repeatable === 'always';
}

function isAddressFailure({ failure }: ServiceError): boolean {
	return failure === 'unreachable' || failure === 'unanswered';
}

/** n8n's own limit is one of silence: a body that drips outlives it. */
async function withinDeadline(
	deadline: AbortSignal,
	sent: Promise<HttpAnswer>,
): Promise<HttpAnswer | ServiceError> {
	let expire = () => {};
	const expired = new Promise<ServiceError>((resolve) => {
		expire = () => resolve(timedOut());
		deadline.addEventListener('abort', expire, { once: true });
	});
	try {
		return await Promise.race([sent.catch(networkFailure), expired]);
	} finally {
		deadline.removeEventListener('abort', expire);
	}
}
