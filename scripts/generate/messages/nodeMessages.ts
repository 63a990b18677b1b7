import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

import ts from 'typescript';

import { CallVerification } from '../../../nodes/CallVerification/CallVerification.node';
import { methods, type ServiceMethod } from '../../../nodes/CallVerification/contract/methods';
import { ROOT } from '../../project';
import { hasWords, HOLE, isErrorClass, PossibleTexts, returnedBy } from './possibleTexts';

/** Where someone meets a message. */
export type Kind =
	/** An error of the node, of the credential's test or of publishing. */
	| 'error'
	/** A sentence that is added to the description of an error. */
	| 'description'
	/** Below the output, before or after a run. */
	| 'hint'
	/** In the output's field, or the file's column, `reason`. */
	| 'reason'
	/** What the sender of an event gets. */
	| 'response'
	/** A warning in n8n's log. */
	| 'log';

export interface Message {
	readonly kind: Kind;
	/** With a “…” for what varies. */
	readonly text: string;
	/** What the node says what to do, in the description of the error. There may be several, for different causes. */
	readonly advice: readonly string[];
	/** From the root. */
	readonly file: string;
}

/** One text that is shown, with the advice, or an object that has it. */
interface Shown {
	readonly kind: Kind;
	readonly text: ts.Expression | undefined;
	readonly advice?: ts.Expression;
	readonly details?: ts.Expression;
}

type Shows = (values: ReadonlyArray<ts.Expression | undefined>) => readonly Shown[];

/** By class: which arguments of its constructor people get to see. */
const SHOWN_BY_ERROR: ReadonlyMap<string, Shows> = new Map<string, Shows>([
	['InputError', ([text, advice]) => [{ kind: 'error', text, advice }]],
	['ServiceError', ([text, details]) => [{ kind: 'error', text, details }]],
	['NodeApiError', ([, text]) => [{ kind: 'error', text }]],
	['NodeOperationError', ([, text]) => [{ kind: 'error', text }]],
	['Error', ([text]) => [{ kind: 'error', text }]],
	['RangeError', ([text]) => [{ kind: 'error', text }]],
	[
		'Rejection',
		([, reason, message]) => [
			{ kind: 'response', text: reason },
			{ kind: 'log', text: message },
		],
	],
	// It has a fixed message.
	['StoppedError', () => []],
	// Whoever catches it throws an InputError instead.
	['BudgetSpentError', () => []],
]);

/** By the name of a function or method: which of its arguments people get to see. */
const SHOWN_BY_CALL: ReadonlyMap<string, Shows> = new Map<string, Shows>([
	['hint', ([text]) => [{ kind: 'hint', text }]],
	['hints.push', ([text]) => [{ kind: 'hint', text }]],
	['warn', ([text]) => [{ kind: 'log', text }]],
	['logRejection', ([, text]) => [{ kind: 'log', text }]],
	['runError', ([, , , text]) => [{ kind: 'description', text }]],
]);

/** By the name of a method: what becomes of the text it returns. */
const SHOWN_WHEN_RETURNED: ReadonlyMap<string, Kind> = new Map([['doneBefore', 'description']]);

/** Every message of the node, the trigger and the credential, in the order of the sources. */
export function nodeMessages(texts = readSources()): Message[] {
	const found = [...texts.files.flatMap((file) => messagesIn(file, texts)), ...loadedMessages()];
	const byText = new Map<string, Message>();
	for (const message of found) {
		if (!hasWords(message.text)) continue;
		const key = `${message.kind} ${message.text}`;
		const before = byText.get(key) ?? { ...message, advice: [] };
		const advice = message.advice.filter((text) => text !== HOLE && text !== '');
		byText.set(key, { ...before, advice: [...new Set([...before.advice, ...advice])] });
	}
	return [...byText.values()];
}

/** Of what is published. Without n8n's types and those of Node.js, which take seconds to read and hold no message. */
export function readSources(): PossibleTexts {
	const names = ['credentials', 'nodes'].flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.sort()
			.map((name) => join(ROOT, folder, name)),
	);
	const program = ts.createProgram(names, {
		target: ts.ScriptTarget.ES2022,
		module: ts.ModuleKind.Node16,
		noLib: true,
		noResolve: true,
		types: [],
	});
	const files = names.map((name) => program.getSourceFile(name));
	return new PossibleTexts(
		program,
		files.filter((file) => file !== undefined),
	);
}

