import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

import { ROOT } from '../../project';
import { hasWords, isCovered, PossibleTexts } from './possibleTexts';

interface ExampleMessage {
	readonly text: string;
	/** Names of the workflows. */
	readonly examples: readonly string[];
}

interface ExampleNode {
	readonly name: string;
	readonly type: string;
	readonly parameters: {
		readonly jsCode?: string;
		readonly errorMessage?: string;
		readonly responseBody?: string;
		readonly assignments?: {
			readonly assignments?: ReadonlyArray<{ readonly name: string; readonly value: unknown }>;
		};
	};
}

/** What the examples call a text that tells people what is wrong. */
const NAMES = ['error', 'message', 'problem'];

/** Every message that an example has of its own, in the order of the examples. */
export function exampleMessages(): ExampleMessage[] {
	const examples = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.json'))
		.sort();
	const scripts = new Map(examples.flatMap((file) => scriptsIn(file)));
	const byText = new Map<string, string[]>();
	for (const [file, text] of messagesIn(scripts)) {
		if (!hasWords(text)) continue;
		const name = file.replace(/^.*\/(.*)\.json .*$/, '$1');
		byText.set(text, [...new Set([...(byText.get(text) ?? []), name])]);
	}
	const all = [...byText].map(([text, names]) => ({ text, examples: names }));
	// “known-numbers.csv is missing” beside “… is missing” of the same examples.
	const repeats = (one: ExampleMessage, other: ExampleMessage) =>
		one !== other &&
		isCovered(one.text, other.text) &&
		one.examples.every((name) => other.examples.includes(name));
	return all.filter((one) => !all.some((other) => repeats(one, other)));
}

/** Code nodes, and the expressions of other nodes that have messages, as scripts. */
function scriptsIn(file: string): Array<[name: string, code: string]> {
	const { nodes } = JSON.parse(readFileSync(join(ROOT, 'examples', file), 'utf8')) as {
		nodes: ExampleNode[];
	};
	return nodes.flatMap(({ name, parameters }) => {
		const { jsCode, errorMessage, responseBody, assignments } = parameters;
		const set = (assignments?.assignments ?? []).filter((one) => NAMES.includes(one.name));
		const values = [errorMessage, ...set.map(({ value }) => value)];
		const code = [
			jsCode ?? '',
			...values.filter((value) => typeof value === 'string').map(messageOf),
			responseBody === undefined ? '' : `(${expressionOf(responseBody)});`,
			// A module, so that scripts do not share their variables.
			'export {};',
		];
		return [[`/examples/${file} ${name}.js`, code.join('\n')]];
	});
}

const messageOf = (value: string) => `({ message: ${expressionOf(value)} });`;

/** `=The balance is {{ $json.balance }}.` is a template, and `={{ $json.error }}` an expression. */
function expressionOf(value: string): string {
	const only = /^=\{\{((?:(?!\}\}).)*)\}\}$/s.exec(value)?.[1];
	if (only !== undefined) return only;
	if (!value.startsWith('=')) return JSON.stringify(value);
	const template = value.slice(1).replace(/[`\\]/g, '\\$&');
	return `\`${template.replace(/\{\{(.*?)\}\}/gs, '${$1}')}\``;
}

function* messagesIn(
	scripts: ReadonlyMap<string, string>,
): Generator<[file: string, text: string]> {
	const files = new Map(
		[...scripts].map(([name, code]) => [
			name,
			ts.createSourceFile(name, code, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS),
		]),
	);
	const options = { allowJs: true, noLib: true, noResolve: true, types: [] };
	const host: ts.CompilerHost = {
		...ts.createCompilerHost(options),
		getSourceFile: (name) => files.get(name),
		fileExists: (name) => files.has(name),
	};
	const program = ts.createProgram([...files.keys()], options, host);
	const texts = new PossibleTexts(program, [...files.values()]);
	for (const [name, file] of files) {
		for (const expression of shownIn(file)) {
			const readings = texts.inEverySituation((situation) => texts.of(expression, situation));
			for (const text of new Set(readings.flat())) yield [name, text];
		}
	}
}

/** Errors that are thrown, and whatever has one of the names. */
function shownIn(file: ts.SourceFile): ts.Expression[] {
	const found: Array<ts.Expression | undefined> = [];
	const visit = (node: ts.Node): void => {
		if (ts.isNewExpression(node) && node.expression.getText() === 'Error') {
			found.push(node.arguments?.[0]);
		}
		if (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) {
			if (NAMES.includes(node.name.getText())) found.push(node.initializer);
		}
		if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
			if (NAMES.includes(node.left.getText())) found.push(node.right);
		}
		ts.forEachChild(node, visit);
	};
	visit(file);
	return found.filter((expression) => expression !== undefined);
}
