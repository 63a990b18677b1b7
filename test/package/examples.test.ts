import { z } from 'zod';

import { fieldSources } from '../../scripts/generate/rows';
import { CallVerification } from '../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../nodes/CallVerification/CallVerificationTrigger.node';

import { examplesAs, read } from './project';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const CODE = 'n8n-nodes-base.code';

/** As n8n itself gives them to workflows. */
const ID = /^[A-Za-z0-9]{16}$/;

const workflow = z.object({
	name: z.string(),
	id: z.string().default(''),
	nodes: z.array(
		z.object({
			name: z.string(),
			type: z.string(),
			typeVersion: z.number(),
			position: z.tuple([z.number(), z.number()]),
			parameters: z
				.object({
					content: z.string().optional(),
					width: z.number().optional(),
					height: z.number().optional(),
				})
				.passthrough(),
			alwaysOutputData: z.boolean().optional(),
			onError: z.string().optional(),
			disabled: z.boolean().optional(),
			credentials: z.record(z.object({ name: z.string() })).optional(),
		}),
	),
	connections: z.record(z.object({ main: z.array(z.unknown()).default([]) })),
});

/** Pixels that a node takes on the canvas, at least. */
const NODE_SIZE = 96;

type Example = z.infer<typeof workflow>;

/** Where something is on the canvas. */
interface Area {
	readonly left: number;
	readonly top: number;
	readonly right: number;
	readonly bottom: number;
}

/** Those whose labels are no expressions. */
const formFields = z
	.object({
		formFields: z
			.object({ values: z.array(z.object({ fieldLabel: z.string().default('=') })) })
			.default({ values: [] }),
	})
	.transform((node) => node.formFields.values)
	.transform((fields) => fields.filter(({ fieldLabel }) => !fieldLabel.startsWith('=')));

const examples = examplesAs((json) => workflow.parse(json));

describe.each(examples)('$file', ({ file, id, name, nodes, connections }) => {
	const notes = nodes.filter(({ type }) => type === STICKY_NOTE);

	it('explains itself, and says what to do first', () => {
		const about = notes.find((note) => note.name === 'About')?.parameters.content ?? '';
		expect(about).toMatch(new RegExp(`^## ${name}\n`));
		expect(about).toContain('1. Choose your credential in **');
		expect(notes.length).toBeGreaterThan(1);
	});

	it('names in its notes only what is on the canvas or in a panel', () => {
		const known = new Set(nodes.map((node) => node.name));
		const named = notes
			.flatMap(({ parameters }) => [...(parameters.content ?? '').matchAll(/\*\*([^*]+)\*\*/g)])
			.map(([, text = '']) => text);
		expect(named.filter((text) => !known.has(text) && !IN_PANELS.includes(text))).toEqual([]);
	});

	it('has nothing on top of a note', () => {
		const placed = nodes.map((node) => ({ node, area: areaOf(node) }));
		const hidden = notes.flatMap((note) =>
			placed
				.filter(({ node, area }) => node !== note && isOver(area, areaOf(note)))
				.map(({ node }) => `${node.name} is on ${note.name}: move one of them`),
		);
		expect(hidden).toEqual([]);
	});

	it('has an ID of its own, so that “n8n import:workflow” accepts it and replaces no other workflow', () => {
		expect(id).toMatch(ID);
		expect(examples.filter((other) => other.id === id).map((other) => other.file)).toEqual([file]);
	});

	// n8n silently runs an older version of a node.
	it('has the nodes of this package in the version that they have', () => {
		const ours = nodes.filter(({ type }) => type.startsWith('n8n-nodes-call-verification.'));
		expect(ours).not.toEqual([]);
		for (const { type, typeVersion } of ours) {
			expect([type, typeVersion]).toEqual([type, VERSIONS[type.replace(/Tool$/, '')]]);
		}
	});

	it('reads no field of a form by its label, so that labels can be translated', () => {
		const labels = nodes.flatMap(({ parameters }) =>
			formFields.parse(parameters).map(({ fieldLabel }) => fieldLabel),
		);
		const texts = nodes
			.filter(({ type }) => type !== STICKY_NOTE)
			.map(({ parameters: { formFields: _own, ...others } }) => JSON.stringify(others));
		// A file has its label as the name of its binary data, too.
		const names = labels.flatMap((label) => [label, label.replace(/\W/g, '_')]);
		const read = names.filter((name) => texts.some((text) => text.includes(name)));
		expect(read).toEqual([]);
	});

	// There, $('Prepare').first().json is empty if Prepare is a Code node.
	it('reads Code nodes in expressions as n8n 1.x can, too', () => {
		const code = new Set(nodes.filter(({ type }) => type === CODE).map((node) => node.name));
		const read = nodes
			.filter(({ type }) => type !== CODE)
			.flatMap(({ parameters }) => [
				...JSON.stringify(parameters).matchAll(/\$\('([^']+)'\)\.\w+\(?\)?\.json/g),
			])
			.filter(([, name = '']) => code.has(name));
		expect(read.map(([text, name]) => `Write $node['${name}'].json instead of ${text}`)).toEqual(
			[],
		);
	});

	// n8n 3.0 no longer adds an empty item to the first output if another one has items.
	it('always outputs data only where there is one output', () => {
		const always = nodes.filter(({ alwaysOutputData }) => alwaysOutputData);
		const isSplit = ({ name: node, onError }: (typeof nodes)[number]) =>
			onError === 'continueErrorOutput' || (connections[node]?.main.length ?? 0) > 1;
		expect(always.filter(isSplit).map((node) => node.name)).toEqual([]);
	});

	it('holds no identity but the names that n8n itself gives to credentials', () => {
		const names = nodes.flatMap(({ credentials }) => Object.values(credentials ?? {}));
		expect(names.filter(({ name: given }) => !DEFAULT_CREDENTIALS.includes(given))).toEqual([]);
	});
});

