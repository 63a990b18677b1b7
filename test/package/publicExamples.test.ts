import { basename } from 'node:path';
import { z } from 'zod';

import { resources } from '../../nodes/CallVerification/operations';
import { defaultsOf } from '../../nodes/CallVerification/run/options';
import { pages } from './docs/pages';
import { examplesAs, read } from './project';

/** Triggers that strangers can reach once the workflow is published or made public. */
const PUBLIC_TRIGGERS = [
	'n8n-nodes-base.webhook',
	'n8n-nodes-base.formTrigger',
	'@n8n/n8n-nodes-langchain.chatTrigger',
	'n8n-nodes-base.telegramTrigger',
];

/** Of all operations. An option means the same in each. */
const DEFAULTS = Object.assign(
	{},
	...resources
		.flatMap(({ operations }) => operations.flatMap(({ fields }) => fields))
		.filter(({ name }) => name === 'options')
		.map(defaultsOf),
) as object;

const parameters = z.object({
	resource: z.string().optional(),
	operation: z.string().optional(),
	authentication: z.string().optional(),
	resume: z.string().optional(),
	incomingAuthentication: z.string().optional(),
	uid: z.string().optional(),
	options: z.preprocess(
		(given) => ({ ...DEFAULTS, ...Object(given) }) as unknown,
		z.object({
			allowedPrefixes: z.string().default(''),
			cooldown: z.number(),
			hideCode: z.boolean(),
			limitKey: z.string().default(''),
			maxAttempts: z.number(),
			maxCallsPerHour: z.number(),
			maxCallsPerKey: z.number(),
			maxCallsPerNumber: z.number(),
			maxTotalCost: z.union([z.number(), z.string()]),
			maxWrongPerDay: z.number(),
			requireToken: z.boolean(),
			validFor: z.number(),
		}),
	),
});
const example = z.object({
	nodes: z.array(z.object({ name: z.string(), type: z.string(), parameters })),
	settings: z
		.object({
			saveDataSuccessExecution: z.string().optional(),
			saveManualExecutions: z.boolean().optional(),
		})
		.default({}),
});

/** Called by products that send no token, so that their address is the secret. */
const ADDRESS_IS_SECRET = ['recipes/amocrm-new-contact.json', 'recipes/tilda-lead.json'];

/** Codes from 0001 to 9999. */
const CODES = 9_999;

const examples = examplesAs((json) => example.parse(json)).filter(({ nodes }) =>
	nodes.some(({ type }) => PUBLIC_TRIGGERS.includes(type)),
);

