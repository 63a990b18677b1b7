import { randomUUID } from 'node:crypto';
import { Agent, fetch } from 'undici';
import { z } from 'zod';

/**
 * A new connection for each request. A busy n8n may close an open one just as the next request is sent on it, and then
 * nobody can tell whether the request has arrived. Accepts any certificate, because all of this is on loopback.
 */
export const freshConnections = new Agent({
	pipelining: 0,
	connect: { rejectUnauthorized: false },
});

/** n8n's REST API responded with an error. */
export class RestError extends Error {
	override name = 'RestError';

	constructor(
		readonly request: string,
		readonly status: number,
		readonly answer: string,
	) {
		super(`${request} was answered with ${status}: ${answer.slice(0, 1000)}`);
	}

	/** This n8n has no such route. For a resource that does not exist, it responds with JSON. */
	get isUnknownRoute(): boolean {
		return this.status === 404 && /Cannot [A-Z]+ \/rest/.test(this.answer);
	}
}

const wrapped = z.object({ data: z.unknown() });

/** Uses the API of n8n's editor, like a signed-in browser. */
export class RestSession {
	private cookie = '';

	/** n8n ties the session cookie to the browser that requested it. */
	private readonly browserId = randomUUID();

	constructor(readonly url: string) {}

	async get<T>(path: string, schema: z.ZodType<T, z.ZodTypeDef, unknown>): Promise<T> {
		return schema.parse(await this.send('GET', path));
	}

	async post<T>(
		path: string,
		body: object,
		schema: z.ZodType<T, z.ZodTypeDef, unknown>,
	): Promise<T> {
		return schema.parse(await this.send('POST', path, body));
	}

	async patch(path: string, body: object): Promise<void> {
		await this.send('PATCH', path, body);
	}

	async delete(path: string): Promise<void> {
		await this.send('DELETE', path);
	}

	/** Reads a JSON file that n8n serves to its editor outside the REST API. */
	async file(path: string): Promise<unknown> {
		return JSON.parse(await this.request('GET', path));
	}

	/** For other programs that act as the same user, such as a browser. */
	get authentication(): { cookie: string; browserId: string } {
		return { cookie: this.cookie, browserId: this.browserId };
	}

	private async send(method: string, path: string, body?: object): Promise<unknown> {
		return wrapped.parse(JSON.parse(await this.request(method, `/rest${path}`, body))).data;
	}

	private async request(method: string, path: string, body?: object): Promise<string> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				'browser-id': this.browserId,
				cookie: this.cookie,
				...(body && { 'content-type': 'application/json' }),
			},
			body: body && JSON.stringify(body),
			dispatcher: freshConnections,
		});
		const text = await response.text();
		if (!response.ok) throw new RestError(`${method} ${path}`, response.status, text);
		this.keepCookie(response.headers.getSetCookie());
		return text;
	}

	private keepCookie(cookies: string[]): void {
		const session = cookies.find((cookie) => cookie.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';', 1)[0] ?? '';
	}
}

export interface Owner {
	readonly email: string;
	readonly password: string;
	readonly firstName: string;
	readonly lastName: string;
}

export const localOwner: Owner = {
	email: 'owner@example.com',
	password: 'Call-Verification-1',
	firstName: 'Local',
	lastName: 'Owner',
};

const settings = z.object({ userManagement: z.object({ showSetupOnFirstLoad: z.boolean() }) });

/** Signs the session in; an n8n that has no owner yet gets this one. */
export async function signIn(session: RestSession, owner: Owner): Promise<void> {
	const { userManagement } = await session.get('/settings', settings);
	if (userManagement.showSetupOnFirstLoad) {
		await session.post('/owner/setup', owner, z.unknown());
	} else {
		const { email, password } = owner;
		await session.post('/login', { emailOrLdapLoginId: email, password }, z.unknown());
	}
}
