import { z } from 'zod';
import type { RestSession } from './restSession';

const project = z.object({ id: z.string() });
const table = z.object({ id: z.string(), name: z.string() });
const rows = z.object({ data: z.array(z.record(z.unknown())) });
export type DataTable = z.infer<typeof table>;

/** n8n's own tables, which workflows read and write. */
export class DataTables {
	constructor(private readonly session: RestSession) {}

	/** All columns are texts. */
	async create(name: string, columns: readonly string[]): Promise<DataTable> {
		const body = { name, columns: columns.map((column) => ({ name: column, type: 'string' })) };
		return await this.session.post(await this.path(), body, table);
	}

	async rows({ id }: DataTable): Promise<Array<Record<string, unknown>>> {
		return (await this.session.get(`${await this.path()}/${id}/rows`, rows)).data;
	}

	private async path(): Promise<string> {
		const { id } = await this.session.get('/projects/personal', project);
		return `/projects/${id}/data-tables`;
	}
}
