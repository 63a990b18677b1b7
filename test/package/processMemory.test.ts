import ts from 'typescript';

import { filesIn, read } from './project';

const NODES = 'nodes/CallVerification/';

/** What is made once for the whole process, apart from constants: those are written in full where they are made. */
function stateIn(text: string): string[] {
	const source = ts.createSourceFile('', text, ts.ScriptTarget.ES2022, true);
	const names: string[] = [];
	for (const statement of source.statements) {
		if (ts.isVariableStatement(statement)) {
			const { declarations, flags } = statement.declarationList;
			const isConst = (flags & ts.NodeFlags.Const) !== 0;
			for (const { name, initializer } of declarations) {
				if (!isConst || isState(initializer)) names.push(name.getText());
			}
		}
		if (ts.isClassDeclaration(statement)) {
			const fields = statement.members.filter(ts.isPropertyDeclaration);
			for (const { name, modifiers = [], initializer } of fields) {
				const isStatic = modifiers.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
				if (isStatic && isState(initializer)) names.push(name.getText());
			}
		}
	}
	return names;
}

function isState(value: ts.Expression | undefined): boolean {
	if (value === undefined) return false;
	if (ts.isAsExpression(value) || ts.isSatisfiesExpression(value)) return isState(value.expression);
	if (ts.isObjectLiteralExpression(value) && value.properties.length === 0) return true;
	if (ts.isArrayLiteralExpression(value) && value.elements.length === 0) return true;
	return makesState(value);
}

function makesState(node: ts.Node): boolean {
	if (ts.isFunctionLike(node)) return false;
	if (ts.isNewExpression(node)) {
		const [content] = node.arguments ?? [];
		const isFilled = content !== undefined && ts.isArrayLiteralExpression(content);
		return node.expression.getText() !== 'RegExp' && !isFilled;
	}
	return ts.forEachChild(node, (child) => makesState(child) || undefined) ?? false;
}

/** By the table of CONTRIBUTING.md: the file in nodes/CallVerification/, and the name in it. */
const listed = [...read('CONTRIBUTING.md').matchAll(/^\| `([\w/]+\.ts)`, `(\w+)`/gm)].map(
	([, file, name]) => `${file}: ${name}`,
);

const found = [...filesIn('nodes', /\.ts$/), ...filesIn('credentials', /\.ts$/)].flatMap((file) =>
	stateIn(read(file)).map((name) => `${file.replace(NODES, '')}: ${name}`),
);

describe('what a process remembers', () => {
	it.each([
		'const found = new Map();',
		'export const found = new ExpiringMap<Entry>(50_000);',
		'const found = new OurOwn();',
		'const found = { inside: new Mutex() };',
		'const found = wrapped(new WeakMap());',
		'const found: Record<string, number> = {};',
		'const found = [] as string[];',
		'let found = 0;',
		'class Any { static found = new Set<string>(); }',
	])('is found in: %s', (text) => {
		expect(stateIn(text)).toEqual(['found']);
	});

	it.each([
		'const make = () => new Map();',
		'function make() { const inside = new Map(); return inside; }',
		'class Any { own = new Map(); }',
		"const NAMES = new Set(['a', 'b']);",
		'const PATTERN = new RegExp(`${PART}+`);',
		'const field = { default: {}, options: [] };',
	])('is not: %s', (text) => {
		expect(stateIn(text)).toEqual([]);
	});

	it('is listed in CONTRIBUTING.md, and nothing else is', () => {
		expect(found.sort()).toEqual([...listed].sort());
	});
});