/** What other code puts together from lists. */
function loadedMessages(): Message[] {
	const hints = (new CallVerification().description.hints ?? []).map(({ message }) => ({
		kind: 'hint' as const,
		text: message,
		advice: [],
		file: 'nodes/CallVerification/operations',
	}));
	const ofMethods = Object.values<ServiceMethod>(methods).flatMap(({ errors = {} }) =>
		Object.values(errors).map(({ meaning, advice }) => ({
			kind: 'error' as const,
			text: `${meaning}: ${HOLE}`,
			advice: [advice],
			file: 'nodes/CallVerification/contract/methods.ts',
		})),
	);
	return [...hints, ...ofMethods];
}

function messagesIn(file: ts.SourceFile, texts: PossibleTexts): Message[] {
	const path = relative(ROOT, file.fileName);
	const found: Message[] = [];
	const visit = (node: ts.Node): void => {
		for (const shown of shownBy(node, texts)) found.push(...messagesOf(shown, path, texts));
		ts.forEachChild(node, visit);
	};
	visit(file);
	return found;
}

function messagesOf({ kind, text, advice, details }: Shown, file: string, texts: PossibleTexts) {
	const readings = texts.inEverySituation((situation) => ({
		all: texts.of(text, situation),
		advices: texts.of(advice ?? texts.property(details, 'advice', situation), situation),
	}));
	return readings.flatMap(({ all, advices }) =>
		all.flatMap((one): Message[] =>
			// An error that is thrown again with more advice.
			one === HOLE
				? advices.map((added) => ({ kind: 'description', text: added, advice: [], file }))
				: [{ kind, text: one, advice: advices, file }],
		),
	);
}

function shownBy(node: ts.Node, texts: PossibleTexts): readonly Shown[] {
	if (ts.isNewExpression(node)) {
		const name = texts.errorClassOf(node);
		return name === undefined ? [] : argumentsShownBy(name)(node.arguments ?? []);
	}
	if (ts.isCallExpression(node)) {
		const called = node.expression.getText();
		const shows = [...SHOWN_BY_CALL].find(([name]) => `.${called}`.endsWith(`.${name}`))?.[1];
		return shows?.(node.arguments) ?? [];
	}
	if (ts.isMethodDeclaration(node)) return shownWhenReturned(node);
	if (ts.isPropertyDeclaration(node) && isErrorClass(node.parent)) {
		const isMessage = node.name.getText() === 'message';
		return isMessage ? [{ kind: 'error', text: node.initializer }] : [];
	}
	return shownAsReason(node);
}

function argumentsShownBy(name: string): Shows {
	const shows = SHOWN_BY_ERROR.get(name);
	if (shows !== undefined) return shows;
	throw new Error(
		`${name} is a class of errors that scripts/generate/messages/nodeMessages.ts does not know: add to SHOWN_BY_ERROR which of its arguments people get to see`,
	);
}

function shownWhenReturned(method: ts.MethodDeclaration): readonly Shown[] {
	const kind = SHOWN_WHEN_RETURNED.get(method.name.getText());
	if (kind === undefined || method.body === undefined) return [];
	return returnedBy(method.body).map((text) => ({ kind, text }));
}

/** Objects whose `reason` people get to see, or whose `problem` becomes one. */
function shownAsReason(node: ts.Node): readonly Shown[] {
	if (!ts.isPropertyAssignment(node) && !ts.isShorthandPropertyAssignment(node)) return [];
	if (!['reason', 'problem'].includes(node.name.getText())) return [];
	const beside = node.parent.properties.map((property) => property.name?.getText() ?? '');
	const isResponse = beside.includes('accepted') || beside.includes('status');
	const text = ts.isPropertyAssignment(node) ? node.initializer : node.name;
	return [{ kind: isResponse ? 'response' : 'reason', text }];
}
