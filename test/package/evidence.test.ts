import { z } from 'zod';

import { examplesAs, filesIn, read } from './project';

/**
 * No account of a CRM was at hand, so the recipes and the servers that stand in for the CRMs use only what public
 * evidence shows: official documentation, recorded traffic, or several independent clients.
 */
const SHOWN = [
	// Bitrix24: its documentation of REST, https://github.com/bitrix24/b24restdocs, a page for each method.
	'POST crm.item.list',
	'POST crm.item.get',
	'POST crm.item.add',
	'POST crm.item.update',
	'POST crm.duplicate.findbycomm',
	'POST batch',
	// amoCRM and Kommo: https://www.amocrm.ru/developers/content/crm_platform/contacts-api, and their own library.
	'GET /api/v4/contacts',
	'POST /api/v4/contacts',
	'PATCH /api/v4/contacts',
	'PATCH /api/v4/contacts/ID',
];

/** These know their services themselves. The recipes only fill in their fields. */
const NODES_OF_N8N = ['airtable', 'googleSheets', 'hubspot', 'telegram', 'telegramTrigger'];
/** These stand-ins take what n8n’s nodes send. */
const FOR_NODES_OF_N8N = ['harness/standIns/hubspot.ts', 'harness/standIns/telegram.ts'];

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
	...filesIn('harness/standIns', /\.ts$/).filter((file) => !FOR_NODES_OF_N8N.includes(file)),
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
	it('by the HTTP requests of the recipes, and by the methods in their code', () => {
		const requests = nodes.filter(({ type }) => type === HTTP_REQUEST).flatMap(requestOf);
		const inCode = nodes.flatMap(({ parameters }) => found(METHOD, parameters.jsCode));
		expect(unique([...requests, ...inCode.map((method) => `POST ${method}`)])).toEqual(
			unique(SHOWN),
		);
	});

	it.each(standIns)('by $file', ({ text }) => {
		const names = [...found(METHOD, text), ...found(PATH, text)];
		const unknown = names.filter((name) => !SHOWN.map(withoutVerb).includes(name));
		expect(unknown).toEqual([]);
		const verbs = SHOWN.map((request) => request.split(' ')[0]);
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
});
