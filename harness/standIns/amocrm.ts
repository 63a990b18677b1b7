import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { fetch } from 'undici';
import { z } from 'zod';
import { listenOnLoopback } from '../process/loopback';
import { freshConnections } from '../rest/restSession';
import { Gate } from './gate';

/** The most contacts of a page, and of a change. */
const PAGE = 250;
const MOST_CHANGES = 50;
const PER_SECOND = 7;
const PHONE_FIELD = 3;

const field = z.object({
	field_id: z.number().optional(),
	field_code: z.string().nullish(),
	values: z.array(z.object({ value: z.string(), enum_code: z.string().optional() })),
});
const fields = z.array(field).nullish();
const added = z.array(
	z.object({
		name: z.string(),
		custom_fields_values: fields,
		request_id: z.string().optional(),
	}),
);
const change = z.object({ id: z.number(), custom_fields_values: fields });

type Field = z.infer<typeof field>;
export interface AmoContact {
	readonly id: number;
	name: string;
	custom_fields_values: Field[] | null;
}
type Change = z.infer<typeof change>;

/** What the service says, with its HTTP status. */
class Refusal extends Error {
	constructor(
		readonly status: number,
		detail: string,
	) {
		super(detail);
	}
}

/**
 * Stands in for amoCRM and Kommo: their contacts, limits and events, as their documentation, their own library and
 * public clients show them.
 */
export class AmoCrm {
	readonly contacts = new Map<number, AmoContact>();
	readonly token = 'long-lived token';
	/** The changes of contacts that were made, in order. */
	readonly writes: number[] = [];
	/** The contacts of changes with a phone among their fields, which replaces all phones. */
	readonly phoneChanges: number[] = [];
	readonly requests: string[] = [];
	/** The events, as they were posted for the first time. */
	readonly posted: string[] = [];
	/** The most requests within a second. */
	worstRate = 0;
	/** Whether the service refuses the n-th request that would change something, counted from 1. */
	refusesWrite: (write: number) => boolean = () => false;
	/** Whether it refuses this page of contacts, because another program has used up the limit. */
	refusesPage: (page: number) => boolean = () => false;
	readonly gate = new Gate();
	/** How often the limit may be exceeded before the account is locked. The real number is not published. */
	patience = 20;
	/** Where it posts its events. */
	hook: string | undefined;
	url = '';
	private readonly server = createServer(
		(request, response) => void this.respond(request, response),
	);
	private readonly events: Array<Promise<unknown>> = [];
	private times: number[] = [];
	private excess = 0;
	private asked = 0;

	/** The IDs are those of the account's own fields. */
	constructor(private readonly ownFields: readonly number[]) {}

	async start(): Promise<void> {
		this.url = await listenOnLoopback(this.server);
	}

	async close(): Promise<void> {
		await this.eventsSent();
		this.server.close();
	}

	/** Somebody adds a contact by hand. Without phones, it has no fields at all. */
	add(name: string, ...phones: string[]): AmoContact {
		const id = this.contacts.size * 2 + 3;
		const contact = { id, name, custom_fields_values: null };
		this.contacts.set(id, contact);
		this.setPhones(contact, phones);
		this.tell('add', contact);
		return contact;
	}

	setPhones(contact: AmoContact, phones: readonly string[]): void {
		const values = phones.map((value) => ({ value, enum_code: 'WORK' }));
		const others = (contact.custom_fields_values ?? []).filter((own) => own.field_code !== 'PHONE');
		const phone = { field_id: PHONE_FIELD, field_code: 'PHONE', values };
		const all = values.length > 0 ? [...others, phone] : others;
		contact.custom_fields_values = all.length > 0 ? all : null;
	}

	/** Of one of the account's own fields, as text. */
	valueOf(contact: AmoContact, fieldId: number): string {
		const own = contact.custom_fields_values?.find(({ field_id }) => field_id === fieldId);
		return own?.values[0]?.value ?? '';
	}

