import { runInNewContext } from 'node:vm';
import { z } from 'zod';

import { filesIn, read } from './project';

/** The Code nodes of the recipes that check the contacts of a CRM, run without n8n. */

const workflow = z.object({
	nodes: z.array(
		z.object({ name: z.string(), parameters: z.object({ jsCode: z.string().optional() }) }),
	),
});

const anyNode = z
	.object({ name: z.string(), type: z.string(), parameters: z.record(z.unknown()) })
	.passthrough();
const ends = z.array(z.object({ node: z.string() }).passthrough());
const whole = z.object({
	nodes: z.array(anyNode),
	connections: z.record(z.object({ main: z.array(ends) })),
	settings: z.unknown(),
});

type Json = Record<string, unknown>;
type Outputs = Readonly<Record<string, readonly Json[]>>;

const codeIn = (file: string) =>
	new Map(
		workflow
			.parse(JSON.parse(read(file)))
			.nodes.map(({ name, parameters: { jsCode = '' } }) => [name, jsCode]),
	);

/**
 * Runs a Code node after these nodes; the items of the first are its input. “Check Number 1” has what Check Number has
 * put out in its second round. The context of a node is its first item.
 */
function runCode(recipe: string, nodeName: string, outputs: Outputs): Json[] {
	const itemsOf = (items: readonly Json[] = []) => items.map((json) => ({ json }));
	const [input] = Object.values(outputs).map(itemsOf);
	const items: unknown = runInNewContext(
		`(function () {${codeIn(`examples/recipes/${recipe}.json`).get(nodeName)}\n})()`,
		{
			$execution: { id: '42' },
			$workflow: { name: recipe },
			$: (name: string) => ({
				isExecuted: name in outputs,
				context: outputs[name]?.[0],
				all: (_branch?: number, round?: number) =>
					itemsOf(outputs[round === undefined ? name : `${name} ${round}`]),
				first: () => itemsOf(outputs[name])[0],
			}),
			$input: { all: () => input, first: () => input?.[0] },
		},
	);
	return z
		.array(z.object({ json: z.record(z.unknown()) }))
		.parse(items)
		.map(({ json }) => json);
}

