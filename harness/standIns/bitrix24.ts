import { createServer, type Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { listenOnLoopback } from '../process/loopback';
import { Gate } from './gate';

const SECRET = 'abcdefgh12345678';
const CONTACTS = 3;
const PAGE = 50;
const MOST_COMMANDS = 50;
const MOST_VALUES = 20;
const BURST = 50;
const PER_SECOND = 2;

const phone = z.object({
	id: z.number().optional(),
	typeId: z.string(),
	valueType: z.string(),
	value: z.string(),
});
/** The arguments of a command in a batch are text. */
const number = z.coerce.number();
const ofContacts = { entityTypeId: number.refine((id) => id === CONTACTS) };
const list = z.object({
	...ofContacts,
	select: z.array(z.string()),
	order: z.object({ id: z.literal('ASC') }),
	filter: z.object({ '>id': number }),
	start: z.literal(-1),
});
const get = z.object({ ...ofContacts, id: number });
const update = get.extend({ fields: z.record(z.unknown()) });
const addition = z.object({
	...ofContacts,
	fields: z.object({ fm: z.array(phone).default([]) }).passthrough(),
});
const search = z.object({
	entity_type: z.literal('CONTACT'),
	type: z.literal('PHONE'),
	values: z.array(z.string()).max(MOST_VALUES),
});
const batch = z.object({ halt: number, cmd: z.record(z.string()) });

type Fields = Record<string, unknown>;
type Answer = { readonly status: number; readonly body: Record<string, unknown> };

const refusal = (status: number, error: string, description: string): Answer => ({
	status,
	body: { error, error_description: description },
});
const denied = () => refusal(400, 'ACCESS_DENIED', 'Access denied');
const notFound = () => refusal(400, 'NOT_FOUND', 'Not found');
/** What the documentation has no name for. */
const malformed = (description: string) => refusal(400, 'STAND_IN_REFUSES', description);
const result = (value: unknown): Answer => ({ status: 200, body: { result: value } });

interface Bitrix24Contact {
	readonly id: number;
	fm: Array<z.infer<typeof phone>>;
	/** Names, custom fields. */
	fields: Fields;
}

/** Stands in for the contacts of a Bitrix24 portal, and answers as its public documentation says. */
export class Bitrix24 {
	readonly contacts = new Map<number, Bitrix24Contact>();
	/** The requests: what was asked for, and when. */
	readonly requests: Array<{ readonly method: string; readonly at: number }> = [];
	/** Contacts to change or to add, whether that was refused or not. */
	writes = 0;
	/** Requests that came too fast. */
	refusedByLimit = 0;
	/** How much of the burst of 50 other programs have taken when this method is asked for. */
	takenByOthers: (method: string) => number = () => 0;
	/** The method that has taken more than 480 seconds in ten minutes, by whomever it was asked for. */
	blockedMethod: string | undefined;
	/** Whether it refuses the n-th of them, counted from 1. */
	refusesWrite: (write: number) => boolean = () => false;
	/** The custom fields that contacts have. */
	customFields: readonly string[] = [
		'ufCrm_CHECKED',
		'ufCrm_VALID',
		'ufCrm_RESULT',
		'ufCrm_VERIFIED',
		'ufCrm_VERIFIED_AT',
	];
	readonly gate = new Gate();

	private readonly server: Server;
	private url = '';
	private level = 0;
	private levelAt: number;

	private constructor(private readonly now: () => number) {
		this.levelAt = now();
		this.server = createServer((request, response) => {
			void text(request).then(async (body) => {
				await this.gate.pass(request, () => {
					const { status, body: answer } = this.answer(request.url ?? '', body);
					response
						.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
						.end(JSON.stringify(answer));
				});
			});
		});
	}

	/** `now` returns milliseconds. */
	static async start(now = () => performance.now()): Promise<Bitrix24> {
		const standIn = new Bitrix24(now);
		standIn.url = await listenOnLoopback(standIn.server);
		return standIn;
	}

	close(): void {
		this.server.close();
	}

	/** What is the secret, and what people paste. */
	get address(): string {
		return `${this.url}/rest/1/${SECRET}/`;
	}

	/** Somebody enters a contact with these phones, or with others than it had. */
	enter(id: number, phones: readonly string[], fields?: Fields): void {
		const email = { typeId: 'EMAIL', valueType: 'WORK', value: `${id}@example.com` };
		const ofPhones = phones.map((value) => ({ typeId: 'PHONE', valueType: 'WORK', value }));
		const known = this.contacts.get(id)?.fields ?? {};
		const contact: Bitrix24Contact = { id, fm: [], fields: fields ?? known };
		this.contacts.set(id, contact);
		this.addToFm(contact, [email, ...ofPhones]);
	}

	/** The most requests within a second. */
	get worstRate(): number {
		const times = this.requests.map(({ at }) => at);
		return Math.max(
			0,
			...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length),
		);
	}

	private answer(url: string, body: string): Answer {
		const [, secret, method = ''] = /^\/rest\/1\/([^/]+)\/([\w.]+)$/.exec(url) ?? [];
		if (secret !== SECRET) {
			return refusal(401, 'INVALID_CREDENTIALS', 'Invalid request credentials');
		}
		this.requests.push({ method, at: this.now() });
		this.drain(this.takenByOthers(method));
		if (this.level + 1 > BURST) {
			this.refusedByLimit += 1;
			return refusal(503, 'QUERY_LIMIT_EXCEEDED', 'Too many requests');
		}
		this.level += 1;
		return method === 'batch'
			? this.inBatch(JSON.parse(body))
			: this.call(method, JSON.parse(body));
	}

	private drain(takenByOthers: number): void {
		const now = this.now();
		const drained = (PER_SECOND * (now - this.levelAt)) / 1_000;
		this.level = Math.max(takenByOthers, this.level - drained);
		this.levelAt = now;
	}

	private call(method: string, given: unknown): Answer {
		const read = methods[method]?.safeParse(given);
		if (read === undefined) return refusal(404, 'ERROR_METHOD_NOT_FOUND', 'Method not found!');
		if (method === this.blockedMethod) {
			return refusal(429, 'OPERATION_TIME_LIMIT', 'Method is blocked due to operation time limit');
		}
		if (!read.success) return malformed(read.error.message);
		switch (method) {
			case 'crm.item.list':
				return this.list(list.parse(given));
			case 'crm.duplicate.findbycomm':
				return this.find(search.parse(given));
			case 'crm.item.get':
				return this.get(get.parse(given));
			case 'crm.item.add':
				return this.add(addition.parse(given));
			default:
				return this.update(update.parse(given));
		}
	}

	private list({ filter, select }: z.infer<typeof list>): Answer {
		const items = [...this.contacts.values()]
			.sort((one, other) => one.id - other.id)
			.filter(({ id }) => id > filter['>id'])
			.slice(0, PAGE)
			.map((contact) => {
				if (select.includes('*')) return this.itemOf(contact);
				const named = Object.entries(contact.fields).filter(([name]) => select.includes(name));
				return { id: contact.id, ...Object.fromEntries(named) };
			});
		return result({ items });
	}

	private get({ id }: z.infer<typeof get>): Answer {
		const contact = this.contacts.get(id);
		return contact ? result({ item: this.itemOf(contact) }) : notFound();
	}

	private add({ fields: { fm, ...fields } }: z.infer<typeof addition>): Answer {
		if (this.refusesWrite(++this.writes)) return denied();
		const id = Math.max(0, ...this.contacts.keys()) + 2;
		const contact: Bitrix24Contact = { id, fm: [], fields: this.known(fields) };
		this.contacts.set(id, contact);
		this.addToFm(contact, fm);
		return result({ item: this.itemOf(contact) });
	}

	private update({ id, fields }: z.infer<typeof update>): Answer {
		if (this.refusesWrite(++this.writes)) return denied();
		const contact = this.contacts.get(id);
		if (!contact) return notFound();
		const { fm, ...others } = fields;
		Object.assign(contact.fields, this.known(others));
		// A phone is added even if it has the ID of one that is there.
		if (fm !== undefined) this.addToFm(contact, z.array(phone).parse(fm));
		return result({ item: this.withoutFm(contact) });
	}

	private find({ values }: z.infer<typeof search>): Answer {
		const digitsOf = (value: string) => value.replace(/\D/g, '');
		const wanted = values.map(digitsOf);
		const found = [...this.contacts.values()].filter(({ fm }) =>
			fm.some(({ typeId, value }) => typeId === 'PHONE' && wanted.includes(digitsOf(value))),
		);
		return result(found.length === 0 ? [] : { CONTACT: found.map(({ id }) => id) });
	}

	private inBatch(given: unknown): Answer {
		const { cmd } = batch.parse(given);
		const commands = Object.entries(cmd);
		if (commands.length > MOST_COMMANDS) {
			return malformed('More than 50 commands');
		}
		const results: Fields = {};
		const errors: Fields = {};
		for (const [name, command] of commands) {
			const [method = '', query = ''] = command.split('?');
			const { status, body } = this.call(method, argumentsOf(query));
			if (status === 200) results[name] = body.result;
			else errors[name] = body;
		}
		return result({ result: results, result_error: errors, result_total: {}, result_next: {} });
	}

	/** Those that contacts have: the others are ignored, and nothing is said about them. */
	private known(fields: Fields): Fields {
		const own = ['name', ...this.customFields];
		return Object.fromEntries(Object.entries(fields).filter(([name]) => own.includes(name)));
	}

	private itemOf(contact: Bitrix24Contact): Fields {
		return { ...this.withoutFm(contact), fm: contact.fm };
	}

	private withoutFm({ id, fields }: Bitrix24Contact): Fields {
		const empty = Object.fromEntries(this.customFields.map((name) => [name, null]));
		return { id, ...empty, ...this.known(fields) };
	}

	private addToFm(contact: Bitrix24Contact, added: ReadonlyArray<z.infer<typeof phone>>): void {
		for (const each of added) {
			contact.fm.push({ ...each, id: 100 * contact.id + contact.fm.length + 1 });
		}
	}
}

const methods: Readonly<Record<string, z.ZodTypeAny>> = {
	'crm.item.list': list,
	'crm.item.get': get,
	'crm.item.add': addition,
	'crm.item.update': update,
	'crm.duplicate.findbycomm': search,
};

/** Of `id=43&fields[ufCrm_1]=Y`. */
function argumentsOf(query: string): Fields {
	const given: Record<string, unknown> = {};
	for (const [name, value] of new URLSearchParams(query)) {
		const [, outer = '', inner] = /^(\w+)(?:\[(\w+)\])?$/.exec(name) ?? [];
		if (inner === undefined) given[outer] = value;
		else given[outer] = { ...Object(given[outer]), [inner]: value };
	}
	return given;
}