describe('the texts that people read', () => {
	const assignments = z.object({
		assignments: z.object({
			assignments: z.array(z.object({ name: z.string(), value: z.string() })),
		}),
	});
	const forms = examplesAs((json) => {
		const { nodes } = z
			.object({ nodes: z.array(z.object({ name: z.string(), parameters: z.unknown() })) })
			.parse(json);
		const node = nodes.find(({ name }) => name === 'Texts');
		const texts = node ? assignments.parse(node.parameters).assignments.assignments : [];
		const others = nodes.filter((each) => each !== node).map(({ parameters }) => parameters);
		return { texts: texts.map(({ name }) => name), others: JSON.stringify(others) };
	}).filter(({ texts }) => texts.length > 0);

	it('are in a node of their own in these examples', () => {
		expect(forms.map(({ file }) => file)).toEqual([
			'call-and-check-code.json',
			'verify-by-inbound-call.json',
			'recipes/telegram-login.json',
		]);
	});

	it.each(forms)('are all used in $file, and none is missing', ({ texts, others }) => {
		const pages = texts.filter((name) => name.endsWith('_title')).map((name) => name.slice(0, -6));
		const ofPages = pages.flatMap((page) => [`${page}_title`, `${page}_text`]);
		// In an expression, or as the value of a field, which is a JSON text.
		const isNamed = (name: string) =>
			new RegExp(`['"]${name}['"]|\\.json\\.${name}\\b`).test(others);
		const isUsed = (name: string) =>
			isNamed(name) || (ofPages.includes(name) && isNamed(name.replace(/_(title|text)$/, '')));
		expect(texts.filter((name) => !isUsed(name))).toEqual([]);
		expect(ofPages.filter((name) => !texts.includes(name))).toEqual([]);
		const named = [
			...others.matchAll(/\$\('Texts'\)\.first\(\)\.json\.(\w+)|text\.name === '(\w+)'/g),
		];
		expect(
			named.map(([, late, early]) => late ?? early).filter((name) => !texts.includes(name ?? '')),
		).toEqual([]);
	});
});

/** What a list may cost is in the check itself, in a setting that it reads, or the numbers that it is given. */
describe('the cost of a list', () => {
	/** They show one thing each, with rows of their own, or check a contact when it comes. */
	const WITHOUT_LISTS = [
		'recipes/amocrm-new-contact.json',
		'recipes/call-valid-mobiles.json',
		'recipes/keep-your-columns.json',
		'recipes/tilda-lead.json',
	];
	const checking = z.object({
		resource: z.literal('phoneNumber'),
		options: z.object({ maxTotalCost: z.union([z.number(), z.string()]).default(0) }).default({}),
	});
	const settings = z.object({
		assignments: z.object({
			assignments: z.array(z.object({ name: z.string(), value: z.unknown() })),
		}),
	});
	const lists = examplesAs((json) => {
		const { nodes } = workflow.parse(json);
		const checks = nodes
			.filter(({ type }) => type === 'n8n-nodes-call-verification.callVerification')
			.map(({ parameters }) => checking.safeParse(parameters))
			.flatMap(({ data }) => (data ? [data.options.maxTotalCost] : []));
		const limits = nodes
			.map(({ parameters }) => settings.safeParse(parameters))
			.flatMap(({ data }) => data?.assignments.assignments ?? [])
			.filter(({ name }) => /^max(_?cost|Numbers)/i.test(name));
		return { checks, limits };
	}).filter(({ file, checks }) => checks.length > 0 && !WITHOUT_LISTS.includes(file));

	it('is limited in every example that checks one, as it comes', () => {
		expect(lists.length).toBeGreaterThan(5);
		const unlimited = lists.flatMap(({ file, checks, limits }) => [
			...checks
				.filter((limit) => limit === 0 && !limits.some(({ name }) => name === 'maxNumbers'))
				.map(() => `${file}: add Max Total Cost, or a setting maxNumbers`),
			...limits.filter(({ value }) => !(Number(value) > 0)).map(({ name }) => `${file}: ${name}`),
		]);
		expect(unlimited).toEqual([]);
	});
});

