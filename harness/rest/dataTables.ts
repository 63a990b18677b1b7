import { z } from 'zod';
import type { RestSession } from './restSession';

const project = z.object({ id: z.string() });
const tables = z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) });
/** No n8n returns more rows at once; some return fewer. */
const PAGE = 250;
const rows = z.object({ data: z.array(z.record(z.unknown())) });
const created = z.object({ id: z.string() });

interface Column {
	readonly name: string;
	readonly type: 'string' | 'number' | 'boolean' | 'date';
}

/** n8n's own tables, which workflows read and write. */
export class DataTables {
	/** The names of those that `deleteCreated` deletes. */
	private readonly created = new Set<string>();

	constructor(private readonly session: RestSession) {}

	/** Creates a table with these rows, as the editor does, and returns its ID. */
	async create(
		name: string,
		columns: readonly Column[],
		data: ReadonlyArray<Record<string, unknown>>,
	): Promise<string> {
		const { id } = await this.session.post(await this.path(), { name, columns }, created);
		await this.insertInto(id, data);
		return id;
	}

	/** The ID of the table, which is created if there is none of this name. */
	async findOrCreate(name: string, columns: readonly Column[]): Promise<string> {
		return (await this.find(name)) ?? (await this.create(name, columns, []));
	}

	/** Has `deleteCreated` delete this table, too, which a workflow may create. */
	deleteLater(tableName: string): void {
		this.created.add(tableName);
	}

	/** Deletes those of the tables that exist. */
	async deleteCreated(): Promise<void> {
		for (const name of this.created) {
			if ((await this.find(name)) !== undefined) await this.delete(name);
			this.created.delete(name);
		}
	}

	async insert(tableName: string, data: ReadonlyArray<Record<string, unknown>>): Promise<void> {
		await this.insertInto(await this.idOf(tableName), data);
	}

	/** Changes the row with this ID, as somebody does who types into its cells. */
	async update(tableName: string, rowId: unknown, data: Record<string, unknown>): Promise<void> {
		const filters = [{ columnName: 'id', condition: 'eq', value: rowId }];
		const path = `${await this.path()}/${await this.idOf(tableName)}/rows`;
		await this.session.patch(path, { filter: { type: 'and', filters }, data });
	}

	async rows(tableName: string): Promise<Array<Record<string, unknown>>> {
		const path = `${await this.path()}/${await this.idOf(tableName)}/rows`;
		const all: Array<Record<string, unknown>> = [];
		for (;;) {
			const { data } = await this.session.get(`${path}?skip=${all.length}&take=${PAGE}`, rows);
			if (data.length === 0) return all;
			all.push(...data);
		}
	}

	async delete(tableName: string): Promise<void> {
		await this.session.delete(`${await this.path()}/${await this.idOf(tableName)}`);
	}

	private async insertInto(
		id: string,
		data: ReadonlyArray<Record<string, unknown>>,
	): Promise<void> {
		const body = { data, returnType: 'count' };
		await this.session.post(`${await this.path()}/${id}/insert`, body, z.unknown());
	}

	private async idOf(tableName: string): Promise<string> {
		const id = await this.find(tableName);
		if (id === undefined) throw new Error(`There is no data table ${tableName}`);
		return id;
	}

	async names(): Promise<string[]> {
		return (await this.all()).map(({ name }) => name);
	}

	private async find(tableName: string): Promise<string | undefined> {
		return (await this.all()).find(({ name }) => name === tableName)?.id;
	}

	private async all(): Promise<z.output<typeof tables>['data']> {
		return (await this.session.get(await this.path(), tables)).data;
	}

	private async path(): Promise<string> {
		const { id } = await this.session.get('/projects/personal', project);
		return `/projects/${id}/data-tables`;
	}
}
