import { Agent, request } from 'undici';
import { startEmulator, type Emulator } from '../../emulator/emulator';
import type { EmulatorOptions } from '../../emulator/played/services';

export interface Answer {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
	/** The parsed JSON body, or an empty object if it is not JSON. */
	json: Record<string, unknown>;
}

export interface RawRequest {
	verb?: string;
	path: string;
	headers?: Record<string, string>;
	body?: string;
}

/** Talks to an emulator over real HTTP, as the contract specifies. */
export class ContractClient {
	private readonly agent = new Agent({ pipelining: 0 });

	constructor(readonly emulator: Emulator) {}

	get bearer(): string {
		return `Bearer ${this.emulator.secretKey}.${this.emulator.serviceId}`;
	}

	get(method: string, args: Record<string, string> = {}): Promise<Answer> {
		const query = new URLSearchParams(args).toString();
		const path = `/v1.0/${method}${query === '' ? '' : `?${query}`}`;
		return this.raw({ path, headers: { authorization: this.bearer } });
	}

	post(method: string, args: Record<string, unknown> = {}): Promise<Answer> {
		return this.raw({
			verb: 'POST',
			path: `/v1.0/${method}`,
			headers: { authorization: this.bearer, 'content-type': 'application/json' },
			body: JSON.stringify(args),
		});
	}

	async raw({ verb = 'GET', path, headers = {}, body }: RawRequest): Promise<Answer> {
		const response = await request(`${this.emulator.url}${path}`, {
			method: verb,
			headers,
			body: body ?? null,
			dispatcher: this.agent,
		});
		const text = await response.body.text();
		return { status: response.statusCode, headers: response.headers, text, json: parsed(text) };
	}

	async close(): Promise<void> {
		await this.agent.destroy();
		await this.emulator.close();
	}
}

function parsed(text: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === 'object' && value !== null ? { ...value } : {};
	} catch {
		return {};
	}
}

/** Starts emulators for a test and closes them all after it. */
export function contractClients(): (settings?: EmulatorOptions) => Promise<ContractClient> {
	const open: ContractClient[] = [];
	afterEach(async () => {
		await Promise.all(open.splice(0).map((client) => client.close()));
	});
	return async (settings) => {
		const client = new ContractClient(await startEmulator(settings));
		open.push(client);
		return client;
	};
}
