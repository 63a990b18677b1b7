import { z } from 'zod';

/** How many n8n’s node asks for, which is also the most that HubSpot returns at once. */
const MOST_IN_A_PAGE = 100;

const PAGES = '/contacts/v1/lists/all/contacts/all';
const CREATE_OR_UPDATE = /^\/contacts\/v1\/contact\/createOrUpdate\/email\/([^/]+)$/;

const pageQuery = z.object({
	count: z.coerce.number().max(MOST_IN_A_PAGE),
	property: z.union([z.string(), z.array(z.string())]).transform((names) => [names].flat()),
	propertyMode: z.literal('value_only'),
	vidOffset: z.coerce.number().default(0),
});
const update = z.object({
	properties: z.array(z.object({ property: z.string(), value: z.string() })),
});

type Properties = Record<string, string>;

/** Thrown for a request that HubSpot refuses. */
export class HubspotRefusal extends Error {}

/** Stands in for the contacts of HubSpot, as n8n’s node reads and writes them. */
export class Hubspot {
	/** n8n's node has no setting for another address. */
	static readonly host = 'api.hubapi.com';
	/** Data of n8n's credential. */
	static readonly credential = { appToken: 'token-of-hubspot' };

	/** By `vid`, in the order in which they were added. */
	readonly all = new Map<number, Properties>();
	/** Contacts that were to be written, whether that was refused or not. */
	readonly writes: string[] = [];
	pages = 0;
	/** Whether every third write is refused. */
	refusesEveryThird = false;

	add(properties: Properties): void {
		this.all.set(this.all.size + 1, properties);
	}

	withEmail(email: string): Properties | undefined {
		return [...this.all.values()].find((properties) => properties.email === email);
	}

	/** What a request gets; undefined if nothing is at this path. The body of a GET is its query. */
	answer(method: string, path: string, body: unknown): unknown {
		if (method === 'GET') return path === PAGES ? this.page(body) : undefined;
		const [, email] = CREATE_OR_UPDATE.exec(path) ?? [];
		return method === 'POST' && email ? this.createOrUpdate(email, body) : undefined;
	}

	/** The next contacts after the offset, with the properties that were asked for and are filled in. */
	private page(query: unknown): unknown {
		const { count, property, vidOffset } = pageQuery.parse(query);
		this.pages++;
		const later = [...this.all].filter(([vid]) => vid > vidOffset);
		const contacts = later.slice(0, count).map(([vid, properties]) => {
			const wanted = Object.entries(properties).filter(([name]) => property.includes(name));
			return {
				vid,
				properties: Object.fromEntries(wanted.map(([name, value]) => [name, { value }])),
			};
		});
		return {
			contacts,
			'has-more': later.length > count,
			'vid-offset': contacts.at(-1)?.vid ?? vidOffset,
		};
	}

	/** Writes into the contact with this e-mail address, or creates one. */
	private createOrUpdate(email: string, body: unknown): unknown {
		const { properties } = update.parse(body);
		this.writes.push(email);
		if (this.refusesEveryThird && this.writes.length % 3 === 0) {
			throw new HubspotRefusal('Property values were not valid');
		}
		const written = Object.fromEntries(properties.map(({ property, value }) => [property, value]));
		const known = [...this.all].find(([, contact]) => contact.email === email);
		const vid = known?.[0] ?? this.all.size + 1;
		this.all.set(vid, { email, ...known?.[1], ...written });
		return { vid, isNew: !known };
	}
}