describe('what a list run hands to the report', () => {
	/** They have rows of their own, to show one thing each. */
	const SHOWN = [
		'recipes/call-valid-mobiles',
		'recipes/keep-your-columns',
		'recipes/list-with-a-budget',
	];
	/** They check one contact, when it comes. */
	const ONE_BY_ONE = ['recipes/amocrm-new-contact', 'recipes/tilda-lead'];
	const connection = z.array(z.array(z.object({ node: z.string() })));
	const recording = examples.map(({ file, nodes, connections }) => {
		const record = nodes.find(
			({ name, type }) => name === 'Record' && type === 'n8n-nodes-base.executeWorkflow',
		);
		const from = Object.entries(connections).filter(([, { main }]) =>
			connection.parse(main).some((ends) => ends.some(({ node }) => node === 'Record')),
		);
		return {
			name: file.replace('.json', ''),
			checksRows: nodes.some(
				({ type, parameters: { resource, operation } }) =>
					type === 'n8n-nodes-call-verification.callVerification' &&
					resource === 'phoneNumber' &&
					['check', 'checkFile'].includes(String(operation)),
			),
			record,
			from: from.map(([name]) => name),
		};
	});

	it('is there in every example that checks a list, and switched off', () => {
		const lists = recording.filter(
			({ name, checksRows }) => checksRows && ![...SHOWN, ...ONE_BY_ONE].includes(name),
		);
		expect(lists.length).toBeGreaterThan(9);
		for (const { name, record, from } of lists) {
			expect([name, from, record?.disabled, record?.onError]).toEqual([
				name,
				['List Run'],
				true,
				'continueRegularOutput',
			]);
		}
	});

	it('is listed in the documentation', () => {
		const sentence =
			/^The examples with a \*\*Record\*\* are (.*)\.$/m.exec(
				read('docs/know-your-rate.md'),
			)?.[1] ?? '';
		const named = sentence.replace('and the recipes ', '').split(/, | and /);
		const having = recording.filter(({ record }) => record !== undefined);
		expect(named.sort()).toEqual(having.map(({ name }) => name.replace('recipes/', '')).sort());
	});
});

