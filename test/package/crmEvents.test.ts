import { runInNewContext } from 'node:vm';
import { z } from 'zod';

import { type AmoContact, eventOf } from '../../harness/standIns/amocrm';
import { examplesAs } from './project';

/** The Code nodes that read what amoCRM and Tilda post, run without n8n. */

const workflow = z.object({
	nodes: z.array(
		z.object({ name: z.string(), parameters: z.object({ jsCode: z.string().optional() }) }),
	),
});
type Json = Record<string, unknown>;

const codes = examplesAs((json) => workflow.parse(json)).flatMap(({ file, nodes }) =>
	nodes.flatMap(({ name, parameters: { jsCode } }) =>
		jsCode === undefined ? [] : [{ file, name, jsCode }],
	),
);

/** The items that a Code node returns; `outputs` are those of other nodes, by their names. */
function runCode(recipe: string, node: string, outputs: Record<string, Json>): Json[] {
	const found = codes.find(({ file, name }) => file === `recipes/${recipe}.json` && name === node);
	if (!found) throw new Error(`${recipe} has no Code node “${node}”`);
	const items: unknown = runInNewContext(`(function () {${found.jsCode}\n})()`, {
		$: (name: string) => ({ first: () => ({ json: outputs[name] }) }),
		$input: { first: () => ({ json: outputs.input }) },
	});
	return z
		.array(z.object({ json: z.record(z.unknown()) }))
		.parse(JSON.parse(JSON.stringify(items)))
		.map(({ json }) => json);
}

/** Querystring as n8n reads it. */
const bodyOf = (form: string) => Object.fromEntries(new URLSearchParams(form));

describe('amocrm-new-contact', () => {
	const SHARED = /^\/\/ (?:From here on, t|T)he same for every CRM/m;
	const codeOf = (recipe: string, node: string) =>
		codes.find(({ file, name }) => file === `recipes/${recipe}.json` && name === node)?.jsCode ??
		'';
	const sharedIn = (recipe: string, node: string) => {
		const code = codeOf(recipe, node);
		return code.slice(code.search(SHARED));
	};

	it.each(['New or Changed', 'New Numbers', 'Contacts to Write'])(
		'has the same code in %s as amocrm-check-contacts, but for what knows the event',
		(node) => {
			expect(codeOf('amocrm-new-contact', node)).toMatch(SHARED);
			expect(sharedIn('amocrm-new-contact', node)).toBe(sharedIn('amocrm-check-contacts', node));
		},
	);
});

describe('amocrm-new-contact reads an event', () => {
	const settings = { path: 'amocrm-new-contact-x', checkedField: 901 };
	const read = (form: string, changes: Json = {}) =>
		runCode('amocrm-new-contact', 'New or Changed', {
			Settings: { ...settings, ...changes },
			'Contact Added': { body: bodyOf(form) },
		});
	const contact: AmoContact = {
		id: 3,
		name: 'Ann',
		custom_fields_values: [
			{ field_id: 7, field_code: 'EMAIL', values: [{ value: 'ann@example.com' }] },
			{ field_id: 3, field_code: 'PHONE', values: [{ value: '+79123' }, { value: ' +7  912 4' }] },
			{ field_id: 905, field_code: null, values: [{ value: '+79125' }] },
		],
	};

	it.each([0, 1, 2, 3, 4, 5])('wherever its fields stand (%d)', (turn) => {
		expect(read(eventOf('add', contact, turn))).toEqual([
			{
				id: 3,
				checked: '+79123; +7 912 4',
				phones: [
					{ phone: '+79123', number: '+79123' },
					{ phone: '+7 912 4', number: '+79124' },
				],
			},
		]);
	});

	it('as the documentation shows it', () => {
		const form =
			'contacts[add][0][id]=3&contacts[add][0][custom_fields][0][code]=PHONE&contacts[add][0][custom_fields][0][values][0][value]=%2B79123';
		expect(read(form)).toEqual([
			{ id: 3, checked: '+79123', phones: [{ phone: '+79123', number: '+79123' }] },
		]);
	});

	it('of two contacts, one of which has no phone', () => {
		const other = { ...contact, id: 5 };
		const bare = { ...contact, id: 9, custom_fields_values: null };
		const form = [contact, other, bare].map((each, turn) => eventOf('add', each, turn)).join('&');
		expect(read(form).map(({ id }) => id)).toEqual([3, 5]);
	});

	it('and leaves alone what was changed, and what already has its results', () => {
		expect(read(eventOf('update', contact, 0))).toEqual([]);
		const checked = { field_id: 901, field_code: null, values: [{ value: '+79123; +7 912 4' }] };
		const fields = [...(contact.custom_fields_values ?? []), checked];
		expect(read(eventOf('add', { ...contact, custom_fields_values: fields }, 2))).toEqual([]);
	});

	it('only at an address that its owner has made secret', () => {
		const path = 'amocrm-new-contact-YOUR-SECRET';
		expect(() => read(eventOf('add', contact, 0), { path })).toThrow('Replace YOUR-SECRET');
	});
});

describe('tilda-lead reads a form', () => {
	const settings = { path: 'tilda-lead-x', nameField: 'Name', phoneField: 'Phone' };
	const read = (body: Json, changes: Json = {}) =>
		runCode('tilda-lead', 'Lead', {
			Settings: { ...settings, ...changes },
			'Tilda Form': { body },
		});

	it('with the names that its fields have in Tilda', () => {
		const form = { Name: ' Ann ', Phone: '+7  900', tranid: '1:2', formid: 'form1' };
		expect(read(form)).toEqual([{ name: 'Ann', phone: '+7 900', tranid: '1:2' }]);
		const other = { vorname: 'Ann', tel: '+7 900', tranid: '1:2' };
		expect(read(other, { nameField: 'vorname', phoneField: 'tel' })).toEqual([
			{ name: 'Ann', phone: '+7 900', tranid: '1:2' },
		]);
	});

	it('but not the test of a new connection', () => {
		expect(read({ test: 'test' })).toEqual([]);
		expect(read({ test: 'test', tranid: '1:2', Phone: '1' })).toHaveLength(1);
	});

	it('and says so if it has no tranid, or the address is not secret', () => {
		expect(() => read({ Phone: '1' })).toThrow('without tranid');
		expect(() => read({ test: 'test' }, { path: 'tilda-lead-YOUR-SECRET' })).toThrow(
			'Replace YOUR-SECRET in Path of Tilda Form',
		);
	});
});