	phonesOf(contact: AmoContact): string[] {
		const phone = contact.custom_fields_values?.find(({ field_code }) => field_code === 'PHONE');
		return phone?.values.map(({ value }) => value) ?? [];
	}

	/** Resolves when every event has been posted and answered, those that followed from them, too. */
	async eventsSent(): Promise<void> {
		for (let sent = -1; sent < this.events.length; ) {
			sent = this.events.length;
			await Promise.all(this.events);
		}
	}

	/** Posts an event once more, as it was. */
	repeat(event: string): void {
		this.post(event);
	}

	private tell(event: 'add' | 'update', contact: AmoContact): void {
		if (this.hook === undefined) return;
		const body = eventOf(event, contact, this.posted.length);
		this.posted.push(body);
		this.post(body);
	}

	private post(body: string): void {
		if (this.hook === undefined) return;
		const headers = { 'content-type': 'application/x-www-form-urlencoded' };
		const request = { method: 'POST', headers, body, dispatcher: freshConnections };
		// Whether it was received is for the test to find out.
		this.events.push(fetch(this.hook, request).catch(() => undefined));
	}

	private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const at = Date.now();
		const body = await text(request);
		await this.gate.pass(request, () => this.send(request, response, body, at));
	}

	private send(request: IncomingMessage, response: ServerResponse, body: string, at: number): void {
		try {
			this.requests.push(`${request.method} ${request.url}`);
			this.count(at);
			const answer = this.answer(request, body);
			if (answer === undefined) {
				response.writeHead(204).end();
				return;
			}
			response.setHeader('content-type', 'application/hal+json').end(JSON.stringify(answer));
		} catch (error) {
			const status = error instanceof Refusal ? error.status : 400;
			const problem = { title: 'Error', status, detail: String(error) };
			response
				.writeHead(status, { 'content-type': 'application/problem+json' })
				.end(JSON.stringify(problem));
		}
	}

	/** Refuses what is beyond the limit, and everything from an account that exceeds it again and again. */
	private count(at: number): void {
		this.times = [...this.times.filter((time) => time > at - 1_000), at];
		this.worstRate = Math.max(this.worstRate, this.times.length);
		if (this.excess > this.patience) throw new Refusal(403, 'The account is locked');
		if (this.times.length <= PER_SECOND) return;
		this.excess += 1;
		throw new Refusal(429, 'Too many requests');
	}

	private answer({ method, url = '', headers }: IncomingMessage, body: string): unknown {
		if (headers.authorization !== `Bearer ${this.token}`) throw new Refusal(401, 'Unauthorized');
		const { pathname, searchParams } = new URL(url, this.url);
		const [, id] = /^\/api\/v4\/contacts(?:\/(\d+))?$/.exec(pathname) ?? [];
		if (method === 'GET' && pathname === '/api/v4/contacts') return this.page(searchParams);
		if (this.refusesWrite(++this.asked)) throw new Refusal(400, 'Refused');
		if (method === 'POST' && pathname === '/api/v4/contacts') {
			return this.insert(added.parse(JSON.parse(body)));
		}
		if (method === 'PATCH' && id !== undefined) {
			const own = { ...Object(JSON.parse(body)), id: Number(id) } as unknown;
			return this.update([change.parse(own)]);
		}
		if (method === 'PATCH' && pathname === '/api/v4/contacts') {
			return this.update(z.array(change).max(MOST_CHANGES).parse(JSON.parse(body)));
		}
		throw new Refusal(404, 'Not found');
	}

	private page(asked: URLSearchParams): unknown {
		const limit = Number(asked.get('limit') ?? 50);
		const page = Number(asked.get('page') ?? 1);
		if (this.refusesPage(page)) throw new Refusal(429, 'Too many requests');
		if (!(limit <= PAGE)) throw new Refusal(400, 'The limit is too high');
		const contacts = [...this.contacts.values()].slice((page - 1) * limit, page * limit);
		if (contacts.length === 0) return undefined;
		const linkTo = (to: number) => ({
			href: `${this.url}/api/v4/contacts?limit=${limit}&page=${to}`,
		});
		const isLast = page * limit >= this.contacts.size;
		return {
			_page: page,
			_links: { self: linkTo(page), ...(!isLast && { next: linkTo(page + 1) }) },
			_embedded: { contacts },
		};
	}

	private insert(contacts: z.infer<typeof added>): unknown {
		return this.answerOf(
			contacts.map(({ name, custom_fields_values, request_id }, index) => {
				const id = this.contacts.size * 2 + 3;
				const contact: AmoContact = { id, name, custom_fields_values: null };
				this.contacts.set(id, contact);
				this.apply({ id, custom_fields_values });
				this.tell('add', contact);
				return { id, request_id: request_id ?? String(index) };
			}),
		);
	}

	/** All of them or none. */
	private update(changes: readonly Change[]): unknown {
		const unknown = changes.find(({ id }) => !this.contacts.has(id));
		if (unknown) throw new Refusal(400, `There is no contact ${unknown.id}`);
		const withPhone = changes.filter(({ custom_fields_values: all }) => all?.some(isPhone));
		this.phoneChanges.push(...withPhone.map(({ id }) => id));
		const changed = changes.map((each) => this.apply(each));
		for (const contact of changed) this.tell('update', contact);
		this.writes.push(...changed.map(({ id }) => id));
		const updated_at = Math.floor(Date.now() / 1_000);
		return this.answerOf(changed.map(({ id, name }) => ({ id, name, updated_at })));
	}

	private apply({ id, custom_fields_values }: Change): AmoContact {
		const contact = this.contacts.get(id);
		if (!contact) throw new Refusal(400, `There is no contact ${id}`);
		for (const { field_id, field_code, values } of custom_fields_values ?? []) {
			if (isPhone({ field_id, field_code })) {
				this.setPhones(
					contact,
					values.map(({ value }) => value),
				);
				continue;
			}
			if (field_id === undefined || !this.ownFields.includes(field_id)) {
				throw new Refusal(400, `There is no field ${field_id ?? field_code}`);
			}
			const others = (contact.custom_fields_values ?? []).filter(
				(own) => own.field_id !== field_id,
			);
			contact.custom_fields_values = [...others, { field_id, field_code: null, values }];
		}
		return contact;
	}

	private answerOf(written: ReadonlyArray<{ readonly id: number }>): unknown {
		const linkTo = (path: string) => ({ self: { href: `${this.url}/api/v4/contacts${path}` } });
		const contacts = written.map((each) => ({ ...each, _links: linkTo(`/${each.id}`) }));
		return { _links: linkTo(''), _embedded: { contacts } };
	}
}

function isPhone({ field_id, field_code }: Pick<Field, 'field_id' | 'field_code'>): boolean {
	return field_code === 'PHONE' || field_id === PHONE_FIELD;
}

/** Form-encoded. Where the contact and its fields stand differs from event to event. */
export function eventOf(event: 'add' | 'update', contact: AmoContact, turn: number): string {
	const place = `contacts[${event}][${turn % 3}]`;
	const form = new URLSearchParams({
		'account[subdomain]': 'example',
		[`${place}[id]`]: String(contact.id),
		[`${place}[name]`]: contact.name,
	});
	const all = contact.custom_fields_values ?? [];
	for (const [index, { field_id, field_code, values }] of all.entries()) {
		const at = `${place}[custom_fields][${(index + turn) % all.length}]`;
		form.set(`${at}[id]`, String(field_id));
		if (field_code) form.set(`${at}[code]`, field_code);
		for (const [number, { value }] of values.entries()) {
			form.set(`${at}[values][${number + (turn % 2)}][value]`, value);
		}
	}
	return form.toString();
}
