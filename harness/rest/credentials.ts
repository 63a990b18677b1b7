import { z } from 'zod';
import type { RestSession } from './restSession';

const credential = z.object({ id: z.string(), name: z.string(), type: z.string() });
export type Credential = z.infer<typeof credential>;

const testResult = z.object({ status: z.enum(['OK', 'Error']), message: z.string() });
export type CredentialTestResult = z.infer<typeof testResult>;

type CredentialData = Readonly<Record<string, unknown>>;

export class Credentials {
	private readonly created = new Set<Credential>();

	constructor(private readonly session: RestSession) {}

	async create(name: string, type: string, data: CredentialData): Promise<Credential> {
		const created = await this.session.post('/credentials', { name, type, data }, credential);
		this.created.add(created);
		return created;
	}

	/** Deletes the credentials that were created here. */
	async deleteCreated(): Promise<void> {
		for (const each of this.created) {
			await this.delete(each);
			this.created.delete(each);
		}
	}

	async list(): Promise<Credential[]> {
		return await this.session.get('/credentials', z.array(credential));
	}

	/** The stored data, with secrets blanked. */
	async data({ id }: Credential): Promise<CredentialData> {
		const stored = z.object({ data: z.record(z.unknown()) });
		return (await this.session.get(`/credentials/${id}?includeData=true`, stored)).data;
	}

	async update({ id, name, type }: Credential, data: CredentialData): Promise<void> {
		await this.session.patch(`/credentials/${id}`, { name, type, data });
	}

	/** Does what the Test button of the credential form does, with this data instead of the stored data. */
	async test({ id, name, type }: Credential, data: CredentialData): Promise<CredentialTestResult> {
		return await this.session.post(
			'/credentials/test',
			{ credentials: { id, name, type, data } },
			testResult,
		);
	}

	async delete({ id }: Credential): Promise<void> {
		await this.session.delete(`/credentials/${id}`);
	}
}
