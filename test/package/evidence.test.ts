import { z } from 'zod';

import { examplesAs, filesIn, read } from './project';

/**
 * No account of a CRM was at hand, so the recipes and the servers that stand in for the CRMs use only what public
 * evidence shows: official documentation, recorded traffic, or several independent clients.
 */
const SHOWN = [
	// Bitrix24: its documentation of REST.
	'POST crm.item.list',
	'POST crm.item.get',
	'POST crm.item.update',
	'POST crm.duplicate.findbycomm',
	'POST batch',
	// amoCRM and Kommo: their own library, and several clients.
	'GET /api/v4/contacts',
	'PATCH /api/v4/contacts',
	'PATCH /api/v4/contacts/ID',
];

/** What is used nevertheless. docs/tilda.md says so, and why. */
const NOT_SHOWN = [
	// A lead has to become a contact. Request and answer are taken from those that change one.
	'POST crm.item.add',
	'POST /api/v4/contacts',
];

/** These know their services themselves. The recipes only fill in their fields. */
const NODES_OF_N8N = ['airtable', 'googleSheets', 'hubspot', 'telegram', 'telegramTrigger'];
/** Stands in for Telegram, and takes what n8n’s node sends. */
const FOR_A_NODE_OF_N8N = 'harness/standIns/telegram.ts';

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
/** Of no product: whoever is asked decides what they are for. */
const OWN_CREDENTIALS = ['callVerificationApi', 'httpBasicAuth', 'httpHeaderAuth'];
/** A method of Bitrix24 is a text of words with dots, alone or before its arguments. */
const METHOD = /['"`]([a-z]+(?:\.[a-z]+)+)(?=['"`?])/g;
const PATH = /\/api\/v\d+(?:\/[\w-]+)*/g;
const VERB = /'(GET|POST|PUT|PATCH|DELETE)'/g;

const recipe = z.object({
	nodes: z.array(
		z.object({
			name: z.string(),
			type: z.string(),
			credentials: z.record(z.unknown()).default({}),
			parameters: z
				.object({
					method: z.string().default('GET'),
					url: z.string().default(''),
					jsCode: z.string().default(''),
				})
				.passthrough(),
		}),
	),
});
type RecipeNode = z.infer<typeof recipe>['nodes'][number];

const nodes = examplesAs((json) => recipe.parse(json))
	.filter(({ file }) => file.startsWith('recipes/'))
	.flatMap((each) => each.nodes);
const standIns = [
	...filesIn('harness/standIns', /\.ts$/).filter((file) => file !== FOR_A_NODE_OF_N8N),
	...filesIn('test/e2e', /^crm[\w.]+\.ts$/),
].map((file) => ({ file, text: read(file).replaceAll('\\/', '/') }));

/** `POST /api/v4/contacts/ID`: what follows the address of the user’s account. Nothing if an expression chooses it. */
function requestOf({ parameters: { method, url } }: RecipeNode): string[] {
	const [, path = ''] = /^=\{\{[^]*?\}\}\/?(.*)$/.exec(url) ?? [];
	const named = path.replace(/\?.*$/, '').replace(/\{\{[^]*?\}\}/g, 'ID');
	if (named === '') throw new Error(`The address is not that of Settings: ${url}`);
	if (named === 'ID') return [];
	return [`${method} ${named.startsWith('api/') ? '/' : ''}${named}`];
}

const found = (pattern: RegExp, text: string) =>
	[...text.matchAll(pattern)].map(([all, inner]) => inner ?? all);
const withoutVerb = (request: string) => request.replace(/^\w+ /, '');
const unique = (texts: readonly string[]) => [...new Set(texts)].sort();

describe('no interface of a CRM is invented', () => {
	const known = [...SHOWN, ...NOT_SHOWN];

	it('by the HTTP requests of the recipes, and by the methods in their code', () => {
		const requests = nodes.filter(({ type }) => type === HTTP_REQUEST).flatMap(requestOf);
		const inCode = nodes.flatMap(({ parameters }) => found(METHOD, parameters.jsCode));
		expect(unique([...requests, ...inCode.map((method) => `POST ${method}`)])).toEqual(
			unique(known),
		);
	});

	it.each(standIns)('by $file', ({ text }) => {
		const names = [...found(METHOD, text), ...found(PATH, text)];
		const unknown = names.filter((name) => !known.map(withoutVerb).includes(name));
		expect(unknown).toEqual([]);
		const verbs = known.map((request) => request.split(' ')[0]);
		expect(found(VERB, text).filter((verb) => !verbs.includes(verb))).toEqual([]);
	});

	it('by other nodes that know a service: these are n8n’s own', () => {
		const types = nodes
			.filter(({ type }) => type !== HTTP_REQUEST)
			.filter(({ credentials }) =>
				Object.keys(credentials).some((type) => !OWN_CREDENTIALS.includes(type)),
			)
			.map(({ type }) => type);
		expect(unique(types)).toEqual(NODES_OF_N8N.map((name) => `n8n-nodes-base.${name}`));
	});

	it('and docs/tilda.md names what is used without evidence', () => {
		const page = read('docs/tilda.md');
		expect(NOT_SHOWN.filter((request) => !page.includes(withoutVerb(request)))).toEqual([]);
	});
});
