import { z } from 'zod';
import type { RestSession } from './restSession';

const project = z.object({ id: z.string() });
const tables = z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) });
const rows = z.object({ data: z.array(z.record(z.unknown())) });

/** n8n's own tables, which workflows read and write. */
export class DataTables {
	constructor(private readonly session: RestSession) {}

	async rows(tableName: string): Promise<Array<Record<string, unknown>>> {
		const { id: projectId } = await this.session.get('/projects/personal', project);
		const path = `/projects/${projectId}/data-tables`;
		const { data } = await this.session.get(path, tables);
		const table = data.find(({ name }) => name === tableName);
		if (!table) throw new Error(`There is no data table ${tableName}`);
		return (await this.session.get(`${path}/${table.id}/rows`, rows)).data;
	}
}
