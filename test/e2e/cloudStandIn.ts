import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { Hubspot, HubspotRefusal } from '../../harness/standIns/hubspot';
import { type HttpsStandIn, startHttpsStandIn } from './httpsStandIn';

const HOSTS = ['api.airtable.com', Hubspot.host, 'oauth2.googleapis.com', 'sheets.googleapis.com'];

/** As long as Google's own: n8n finds no shorter one in an address. */
const SHEET_ID = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms';
const TABLE = 'appAAAAAAAAAAAAAA/tblBBBBBBBBBBBBBB';

type Cell = string | number | boolean;
type Fields = Record<string, Cell>;

const cell = z.union([z.string(), z.number(), z.boolean()]);
const cells = z.array(z.array(cell));
const sheetUpdate = z.object({
	data: z.array(z.object({ range: z.string(), values: cells })),
	valueInputOption: z.string(),
});
const sheetRow = z.object({ values: cells });
const recordSearch = z.object({ filterByFormula: z.string() });
const recordUpdate = z.object({
	records: z.array(z.object({ id: z.string(), fields: z.record(cell) })),
});

/** Stands in for Google Sheets, Airtable and HubSpot, whose nodes have no setting for another address. */
export class CloudStandIn {
	/** The rows of Sheet1, with its header. */
	sheet: Cell[][] = [];
	/** Whether the last values were written to the sheet as they are. */
	isRaw = false;
	/** Airtable's fields by record ID. */
	records = new Map<string, Fields>();
	/** The fields that the table in Airtable has, filled or not. */
	fields: readonly string[] = [];
	readonly hubspot = new Hubspot();

	/** Its settings are what n8n has to be started with. */
	async start(): Promise<HttpsStandIn> {
		return await startHttpsStandIn(HOSTS, (request, response) => {
			this.answer(request, response).catch((error: unknown) => {
				const [status, answer] =
					error instanceof HubspotRefusal
						? [400, { status: 'error', message: error.message }]
						: [500, { error: { message: String(error) } }];
				response.writeHead(status, { 'content-type': 'application/json' });
				response.end(JSON.stringify(answer));
			});
		});
	}

	/** What a user copies from the browser. */
	static readonly addresses = {
		sheet: `https://docs.google.com/spreadsheets/d/${SHEET_ID}/edit?gid=0#gid=0`,
		table: `https://airtable.com/${TABLE}/viwCCCCCCCCCCCCCC?blocks=hide`,
	};

	/** Data of the three credentials, by type. */
	static credentials(): Record<string, Record<string, unknown>> {
		const { privateKey } = generateKeyPairSync('rsa', {
			modulusLength: 2_048,
			publicKeyEncoding: { type: 'spki', format: 'pem' },
			privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
		});
		return {
			googleApi: { email: 'n8n@example.com', privateKey, region: 'europe-west1' },
			airtableTokenApi: { accessToken: 'token-of-airtable' },
			hubspotAppToken: Hubspot.credential,
		};
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = '', url = '', headers } = request;
		const { pathname, searchParams } = new URL(url, `https://${headers.host}`);
		const path = decodeURIComponent(pathname);
		const body = method === 'GET' ? queryOf(searchParams) : await bodyOf(request);
		const answer =
			headers.host === Hubspot.host
				? this.hubspot.answer(method, path, body)
				: this.answerOf(`${method} ${headers.host}`, path, body);
		response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
		response.end(JSON.stringify(answer ?? { error: `${method} ${path} is not known here` }));
	}

	private answerOf(route: string, path: string, body: unknown): unknown {
		switch (route) {
			case 'POST oauth2.googleapis.com':
				return { access_token: 'token-of-google', expires_in: 3_600, token_type: 'Bearer' };
			case 'GET sheets.googleapis.com':
				if (!path.startsWith(`/v4/spreadsheets/${SHEET_ID}`)) return undefined;
				if (path.includes('/values/')) return { values: this.sheet };
				return { sheets: [{ properties: { sheetId: 0, title: 'Sheet1' } }] };
			case 'PUT sheets.googleapis.com':
				this.sheet[0] = sheetRow.parse(body).values[0] ?? [];
				return {};
			case 'POST sheets.googleapis.com':
				return this.writeCells(sheetUpdate.parse(body));
			case 'GET api.airtable.com':
				if (path !== `/v0/${TABLE}`) return undefined;
				return { records: this.filledRecords(recordSearch.parse(body)) };
			case 'PATCH api.airtable.com':
				return this.writeRecords(recordUpdate.parse(body));
			default:
				return undefined;
		}
	}

	private writeCells({ data, valueInputOption }: z.infer<typeof sheetUpdate>): unknown {
		this.isRaw = valueInputOption === 'RAW';
		for (const { range, values } of data) {
			const [, column = '', row = ''] = /^Sheet1!([A-Z])(\d+)$/.exec(range) ?? [];
			const cellsOfRow = (this.sheet[Number(row) - 1] ??= []);
			cellsOfRow[column.charCodeAt(0) - 'A'.charCodeAt(0)] = values[0]?.[0] ?? '';
		}
		return {};
	}

	/** What the formula of the recipe asks for. Like Airtable, it refuses one with a field that the table lacks. */
	private filledRecords({ filterByFormula }: z.infer<typeof recordSearch>): unknown[] {
		const [, list = ''] = /^OR\((.+)\)$/.exec(filterByFormula) ?? [];
		const named = list.split(', ').map((field) => field.slice(1, -1));
		const unknown = named.filter((field) => !this.fields.includes(field));
		if (unknown.length > 0) throw new Error(`Unknown field names: ${unknown.join(', ')}`);
		return [...this.records]
			.filter(([, fields]) => named.some((field) => fields[field]))
			.map(([id, fields]) => ({ id, createdTime: '2026-11-17T00:00:00.000Z', fields }));
	}

	private writeRecords({ records }: z.infer<typeof recordUpdate>): unknown {
		for (const { id, fields } of records) {
			this.records.set(id, { ...this.records.get(id), ...fields });
		}
		return { records };
	}
}

/** A name that is repeated has a list of values. */
function queryOf(params: URLSearchParams): Record<string, string | string[]> {
	return Object.fromEntries(
		[...params.keys()].map((name) => {
			const [first = '', ...others] = params.getAll(name);
			return [name, others.length === 0 ? first : [first, ...others]];
		}),
	);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
	if (request.headers['content-type']?.startsWith('application/json')) return await json(request);
	await request.resume().toArray();
	return undefined;
}
