import { z } from 'zod';
import type { RestSession } from './restSession';

const project = z.object({ id: z.string() });
const tables = z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) });
const rows = z.object({ data: z.array(z.record(z.unknown())) });
const created = z.object({ id: z.string() });

interface Column {
	readonly name: string;
	readonly type: 'string' | 'number' | 'boolean' | 'date';
}

/** n8n's own tables, which workflows read and write. */
export class DataTables {
	constructor(private readonly session: RestSession) {}

	/** Creates a table with these rows, as the editor does, and returns its ID. */
	async create(
		name: string,
		columns: readonly Column[],
		data: ReadonlyArray<Record<string, unknown>>,
	): Promise<string> {
		const path = await this.path();
		const { id } = await this.session.post(path, { name, columns }, created);
		await this.session.post(`${path}/${id}/insert`, { data, returnType: 'count' }, z.unknown());
		return id;
	}

	async rows(tableName: string): Promise<Array<Record<string, unknown>>> {
		const path = await this.path();
		const { data } = await this.session.get(path, tables);
		const table = data.find(({ name }) => name === tableName);
		if (!table) throw new Error(`There is no data table ${tableName}`);
		return (await this.session.get(`${path}/${table.id}/rows`, rows)).data;
	}

	private async path(): Promise<string> {
		const { id } = await this.session.get('/projects/personal', project);
		return `/projects/${id}/data-tables`;
	}
}