describe('bitrix24-check-contacts', () => {
	const Settings = [
		{
			checkedField: 'ufCrm_CHECKED',
			validField: 'ufCrm_VALID',
			resultField: 'ufCrm_RESULT',
			maxNumbers: 2,
			defaultCountryCode: '7',
		},
	];
	const phone = (value: unknown) => ({ id: 1, typeId: 'PHONE', valueType: 'WORK', value });
	const changedOf = (...items: Json[]) =>
		runCode('bitrix24-check-contacts', 'New or Changed', {
			Contacts: [{ result: { items } }],
			Settings,
		});
	const changed = (id: number, ...numbers: string[]) => ({
		id,
		checked: numbers.join('; '),
		phones: numbers.map((number) => ({ phone: number, number })),
	});

	it.each([
		['no phones', { id: 1 }],
		['phones that are null', { id: 1, fm: null }],
		['an empty list', { id: 1, fm: [] }],
		['a blank phone', { id: 1, fm: [phone(' '), phone(null)] }],
		['an e-mail address', { id: 1, fm: [{ typeId: 'EMAIL', value: 'ann@example.com' }] }],
		[
			'the phones of last time, but for spaces',
			{ id: 1, fm: [phone(' +7 900  1 '), phone('2')], ufCrm_CHECKED: '+7 900 1; 2' },
		],
	])('leaves alone a contact with %s', (_what, contact) => {
		expect(changedOf(contact)).toEqual([]);
	});

	it('takes the phones of an object for those of a list, and half a character for none', () => {
		expect(changedOf({ id: 1, fm: { 7: phone(79_000_000_001), 9: phone('\ud83d') } })).toEqual([
			{
				id: 1,
				checked: '79000000001; \ufffd',
				phones: [
					{ phone: '79000000001', number: '+79000000001' },
					{ phone: '\ufffd', number: '\ufffd' },
				],
			},
		]);
	});

	it('knows a number in its writings, and guesses no country code', () => {
		const writings = ['+7 (900) 000-00-01', '7 900 000 00 01', '8 900 000-00-01', '71112345678'];
		const [contact] = changedOf({ id: 1, fm: writings.map(phone) });
		const found = z.array(z.object({ number: z.string() })).parse(contact?.phones);
		expect(found.map(({ number }) => number)).toEqual([
			'+79000000001',
			'+79000000001',
			'8 900 000-00-01',
			'71112345678',
		]);
	});

	it('checks each number once, those that could not be read last, and not more than a run may pay for', () => {
		const numbers = (kept: readonly Json[]) =>
			runCode('bitrix24-check-contacts', 'New Numbers', {
				'Kept Results': kept,
				'New or Changed': [changed(1, 'a', 'b'), changed(2, 'b', 'c'), changed(3)],
				Settings,
			}).map(({ number }) => number);
		expect(numbers([{}])).toEqual(['a', 'b']);
		expect(numbers([{ phone: 'a', valid: null }])).toEqual(['b', 'c']);
		expect(
			numbers([
				{ phone: 'a', valid: null },
				{ phone: 'b', valid: true },
			]),
		).toEqual(['c', 'a']);
		expect(numbers(['a', 'b', 'c'].map((each) => ({ phone: each, valid: false })))).toEqual([]);
	});

	it.each([0, -1, '', null, undefined, 'many'])(
		'pays for nothing with maxNumbers %j',
		(maxNumbers) => {
			const outputs = { 'Kept Results': [{}], Settings: [{ maxNumbers }] };
			expect(() => runCode('bitrix24-check-contacts', 'New Numbers', outputs)).toThrow(
				'maxNumbers in Settings must be a number above 0',
			);
		},
	);

	it.each([
		['all rounds of the loop', 2, { valid: 3, invalid: 1, unreadable: 1, paid: 3, cost: 0.3 }],
		[
			'the rounds of a loop that ended',
			0,
			{ valid: 2, invalid: 0, unreadable: 1, paid: 1, cost: 0.1 },
		],
	])('counts %s for the report', (_what, currentRunIndex, figures) => {
		const listRun = runCode('bitrix24-check-contacts', 'List Run', {
			'New Numbers': Array.from({ length: 60 }, () => ({})),
			'Fifty at a Time': [{ currentRunIndex, maxRunIndex: 2 }],
			'Check Number 0': [{ valid: true, cost: 0.1 }, { valid: true, cost: 0 }, { valid: null }],
			'Check Number 1': [
				{ valid: true, cost: 0.1 },
				{ valid: false, cost: 0.1 },
			],
			Settings: [{ startedAt: new Date(Date.now() - 60_000).toISOString() }],
		});
		const example = 'bitrix24-check-contacts';
		expect(listRun).toEqual([
			{
				...{ event: 'list', run: '42', example, name: 'contacts', rows: 60 },
				...figures,
				seconds: 60,
			},
		]);
	});

	it('writes contacts all of whose numbers have a result, fifty in a request', () => {
		const many = Array.from({ length: 51 }, (_none, index) => changed(index + 1, '+1&2'));
		const requests = runCode('bitrix24-check-contacts', 'Contacts to Write', {
			'Results So Far': [{ phone: '+1&2', valid: true, operator: 'A & B', country: '' }],
			'New or Changed': [...many, changed(60, '+1&2', 'unknown'), {}, changed(61)],
			Settings,
		});
		const commands = requests.map(({ request }) =>
			z.object({ halt: z.literal(0), cmd: z.record(z.string()) }).parse(request),
		);
		expect(commands.map(({ cmd }) => Object.keys(cmd).length)).toEqual([50, 2]);
		expect(commands[1]?.cmd).toEqual({
			contact51:
				'crm.item.update?entityTypeId=3&id=51&fields[ufCrm_CHECKED]=%2B1%262&fields[ufCrm_VALID]=Y&fields[ufCrm_RESULT]=%2B1%262%3A%20A%20%26%20B',
			contact61:
				'crm.item.update?entityTypeId=3&id=61&fields[ufCrm_CHECKED]=&fields[ufCrm_VALID]=N&fields[ufCrm_RESULT]=',
		});
	});

	const WRITTEN = { ufCrm_CHECKED: 'a', ufCrm_VALID: 'Y', ufCrm_RESULT: null };
	const answerWith = (item: Json): Json => ({
		result: { result: { contact1: { item }, contact2: { item } } },
	});

	it.each<[what: string, answer: Json, says: string]>([
		[
			'too many requests',
			{ error: 'QUERY_LIMIT_EXCEEDED', error_description: 'Too many requests' },
			'2 of 2 contacts were not written. Of contact 1, the CRM says: Too many requests.',
		],
		['a lost connection', { error: { message: 'socket hang up' } }, '2 of 2 contacts were not'],
		['a page of a proxy', { data: '<html>' }, 'the CRM says: no answer.'],
		[
			'an error of one command',
			{
				result: {
					result: { contact1: { item: WRITTEN } },
					result_error: { contact2: { error_description: '<a>No' } },
				},
			},
			'1 of 2 contacts were not written. Of contact 2, the CRM says:  a No.',
		],
		[
			'fields that contacts do not have, which Bitrix24 ignores',
			answerWith({ ufCrm_VALID: 'Y' }),
			'2 of 2 contacts were not written. Of contact 1, the CRM says: there is no field ufCrm_CHECKED, ufCrm_RESULT. Correct its name in Settings. Run',
		],
		[
			'a field that contacts do not have, once the numbers that were checked are written',
			answerWith({ ufCrm_CHECKED: 'a', ufCrm_VALID: 'Y' }),
			'there is no field ufCrm_RESULT. Correct its name in Settings, and empty ufCrm_CHECKED of this contact. Run',
		],
	])('fails after %s', (_what, answer, says) => {
		const outputs = {
			Settings,
			Contacts: [{ result: { items: [{}, {}] } }],
			'New or Changed': [changed(1, 'a'), changed(2, 'a')],
			'Results So Far': [{ phone: 'a' }],
			'Contacts to Write': [{ ids: [1, 2] }],
			'Write Results': [answer],
		};
		expect(() => runCode('bitrix24-check-contacts', 'What Happened', outputs)).toThrow(says);
	});
});