describe.each(examples)('$file, which strangers can reach', ({ file, nodes }) => {
	const operations = (resource: string, operation: string) =>
		nodes.filter(
			({ parameters: given }) => given.resource === resource && given.operation === operation,
		);
	const starts = operations('call', 'start');
	const checks = operations('call', 'checkCode');

	it('limits the countries, the calls per number and the calls per hour', () => {
		for (const { name, parameters: given } of starts) {
			const { allowedPrefixes, cooldown, maxCallsPerHour, maxCallsPerNumber } = given.options;
			expect([name, 'Allowed Prefixes', allowedPrefixes]).not.toContain('');
			expect([name, 'Cooldown per Number', cooldown]).not.toContain(0);
			expect([name, 'Max Calls per Number and Day', maxCallsPerNumber]).not.toContain(0);
			expect([name, 'Max Calls per Hour', maxCallsPerHour]).not.toContain(0);
		}
		for (const { name, parameters: given } of operations('inboundCall', 'start')) {
			expect([name, 'Allowed Prefixes', given.options.allowedPrefixes]).not.toContain('');
			expect([name, 'Max Calls per Hour', given.options.maxCallsPerHour]).not.toContain(0);
		}
	});

	it('hides the code', () => {
		for (const { name, type, parameters: given } of [...starts, ...operations('call', 'get')]) {
			// A tool never shows it.
			const isHidden = given.options.hideCode || type.endsWith('Tool');
			expect([name, 'Hide Code', isHidden]).toEqual([name, 'Hide Code', true]);
		}
	});

	it('limits what a list may cost', () => {
		for (const { name, parameters: given } of operations('phoneNumber', 'checkFile')) {
			expect([name, 'Max Total Cost', given.options.maxTotalCost]).not.toContain(0);
		}
	});

	it('does not call a whole country: 7 alone includes Kazakhstan, and +7 809 at a premium', () => {
		const dialling = [...starts, ...operations('inboundCall', 'start')];
		/** Of the node itself, or of the one whose prefixes it uses. */
		const prefixesOf = (entered: string) => {
			const [, other] =
				/^=\{\{ \$\('(.+)'\)\.params\.options\.allowedPrefixes \}\}$/.exec(entered) ?? [];
			const its = dialling.find(({ name }) => name === other)?.parameters.options.allowedPrefixes;
			return (its ?? entered).split(/[ ,;]+/);
		};
		for (const { parameters: given } of dialling) {
			const prefixes = prefixesOf(given.options.allowedPrefixes);
			expect(prefixes).toEqual(prefixes.map(() => expect.stringMatching(/^\d+$/) as unknown));
			expect(prefixes.filter((prefix) => '77'.startsWith(prefix))).toEqual([]);
			expect(prefixes.filter((prefix) => '7809'.startsWith(prefix))).toEqual([]);
		}
	});

	it('gives each visitor fewer calls an hour than all of them together', () => {
		const isOpenForm = nodes.some(
			({ type, parameters: { authentication } }) =>
				type === 'n8n-nodes-base.formTrigger' && authentication === undefined,
		);
		// Behind a login, whoever has it asks for the numbers.
		const numbers = isOpenForm ? operations('inboundCall', 'start') : [];
		// In a chat, the model calls, and nothing tells its visitors apart.
		for (const { name, type, parameters: given } of [...starts, ...numbers]) {
			if (type.endsWith('Tool')) continue;
			const { limitKey, maxCallsPerHour, maxCallsPerKey } = given.options;
			expect([name, limitKey.startsWith('={{')]).toEqual([name, true]);
			expect(maxCallsPerKey).toBeGreaterThan(0);
			expect(maxCallsPerKey).toBeLessThan(maxCallsPerHour / 4);
		}
	});

	it('checks codes by token, at most five times, and for a limited time', () => {
		for (const { name, parameters: given } of checks) {
			const { maxAttempts, requireToken, validFor } = given.options;
			expect([name, 'Require Token', requireToken]).toEqual([name, 'Require Token', true]);
			expect(maxAttempts).toBeGreaterThan(0);
			expect(maxAttempts).toBeLessThanOrEqual(5);
			expect(validFor).toBeGreaterThan(0);
			// A second start in a slot returns the first call, whose code should still be valid.
			for (const start of starts) {
				expect(start.parameters.options.cooldown).toBeLessThanOrEqual(validFor);
			}
		}
	});

	it('asks for authentication at its webhooks', () => {
		const webhooks = nodes.filter(({ type }) => type === 'n8n-nodes-base.webhook');
		const open = webhooks.filter(({ parameters: given }) => given.authentication === undefined);
		expect(open).toHaveLength(ADDRESS_IS_SECRET.includes(file) ? 1 : 0);
		const waiting = nodes.filter(({ parameters: given }) => given.resume === 'webhook');
		expect(
			waiting.filter(({ parameters: given }) => given.incomingAuthentication !== 'jwtAuth'),
		).toEqual([]);
	});
});

