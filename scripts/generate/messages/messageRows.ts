import { type Concern, ERROR_CODES } from '../../../nodes/CallVerification/contract/errorCodes';
import { exampleMessages } from './exampleMessages';
import { exampleNotes } from './exampleNotes';
import { type Kind, type Message, nodeMessages } from './nodeMessages';
import { type Note, notes } from './notes';
import { HOLE, isCovered } from './possibleTexts';

export const MESSAGE_HEADINGS = ['message', 'what it means', 'what to do', 'where'];
export const CODE_OF_SERVICE_HEADINGS = ['code', 'what it means', 'what to do', 'other items'];
export const EXAMPLE_HEADINGS = ['message', 'what it means', 'example'];

const WHERE: Readonly<Record<Kind, string>> = {
	error: 'error',
	description: 'description',
	hint: 'hint',
	reason: '`reason`',
	response: 'response',
	log: 'log',
};

const OTHER_ITEMS: Readonly<Record<Concern, string>> = {
	item: 'go on',
	everything: 'are not sent after ten such refusals in a row',
	'everything, for now': 'wait, and are tried again',
	'the service': 'are tried again',
};

const SOURCES = 'nodes/CallVerification/';

const NOTES = 'scripts/generate/messages/notes.ts';
const EXAMPLE_NOTES = 'scripts/generate/messages/exampleNotes.ts';

/** A message, and where it comes from. */
type Said = Pick<Message, 'text' | 'file'>;
type NotesBySection = Readonly<Record<string, readonly Note[]>>;

interface Explained<One extends Said = Message> {
	readonly note: Note;
	readonly messages: readonly One[];
}

/** Reading the sources takes seconds. */
let read: readonly Message[] | undefined;
const allMessages = () => (read ??= nodeMessages());

/** Of one section of the page. Throws if the notes do not fit the sources. */
export function messageRows(section: string): string[][] {
	const inSection = explained(allMessages(), notes).get(section) ?? [];
	return inSection.map(({ note, messages }) => [
		note.messages.map(inMarkdown).join('<br>'),
		note.means,
		note.todo ?? inMarkdown(adviceOf(messages).join(' ')),
		`${[...new Set(messages.map(({ kind }) => WHERE[kind]))].join(', ')}: ${linksTo(messages)}`,
	]);
}

/** With an anchor for each code, to which errors in the editor link. */
export function codeOfServiceRows(): string[][] {
	return ERROR_CODES.map(({ code, meaning, concerns, advice }) => [
		`<a id="code-${code}"></a>${code}`,
		meaning,
		advice,
		OTHER_ITEMS[concerns],
	]);
}

/** They say themselves what to do, so notes only add to that. */
export function exampleRows(): string[][] {
	const messages = exampleMessages().map(({ text, examples }) => ({
		text,
		file: examples.join(', '),
	}));
	const byNote = withNotes(messages, { examples: exampleNotes }, EXAMPLE_NOTES);
	return (byNote.get('examples') ?? []).map(({ note, messages: own }) => [
		note.messages.map(inMarkdown).join('<br>'),
		[note.means, note.todo ?? ''].join(' ').trim(),
		[...new Set(own.flatMap(({ file }) => file.split(', ')))].join(', '),
	]);
}

/** The addresses of the sources, apart from the tables, so that these stay readable as text. */
export function sourceLinks(): string {
	const files = new Set(allMessages().map(({ file }) => file));
	return [...files]
		.sort()
		.map((file) => `[${shortName(file)}]: ../${file}`)
		.join('\n');
}

/** As `withNotes`. Throws, too, if nothing says what to do about a message. */
export function explained(
	messages: readonly Message[],
	bySection: NotesBySection,
): Map<string, Explained[]> {
	const sections = withNotes(messages, bySection, NOTES);
	const unclear = [...sections.values()]
		.flat()
		.filter(({ note, messages: own }) => note.todo === undefined && adviceOf(own).length !== 1)
		.map(({ note }) => `“${note.messages[0]}” needs a “todo”: the sources do not say one thing`);
	refuse(unclear, NOTES);
	return sections;
}

/** Which note explains which messages. Throws if a message has none, or if a note has no message. */
function withNotes<One extends Said>(
	messages: readonly One[],
	bySection: NotesBySection,
	notesFile: string,
): Map<string, Array<Explained<One>>> {
	const patterns = Object.values(bySection).flatMap((own) => own.flatMap((note) => note.messages));
	const patternOf = new Map(messages.map(({ text }) => [text, bestPattern(text, patterns)]));
	const used = new Set(patternOf.values());
	const isAbout = (note: Note, { text }: Said) => note.messages.includes(patternOf.get(text) ?? '');
	const sections = new Map(
		Object.entries(bySection).map(([section, own]) => [
			section,
			own.map((note) => ({ note, messages: messages.filter((one) => isAbout(note, one)) })),
		]),
	);
	const problems = [
		...messages
			.filter(({ text }) => patternOf.get(text) === undefined)
			.map(({ text, file }) => `“${text}” in ${file} has no row: add a note about it`),
		...patterns
			.filter((pattern) => !used.has(pattern))
			.map((pattern) => `“${pattern}” is a row without a message: correct or remove its note`),
	];
	refuse(problems, notesFile);
	return sections;
}

function refuse(problems: readonly string[], notesFile: string): void {
	if (problems.length === 0) return;
	const problem = 'docs/errors.md and the messages in the sources differ';
	throw new Error([`${problem} (${notesFile}):`, ...problems].join('\n'));
}

/** The one with the most words of the message. */
export function bestPattern(text: string, patterns: readonly string[]): string | undefined {
	const wordsIn = (pattern: string) => pattern.replaceAll(HOLE, '').length;
	return patterns
		.filter((pattern) => isCovered(text, pattern))
		.sort((one, other) => wordsIn(other) - wordsIn(one))[0];
}

/** Without what only says more of another one: “The file has: … and … more.” beside “The file has: ….” */
function adviceOf(messages: readonly Message[]): string[] {
	const all = [...new Set(messages.flatMap(({ advice }) => advice))];
	return all.filter((one) => !all.some((other) => other !== one && isCovered(one, other)));
}

const linksTo = (messages: readonly Message[]) =>
	[...new Set(messages.map(({ file }) => `[${shortName(file)}]`))].join(', ');

const shortName = (file: string) => file.replace(SOURCES, '');

/** Expressions as code, and nothing that Markdown would change. */
const inMarkdown = (text: string) =>
	text
		.replaceAll('|', '\\|')
		.replaceAll('<', '\\<')
		.replace(/\{\{.*?\}\}|\$\('.*?'\)[\w.()]*|\$\w+/g, '`$&`');