describe('the recipes that check contacts', () => {
	const recipes = filesIn('examples/recipes', /-check-contacts\.json$/);
	const SHARED = /^\/\/ (?:From here on, the same|The same) for every CRM[^]*/m;
	/** What knows the CRM: of these nodes, only how they fail and what follows is the same. */
	const OF_THE_CRM = ['Settings', 'Contacts', 'Write Results'];
	/** For contacts that n8n’s HubSpot node cannot write. */
	const OF_HUBSPOT = ['Without E-mail', 'Report'];

	it.each(['New or Changed', 'New Numbers', 'List Run', 'Contacts to Write', 'What Happened'])(
		'have the same code in %s, but for what knows the CRM',
		(name) => {
			const shared = recipes.map((file) => SHARED.exec(codeIn(file).get(name) ?? '')?.[0]);
			expect(shared).not.toContain(undefined);
			expect(new Set(shared).size).toBe(1);
		},
	);

	it('have the same nodes with the same parameters and connections, but for what knows the CRM', () => {
		const [first, ...others] = recipes.map(patternIn);
		expect(others.length).toBeGreaterThan(1);
		expect(Object.keys(first?.nodes ?? {}).length).toBeGreaterThan(10);
		for (const other of others) expect(other).toEqual(first);
	});

	function patternIn(file: string) {
		const { nodes, connections, settings } = whole.parse(JSON.parse(read(file)));
		const isShared = (name: string) => !OF_HUBSPOT.includes(name);
		const shared = nodes.filter(({ name }) => isShared(name));
		const leads = Object.entries(connections).map(([from, { main }]) => ({
			from,
			to: main.map((ends) => ends.filter(({ node }) => isShared(node))),
		}));
		return {
			settings,
			nodes: Object.fromEntries(shared.map((node) => [node.name, sharedOf(node)])),
			connections: Object.fromEntries(
				leads.filter(({ to }) => to.flat().length > 0).map(({ from, to }) => [from, to]),
			),
		};
	}

	/** Notes name the CRM, and so do the first lines of code. */
	function sharedOf({ id: _id, position: _position, ...node }: z.infer<typeof anyNode>) {
		const { type, parameters, ...others } = node;
		if (OF_THE_CRM.includes(node.name)) {
			const { typeVersion: _version, credentials: _own, alwaysOutputData: _even, ...rest } = others;
			return rest;
		}
		if (type === 'n8n-nodes-base.stickyNote') return { type };
		const { jsCode, ...given } = parameters;
		return { ...others, type, parameters: given, code: SHARED.exec(String(jsCode))?.[0] };
	}
});