describe('what a stranger can do', () => {
	/** What the public service charges for a call, in roubles. */
	const PRICE = 0.8;
	const guide = read('docs/security.md');
	const tablesOf = (heading: string) => guide.split(`### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
	const rows = tablesOf('What a stranger can do with the examples')
		.split('\n')
		.filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
		.slice(1)
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.replace(/<!--.*?-->/, '').trim()),
		);
	const calling = examples.filter(({ nodes }) =>
		nodes.some(({ parameters: given }) => given.resource === 'call' && given.operation === 'start'),
	);

	it.each(calling)('with $file is what the security guide says', ({ file, nodes }) => {
		const optionsOf = (resource: string, operation: string) =>
			nodes
				.filter(({ parameters: given }) => given.resource === resource)
				.filter(({ parameters: given }) => given.operation === operation)
				.map(({ parameters: given }) => given.options);
		const starts = optionsOf('call', 'start');
		const inbound = optionsOf('inboundCall', 'start');
		const [check] = optionsOf('call', 'checkCode');
		const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
		const rings = sum(starts.map(({ maxCallsPerNumber }) => maxCallsPerNumber));
		const calls = sum(starts.map(({ maxCallsPerHour }) => maxCallsPerHour));
		const numbers = sum(inbound.map(({ maxCallsPerHour }) => maxCallsPerHour));
		const guesses = Math.min(
			check?.maxWrongPerDay ?? Infinity,
			rings * (check?.maxAttempts ?? Infinity),
		);
		const chance = (days: number) => 100 * (1 - (1 - guesses / CODES) ** days);
		expect(rows).toContainEqual([
			basename(file, '.json'),
			String(rings),
			`${calls} (${calls * PRICE} roubles)`,
			numbers === 0 ? '–' : String(numbers),
			`${guesses}: ${chance(1).toFixed(1)} %, in a month ${chance(30).toFixed(0)} %`,
		]);
	});

	it('is said of no other example', () => {
		expect(rows).toHaveLength(calling.length);
	});
});

describe('the limits that notes speak of', () => {
	const noted = z.object({
		nodes: z.array(
			z.object({ type: z.string(), parameters: z.object({ content: z.string().optional() }) }),
		),
	});
	const NUMBERS = ['', 'once', '', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
	const numberOf = (word: string) => {
		const known = NUMBERS.indexOf(word.toLowerCase());
		return known > 0 ? known : word === 'a' ? 1 : Number(word);
	};
	type Option = keyof (typeof examples)[number]['nodes'][number]['parameters']['options'];
	/** The first group is the number. */
	const SAID: ReadonlyArray<readonly [RegExp, readonly Option[]]> = [
		[/\bcalls? a number once (?:in |every )?(\w+)(?: minutes?)/gi, ['cooldown']],
		[/\bnumber is called once (?:in |every )?(\w+)(?: minutes?)/gi, ['cooldown']],
		[/(\w+) times a day/gi, ['maxCallsPerNumber']],
		[/(\w+) (?:calls|numbers) an hour/gi, ['maxCallsPerHour', 'maxCallsPerKey']],
		[/everyone together (\w+)/gi, ['maxCallsPerHour']],
		[/\b(?!once)(\w+) (?:codes can be tried |attempts )?per call/gi, ['maxAttempts']],
		[/per call, within (\w+) minutes/gi, ['validFor']],
		[/(\w+) wrong (?:codes|ones) per number and day/gi, ['maxWrongPerDay']],
	];
	const all = examplesAs((json) => noted.parse(json)).flatMap(({ file, nodes }) => {
		const options = examples
			.find((other) => other.file === file)
			?.nodes.filter(({ parameters: given }) =>
				['call', 'inboundCall'].includes(given.resource ?? ''),
			)
			.map(({ parameters: given }) => given.options);
		const notes = nodes.map(({ parameters: { content = '' } }) => content).join('\n');
		return options === undefined || options.length === 0 ? [] : [{ file, notes, options }];
	});
	const saidIn = (notes: string, words: RegExp) =>
		[...notes.matchAll(words)].map(([text, number = '']) => ({ text, number: numberOf(number) }));

	it.each(all)('of $file are those of its nodes', ({ notes, options }) => {
		for (const [words, names] of SAID) {
			const set = options.flatMap((given) => names.map((name) => given[name]));
			for (const { text, number } of saidIn(notes, words)) {
				expect([text, set]).toEqual([text, expect.arrayContaining([number])]);
			}
		}
	});

	it.each(all.filter(({ notes }) => /number once|number is called/.test(notes)))(
		'are all there in $file, which says how often a number is called',
		({ notes }) => {
			const said = SAID.filter(([words]) => saidIn(notes, words).length > 0);
			const names = new Set(said.flatMap(([, options]) => options));
			expect([...names].sort()).toEqual([
				'cooldown',
				'maxAttempts',
				'maxCallsPerHour',
				'maxCallsPerKey',
				'maxCallsPerNumber',
				'maxWrongPerDay',
				'validFor',
			]);
		},
	);

	it('are said by the four examples that call whoever asks for it', () => {
		const saying = all.filter(({ notes }) => /number once|number is called/.test(notes));
		expect(saying.map(({ file }) => file)).toEqual([
			'ai-agent.json',
			'call-and-check-code.json',
			'login-api.json',
			'recipes/telegram-login.json',
		]);
	});
});

describe('the examples whose webhooks ask for a token', () => {
	const asking = examples.filter(({ nodes }) =>
		nodes.some(({ parameters: given }) => given.authentication === 'jwtAuth'),
	);

	it.each(asking)('$file does not save the executions that contain it', ({ settings }) => {
		expect(settings).toMatchObject({
			saveDataSuccessExecution: 'none',
			saveManualExecutions: false,
		});
	});

	it('are these', () => {
		expect(asking.map(({ file }) => file)).toEqual([
			'login-api.json',
			'on-inbound-call-postgres.json',
			'on-inbound-call.json',
		]);
	});

	it('are all that have a webhook: n8n stores the secret of any other authentication', () => {
		const others = examples.filter(({ file }) => !ADDRESS_IS_SECRET.includes(file));
		const webhooks = others.flatMap(({ nodes }) =>
			nodes.filter(({ type }) => type === 'n8n-nodes-base.webhook'),
		);
		expect(new Set(webhooks.map(({ parameters: given }) => given.authentication))).toEqual(
			new Set(['jwtAuth']),
		);
	});
});

describe('the examples whose webhook has only a secret address', () => {
	const text = z.object({
		nodes: z.array(
			z.object({
				name: z.string(),
				type: z.string(),
				parameters: z.object({ path: z.string().optional(), jsCode: z.string().optional() }),
			}),
		),
	});
	const all = examplesAs((json) => text.parse(json)).filter(({ file }) =>
		ADDRESS_IS_SECRET.includes(file),
	);

	it.each(all)('$file pays for nothing until its owner has entered one', ({ file, nodes }) => {
		const webhook = nodes.find(({ type }) => type === 'n8n-nodes-base.webhook');
		expect(webhook?.parameters.path).toMatch(/-YOUR-SECRET$/);
		const refusal = `Replace YOUR-SECRET in Path of ${webhook?.name} by a long random text.`;
		const first = nodes.find(({ parameters: { jsCode } }) => jsCode?.includes(refusal));
		expect(first?.parameters.jsCode).toContain("if (path.includes('YOUR-SECRET')) throw new Error");
		expect(read(`examples/${file}`)).toContain(
			`In **${webhook?.name}**, replace YOUR-SECRET in **Path** by a long random text`,
		);
	});
});

describe('settings, which the editor drops when it imports a workflow,', () => {
	const noted = z.object({
		nodes: z.array(
			z.object({ type: z.string(), parameters: z.object({ content: z.string().optional() }) }),
		),
		settings: z.record(z.unknown()).default({}),
	});
	const all = examplesAs((json) => noted.parse(json)).map(({ file, nodes, settings }) => ({
		file,
		notes: nodes
			.filter(({ type }) => type === 'n8n-nodes-base.stickyNote')
			.map(({ parameters: { content = '' } }) => content),
		dropped: Object.keys(settings).filter((name) => name !== 'executionOrder'),
	}));
	const STEP =
		/^\d\. .*menu ⋯ → Settings, and set “Save successful production executions” to “Do not save”\. Otherwise n8n /m;
	const PAGE_STEP =
		/^\d\. .*Once the workflow is saved, open the menu ⋯ → \*\*Settings\*\*, and set \*\*Save successful production executions\*\* to \*\*Do not save\*\*: otherwise n8n stores /m;
	const CLAIM = /not saved|saves? (no|neither)|(does|do) not save(?![”"*])|workflow settings\)/i;

	it.each(all.filter(({ dropped }) => dropped.length > 0))(
		'are a step in the first note of $file',
		({ notes: [first = ''] }) => expect(first).toMatch(STEP),
	);

	it.each(all.filter(({ dropped }) => dropped.length > 0))(
		'are a numbered step on the page that links to $file, in the same section',
		({ file }) => {
			const sections = pages
				.filter(({ path }) => /^docs\/[\w-]+\.md$/.test(path))
				.flatMap(({ text }) => text.split(/^## /m))
				.filter((section) => section.includes(`/examples/${file})`));
			expect(sections).toContainEqual(expect.stringMatching(PAGE_STEP));
		},
	);

	it('are in six examples', () => {
		expect(all.filter(({ dropped }) => dropped.length > 0)).toHaveLength(6);
	});

	it('are nowhere said to be there after an import', () => {
		const texts = [
			...all.flatMap(({ file, notes }) => notes.map((text) => ({ where: file, text }))),
			...pages
				.filter(({ path }) => /^(README|docs\/((maintainers|reference)\/)?[\w-]+)\.md$/.test(path))
				.map(({ path, text }) => ({ where: path, text })),
		];
		const claims = texts.flatMap(({ where, text }) =>
			text
				.replace(/<!--.*?-->/g, '')
				.split('\n')
				.filter((line) => CLAIM.test(line))
				.map((line) => `${where}: ${line}`),
		);
		expect(claims).toEqual([]);
	});
});

describe('login-api, whose responses must not tell what happened by their time,', () => {
	const graph = z.object({
		nodes: z.array(z.object({ name: z.string(), type: z.string() })),
		connections: z.record(z.object({ main: z.array(z.array(z.object({ node: z.string() }))) })),
	});
	const { connections } = graph.parse(JSON.parse(read('examples/login-api.json')));
	const before = (name: string) =>
		Object.entries(connections)
			.filter(([, { main }]) => main.flat().some(({ node }) => node === name))
			.map(([node]) => node);

	it.each([
		['Token', 'Same Time for All'],
		['Not Verified', 'Same Time for All Codes'],
	])('sends %s only after %s', (response, wait) => {
		expect(before(response)).toEqual([wait]);
	});
});
