import ts from 'typescript';

import { CallVerificationApi } from '../../../credentials/CallVerificationApi.credentials';
import { CallVerification } from '../../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../../nodes/CallVerification/CallVerificationTrigger.node';
import { ERROR_CODES } from '../../../nodes/CallVerification/contract/errorCodes';
import { exampleMessages } from '../../../scripts/generate/messages/exampleMessages';
import { bestPattern, explained } from '../../../scripts/generate/messages/messageRows';
import { nodeMessages, readSources } from '../../../scripts/generate/messages/nodeMessages';
import { HOLE, isCovered, PossibleTexts } from '../../../scripts/generate/messages/possibleTexts';
import { read } from '../project';
import { rowsOf } from './pages';

const PAGE = 'docs/errors.md';
const page = read(PAGE);

/** The first cells of a table, as people see them. */
function firstCells(section: string): string[] {
	const [, table = ''] =
		new RegExp(`<!-- messages ${section} -->\\n\\n([^]*?)\\n\\n<!-- /messages -->`).exec(page) ??
		[];
	return rowsOf(table).flatMap(([cell = '']) => cell.split('<br>').map(asShown));
}

const asShown = (cell: string) =>
	cell.replace(/<a id="[\w-]+"><\/a>|`/g, '').replace(/\\([|<])/g, '$1');

const sections = [...page.matchAll(/<!-- messages (\w+) -->/g)].map(([, name = '']) => name);
const ofNodes = sections.filter((name) => name !== 'codes' && name !== 'examples');
const rows = ofNodes.flatMap(firstCells);
const sources = readSources();
const messages = nodeMessages(sources);

const NOTES = 'scripts/generate/messages/notes.ts';
const EXAMPLE_NOTES = 'scripts/generate/messages/exampleNotes.ts';
const addTo = (file: string) => `add a note to ${file}, and run npm run generate`;
const removeFrom = (file: string) => `remove it from ${file}, and run npm run generate`;
const [ADD_A_ROW, REMOVE_IT] = [addTo(NOTES), removeFrom(NOTES)];
const [ADD_AN_EXAMPLE, REMOVE_AN_EXAMPLE] = [addTo(EXAMPLE_NOTES), removeFrom(EXAMPLE_NOTES)];
const TELL_WHERE =
	'if people see it, let scripts/generate/messages/nodeMessages.ts find it; otherwise add the file to OTHER_TEXTS';

describe(PAGE, () => {
	it('has a row for every message of the node, the trigger and the credential', () => {
		const missing = messages
			.filter(({ text }) => bestPattern(text, rows) === undefined)
			.map(({ text, file }) => `“${text}” (${file}): ${ADD_A_ROW}`);
		expect(missing).toEqual([]);
	});

	it('has no row for what nobody says', () => {
		const idle = rows
			.filter((row) => !messages.some(({ text }) => isCovered(text, row)))
			.map((row) => `“${row}”: ${REMOVE_IT}`);
		expect(idle).toEqual([]);
	});

	describe('of the examples', () => {
		const ofExamples = firstCells('examples');
		const said = exampleMessages();

		it('has a row for every message', () => {
			const missing = said
				.filter(({ text }) => bestPattern(text, ofExamples) === undefined)
				.map(({ text, examples }) => `“${text}” (${examples.join(', ')}): ${ADD_AN_EXAMPLE}`);
			expect(missing).toEqual([]);
		});

		it('has no row for what no example says', () => {
			const idle = ofExamples
				.filter((row) => !said.some(({ text }) => isCovered(text, row)))
				.map((row) => `“${row}”: ${REMOVE_AN_EXAMPLE}`);
			expect(idle).toEqual([]);
		});
	});

	it('has all codes of the service', () => {
		expect(firstCells('codes')).toEqual(ERROR_CODES.map(({ code }) => String(code)));
		expect(ERROR_CODES).toHaveLength(25);
	});
});

/** Their texts are neither messages nor shown by the editor. */
const OTHER_TEXTS = [
	// The HTML report of a list.
	'phones/listReport.ts',
	// What a run has done, in its last hint and in the log.
	'run/output.ts',
	// Recognizes what older output files say.
	'phones/listNumbers.ts',
];

/** A second look, which does not depend on what the first one takes for a message. */
describe('every sentence in the sources', () => {
	const shown = JSON.stringify([
		new CallVerification().description,
		new CallVerificationTrigger().description,
		new CallVerificationApi().properties,
		ERROR_CODES.map(({ meaning, advice }) => `${meaning}. ${advice}`),
		messages.map(({ text }) => text),
	]);
	const isShown = (sentence: string) =>
		sentence.split(HOLE).every((part) => shown.includes(JSON.stringify(part).slice(1, -1)));

	it('is a message with a row, or a text of the editor', () => {
		const unknown = sources.files.flatMap((file) => {
			const name = file.fileName.replace(/^.*\/CallVerification\//, '');
			const sentences = OTHER_TEXTS.includes(name) ? [] : sentencesIn(file);
			return sentences
				.filter((sentence) => !isShown(sentence))
				.map((sentence) => `“${sentence}” (${name}): ${TELL_WHERE}`);
		});
		expect(unknown).toEqual([]);
	});

	/** Those that are not part of a message. */
	function sentencesIn(file: ts.SourceFile): string[] {
		const found: string[] = [];
		const visit = (node: ts.Node): void => {
			const text = textOf(node);
			const isSentence = text !== undefined && /^[“A-Z…][^]*(?:\p{L}+[ ,…“”]+){4}/u.test(text);
			if (isSentence && !sources.used.has(node)) found.push(text);
			ts.forEachChild(node, visit);
		};
		visit(file);
		return found;
	}

	function textOf(node: ts.Node): string | undefined {
		if (ts.isStringLiteralLike(node)) return node.text;
		if (!ts.isTemplateExpression(node)) return undefined;
		return node.head.text + node.templateSpans.map(({ literal }) => HOLE + literal.text).join('');
	}
});

describe('a note and a message that do not fit', () => {
	const message = {
		kind: 'error',
		text: 'The file is blue',
		advice: ['Paint it.'],
		file: 'a.ts',
	} as const;
	const note = { messages: ['The file is …'], means: 'It is not red.' };

	it('are named, with what to do', () => {
		const other = { ...note, messages: ['The file is gone'] };
		expect(() => explained([message], { lists: [other] })).toThrow(
			[
				'“The file is blue” in a.ts has no row: add a note about it',
				'“The file is gone” is a row without a message: correct or remove its note',
			].join('\n'),
		);
	});

	it('need to say what to do, once', () => {
		const unclear = { ...message, text: 'The file is green', advice: ['Mow it.'] };
		expect(() => explained([message, unclear], { lists: [note] })).toThrow('needs a “todo”');
		const decided = { ...note, todo: 'Paint or mow it.' };
		expect(explained([message, unclear], { lists: [decided] }).get('lists')).toHaveLength(1);
	});
});

describe('the texts that are found in code', () => {
	const found = (code: string) => {
		const file = ts.createSourceFile('a.ts', code, ts.ScriptTarget.ES2022, true);
		const options = { noLib: true, noResolve: true, types: [] };
		const host = { ...ts.createCompilerHost(options), getSourceFile: () => file };
		const texts = new PossibleTexts(ts.createProgram(['a.ts'], options, host), [file]);
		const shown: string[] = [];
		const visit = (node: ts.Node): void => {
			if (ts.isCallExpression(node) && node.expression.getText() === 'show') {
				const each = texts.inEverySituation((situation) =>
					node.arguments.map((argument) => texts.of(argument, situation).join(' or ')).join(' – '),
				);
				shown.push(...each);
			}
			ts.forEachChild(node, visit);
		};
		visit(file);
		return shown;
	};

	it.each([
		['a text', "show('No file')", ['No file']],
		['a value', 'show(`${count} files`)', ['… files']],
		['a constant', 'const most = 50; show(`More than ${most}`)', ['More than 50']],
		['what counts', 'let line = 1; line += 1; show(`Line ${line}`)', ['Line …']],
		[
			'a list of names',
			"type Way = 'call' | 'voice'; declare let way: Way; show(way)",
			['call or voice'],
		],
		[
			'an entry',
			"const all = { a: 'One', b: 'Two' }; show(all[key]); show(all.b)",
			['One or Two', 'Two'],
		],
		['a function', 'const no = (what: string) => `No ${what}`; show(no("file"))', ['No file']],
		[
			'each call of the function around it',
			'function no(what: string, todo = "Wait") { show(`No ${what}`, todo); } no("file"); no("row", "Add")',
			['No file – Wait', 'No row – Add'],
		],
		[
			'both outcomes of a condition, which is the same for all texts',
			"show(isLate ? 'Late' : 'Early', isLate ? 'Hurry' : 'Wait')",
			['Late – Hurry', 'Early – Wait'],
		],
		['texts that may be left out', "show(['a', b && 'c'].filter(Boolean).join())", ['…']],
	])('are those of %s', (_what, code, texts) => {
		expect(found(code)).toEqual(texts);
	});
});