describe('the country code of numbers written without one', () => {
	const OURS = 'n8n-nodes-call-verification.callVerification';
	const FORM = 'n8n-nodes-base.formTrigger';
	/** Of check-list-form. */
	const FROM_FORM = "={{ $node['Upload'].json.defaultCountryCode }}";
	const ANY_COUNTRY = 'Numbers that begin with a plus may be of any country';
	const checking = z.object({
		resource: z.literal('phoneNumber'),
		options: z.object({ defaultCountryCode: z.string().optional() }).default({}),
	});
	const setting = z.object({ name: z.string(), value: z.unknown() });
	/** By its name or its label. A form does not go on while a required field is empty. */
	const formField = z
		.object({
			fieldLabel: z.string(),
			fieldName: z.string().optional(),
			requiredField: z.boolean().default(false),
		})
		.transform(({ fieldLabel, fieldName = fieldLabel, requiredField }) => ({
			name: fieldName,
			value: requiredField ? '' : undefined,
		}));
	const asked = z.object({
		assignments: z.object({ assignments: z.array(setting).default([]) }).catch({ assignments: [] }),
		formFields: z.object({ values: z.array(formField) }).catch({ values: [] }),
	});
	/** To somebody whose number a colleague types into a form. */
	const inboundCall = z.object({
		resource: z.literal('inboundCall'),
		operation: z.literal('start'),
		options: z.object({ defaultCountryCode: z.string().optional() }).default({}),
	});
	const teamForm = z.object({ authentication: z.literal('basicAuth') });
	// Not those of an AI tool, where the model asks for a number with its country code.
	const checks = examplesAs((json) => {
		const { nodes } = workflow.parse(json);
		const isTyped = nodes.some(
			({ type, parameters }) => type === FORM && teamForm.safeParse(parameters).success,
		);
		const reading = isTyped ? z.union([checking, inboundCall]) : checking;
		const codes = nodes
			.filter(({ type }) => type === OURS)
			.map(({ parameters }) => reading.safeParse(parameters))
			.flatMap(({ data }) => (data ? [data.options.defaultCountryCode] : []));
		const notes = nodes.filter(({ type }) => type === STICKY_NOTE);
		return {
			codes,
			notes: notes.map(({ parameters }) => parameters.content).join('\n'),
			settings: nodes.flatMap(({ parameters }) => {
				const { assignments, formFields } = asked.parse(parameters);
				return [...assignments.assignments, ...formFields.values];
			}),
		};
	}).filter(({ codes }) => codes.length > 0);

	it('is asked for in the examples that check lists, and where a team types a number', () => {
		expect(checks.length).toBeGreaterThan(7);
		expect(checks.map(({ file }) => file)).toEqual(
			expect.arrayContaining([
				'recipes/bitrix24-verified-call.json',
				'recipes/verified-call-to-hubspot.json',
			]),
		);
	});

	it.each(checks)(
		'is a setting in $file, empty as it comes, and its notes say where',
		(example) => {
			const { codes, notes, settings } = example;
			const problems = codes.flatMap((code = '') => {
				// An option that is empty stops nothing, but an expression without a result is an error before anything is sent.
				const [, setting, field] = /^=.*[.$]json(?:\.(\w+)|\['([^']+)'\])/.exec(code) ?? [];
				const source = code === FROM_FORM ? 'Your country code' : (setting ?? field);
				if (source === undefined)
					return [`Read a setting in defaultCountryCode instead of “${code}”`];
				const value = settings.find(({ name }) => name === source)?.value;
				return [
					value !== '' && `Add an empty setting or a required field ${source}`,
					!notes.includes(source) && `Explain ${source} in a note, with an example`,
					!notes.includes(ANY_COUNTRY) && `Say in that note: ${ANY_COUNTRY}`,
				];
			});
			expect(problems.filter((problem) => problem !== false)).toEqual([]);
		},
	);
});

const VERSIONS: Readonly<Record<string, unknown>> = Object.fromEntries(
	[new CallVerification(), new CallVerificationTrigger()].map(({ description }) => [
		`n8n-nodes-call-verification.${description.name}`,
		description.version,
	]),
);
describe('the examples that keep something in PostgreSQL', () => {
	const keeping = examples.filter(({ nodes }) =>
		nodes.some(({ type }) => type === 'n8n-nodes-base.postgres'),
	);

	it.each(keeping)('delete no row and no table: $file', ({ file }) => {
		expect(read(`examples/${file}`)).not.toMatch(/\b(?:DELETE\s+FROM|TRUNCATE|DROP\s+TABLE)\b/i);
	});

	it('are these', () => {
		expect(keeping.map(({ file }) => file)).toEqual([
			'check-large-list-workers.json',
			'on-inbound-call-postgres.json',
		]);
	});
});

const LABELS = [...fieldSources.values()]
	.flat()
	.flatMap(({ displayName, options = [] }) => [
		displayName,
		...options.map((option) => ('displayName' in option ? option.displayName : '')),
	]);
function areaOf({ position: [left, top], parameters }: Example['nodes'][number]): Area {
	const { width = NODE_SIZE, height = NODE_SIZE } = parameters;
	return { left, top, right: left + width, bottom: top + height };
}

function isOver(one: Area, other: Area): boolean {
	const inWidth = one.left < other.right && one.right > other.left;
	const inHeight = one.top < other.bottom && one.bottom > other.top;
	return inWidth && inHeight;
}

const IN_PANELS = [
	...LABELS.map((label) => label.replace(/ \(.*\)$/, '')),
	// Of n8n itself.
	'Always Output Data',
	'Execute step',
	'Execute workflow',
	'Open chat',
	'Path',
	'Show Headers',
	'Waiting Page',
];
const DEFAULT_CREDENTIALS = [
	'Airtable Personal Access Token account',
	'Basic Auth account',
	'Call Verification account',
	'Google Service Account account',
	'Header Auth account',
	'HubSpot App Token account',
	'JWT Auth account',
	'OpenAi account',
	'Postgres account',
	'Telegram account',
];
