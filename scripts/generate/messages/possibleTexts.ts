import ts from 'typescript';

/** Stands for what varies. */
export const HOLE = '…';

/** Whether a text is what a pattern says, in which a “…” stands for anything, or for nothing. */
export function isCovered(text: string, pattern: string): boolean {
	const parts = pattern.split(HOLE).map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
	return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}

/** What has no words of its own only passes on another message. */
export const hasWords = (text: string) => /\p{L}{2}/u.test(text.replace('(code …)', ''));

/** More than any message has. An expression with more of them varies. */
const MOST_TEXTS = 60;
/** Of calls inside of calls, and of expressions inside of expressions. */
const MOST_CALLERS = 6;
const DEEPEST = 40;

/** What is known about one way to get to an expression. */
interface Situation {
	/** By parameter. */
	readonly given: ReadonlyMap<ts.Symbol, ts.Expression>;
	/** By condition: a message and its advice often depend on the same one. */
	readonly chosen: ReadonlyMap<string, boolean>;
}

const ANY_SITUATION: Situation = { given: new Map(), chosen: new Map() };

type Call = ts.CallExpression | ts.NewExpression;
type Access = ts.ElementAccessExpression | ts.PropertyAccessExpression;
type Callable = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

/**
 * Finds the texts that an expression can have without running it, with a “…” for each value that is not written in the
 * sources. A text that a function gets as a parameter is looked up in its callers.
 */
export class PossibleTexts {
	/** Literals that are part of a text that was found. */
	readonly used = new Set<ts.Node>();
	private readonly checker: ts.TypeChecker;
	private readonly calls = new Map<ts.Symbol, Call[]>();
	private readonly assigned = new Map<ts.Symbol, ts.Expression[]>();
	/** Variables that count or collect something. */
	private readonly varying = new Set<ts.Symbol>();
	/** What the last reading has met first and does not know. */
	private openParameter: ts.ParameterDeclaration | undefined;
	private openCondition: string | undefined;

	constructor(
		program: ts.Program,
		readonly files: readonly ts.SourceFile[],
	) {
		this.checker = program.getTypeChecker();
		for (const file of files) this.index(file);
	}

	/** Reads in every situation: for each call of the function around it, and for each outcome of a condition. */
	inEverySituation<Result>(
		read: (situation: Situation) => Result,
		situation = ANY_SITUATION,
		depth = 0,
	): Result[] {
		this.openParameter = undefined;
		this.openCondition = undefined;
		const result = read(situation);
		const known = depth < MOST_CALLERS ? this.nextSituations(situation) : [];
		if (known.length === 0) return [result];
		return known.flatMap((next) => this.inEverySituation(read, next, depth + 1));
	}

	/** A single “…” if nothing is known. */
	of(expression: ts.Expression | undefined, situation: Situation, depth = 0): string[] {
		if (expression === undefined || depth > DEEPEST) return [HOLE];
		const texts = [...new Set(this.read(expression, situation, depth + 1))];
		return texts.length > MOST_TEXTS ? [HOLE] : texts;
	}

	/** Of an object that is written in the sources, also by way of a variable, a parameter or a spread. */
	property(
		object: ts.Expression | undefined,
		name: string,
		situation: Situation,
	): ts.Expression | undefined {
		const inner = object && bare(object);
		if (inner === undefined) return undefined;
		if (ts.isIdentifier(inner)) {
			return this.property(this.valuesOf(inner, situation)[0], name, situation);
		}
		if (!ts.isObjectLiteralExpression(inner)) return undefined;
		for (const property of inner.properties) {
			if (ts.isPropertyAssignment(property) && keyOf(property) === name) {
				return property.initializer;
			}
			if (ts.isShorthandPropertyAssignment(property) && property.name.text === name) {
				return property.name;
			}
			if (!ts.isSpreadAssignment(property)) continue;
			const found = this.property(property.expression, name, situation);
			if (found !== undefined) return found;
		}
		return undefined;
	}

	/** The name of the class, if it is one of errors. */
	errorClassOf({ expression }: ts.NewExpression): string | undefined {
		if (!ts.isIdentifier(expression)) return undefined;
		const declared = this.symbolOf(expression)?.valueDeclaration;
		const isError = isNameOfError(expression) || (declared && isErrorClass(declared));
		return isError ? expression.text : undefined;
	}

	private nextSituations(situation: Situation): Situation[] {
		const { openParameter: parameter, openCondition: condition } = this;
		if (parameter !== undefined) {
			const symbol = this.symbolOfFunction(parameter.parent);
			const calls = symbol === undefined ? [] : (this.calls.get(symbol) ?? []);
			if (calls.length > 0)
				return calls.map((call) => this.inCall(call, parameter.parent, situation));
		}
		if (condition === undefined) return [];
		return [true, false].map((outcome) => ({
			...situation,
			chosen: new Map([...situation.chosen, [condition, outcome]]),
		}));
	}

	private inCall(
		call: Call,
		{ parameters }: ts.SignatureDeclaration,
		{ given, chosen }: Situation,
	): Situation {
		const bound = new Map(given);
		parameters.forEach((parameter, index) => {
			const argument = call.arguments?.[index] ?? parameter.initializer;
			const symbol = this.checker.getSymbolAtLocation(parameter.name);
			if (symbol !== undefined && argument !== undefined) bound.set(symbol, argument);
		});
		return { given: bound, chosen };
	}

	private read(expression: ts.Expression, situation: Situation, depth: number): string[] {
		const node = bare(expression);
		const of = (part: ts.Expression) => this.of(part, situation, depth);
		if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) {
			this.used.add(node);
			return [node.text];
		}
		if (ts.isTemplateExpression(node)) {
			this.used.add(node);
			const spans = node.templateSpans.flatMap((span) => [
				of(span.expression),
				[span.literal.text],
			]);
			return joined([[node.head.text], ...spans]);
		}
		if (ts.isConditionalExpression(node)) return this.ofConditional(node, situation, depth);
		if (ts.isBinaryExpression(node)) {
			const { left, right } = node;
			switch (node.operatorToken.kind) {
				case ts.SyntaxKind.PlusToken:
					return [left, right].some(ts.isNumericLiteral) ? [HOLE] : joined([of(left), of(right)]);
				case ts.SyntaxKind.AmpersandAmpersandToken:
					return of(right);
				case ts.SyntaxKind.QuestionQuestionToken:
				case ts.SyntaxKind.BarBarToken:
					return [...of(left), ...of(right)].filter((text) => text !== '');
				default:
					return [HOLE];
			}
		}
		if (ts.isIdentifier(node)) {
			const values = this.valuesOf(node, situation);
			return values.length > 0 ? values.flatMap(of) : this.ofType(node);
		}
		if (ts.isElementAccessExpression(node) || ts.isPropertyAccessExpression(node)) {
			return this.ofEntries(node, situation, depth) ?? this.ofType(node);
		}
		if (ts.isCallExpression(node)) return this.ofCall(node, situation, depth) ?? this.ofType(node);
		return this.ofType(node);
	}

	private ofConditional(node: ts.ConditionalExpression, situation: Situation, depth: number) {
		const { condition, whenTrue, whenFalse } = node;
		const isNamed = ts.isIdentifier(condition) || ts.isPropertyAccessExpression(condition);
		const key = `${condition.getText()} in ${functionAround(node)?.pos}`;
		const outcome = situation.chosen.get(key);
		if (isNamed && outcome === undefined) this.openCondition ??= key;
		const possible = [
			...(outcome === false ? [] : [whenTrue]),
			...(outcome === true ? [] : [whenFalse]),
		];
		return possible.flatMap((branch) => this.of(branch, situation, depth));
	}

	/** What a variable or a parameter stands for. */
	private valuesOf(name: ts.Identifier, { given }: Situation): ts.Expression[] {
		const symbol = this.symbolOf(name);
		if (symbol === undefined || this.varying.has(symbol)) return [];
		const argument = given.get(symbol);
		if (argument !== undefined) return [argument];
		const declared = symbol.valueDeclaration;
		if (declared !== undefined && ts.isParameter(declared)) {
			this.openParameter ??= declared;
			return declared.initializer === undefined ? [] : [declared.initializer];
		}
		if (declared === undefined || !ts.isVariableDeclaration(declared)) return [];
		const first = declared.initializer === undefined ? [] : [declared.initializer];
		return [...first, ...(this.assigned.get(symbol) ?? [])];
	}

	/** Of an object that is written in the sources: the entry with this key, or all of them if the key varies. */
	private ofEntries(node: Access, situation: Situation, depth: number): string[] | undefined {
		const [value] = ts.isIdentifier(node.expression)
			? this.valuesOf(node.expression, situation)
			: [];
		const object = value && bare(value);
		if (object === undefined || !ts.isObjectLiteralExpression(object)) {
			// Of a module that is imported as a whole.
			const isMember = ts.isPropertyAccessExpression(node);
			const values = isMember ? this.valuesOf(node.name as ts.Identifier, situation) : [];
			return values.length > 0
				? values.flatMap((one) => this.of(one, situation, depth))
				: undefined;
		}
		const keys = ts.isPropertyAccessExpression(node)
			? [node.name.text]
			: this.of(node.argumentExpression, situation, depth);
		const entries = object.properties.filter(ts.isPropertyAssignment);
		const named = entries.filter((entry) => keys.includes(keyOf(entry)));
		const possible = named.length > 0 ? named : entries;
		return possible.flatMap(({ initializer }) => this.of(initializer, situation, depth));
	}

	private ofCall(node: ts.CallExpression, situation: Situation, depth: number) {
		const { expression: called } = node;
		if (ts.isPropertyAccessExpression(called)) {
			const [value] = ts.isIdentifier(called.expression)
				? this.valuesOf(called.expression, situation)
				: [called.expression];
			const object = value && bare(value);
			const filtered = object && listBeforeFilter(object);
			if (called.name.text === 'join' && filtered !== undefined) {
				// Any of these texts may be left out.
				filtered.elements.forEach((element) => this.of(element, situation, depth));
				return [HOLE];
			}
			if (called.name.text === 'join' && object && ts.isArrayLiteralExpression(object)) {
				const [separator = ''] = this.of(node.arguments[0], situation, depth);
				const parts = object.elements.map((element) => this.of(element, situation, depth));
				return joined(parts.flatMap((part, index) => (index === 0 ? [part] : [[separator], part])));
			}
			if (called.name.text === 'get' && object && ts.isNewExpression(object)) {
				return this.ofMap(object, situation, depth);
			}
		}
		const declared = this.symbolOf(called)?.valueDeclaration;
		const callable = declared && callableOf(declared);
		if (callable === undefined) return undefined;
		const returned = returnedBy(callable.body);
		const inside = this.inCall(node, callable, situation);
		return returned.length === 0
			? undefined
			: returned.flatMap((value) => this.of(value, inside, depth + 1));
	}

	private ofMap(map: ts.NewExpression, situation: Situation, depth: number) {
		const entries = map.arguments?.[0];
		if (entries === undefined || !ts.isArrayLiteralExpression(entries)) return undefined;
		return entries.elements
			.filter(ts.isArrayLiteralExpression)
			.flatMap(({ elements }) => this.of(elements[1], situation, depth));
	}

	/** The values that the type allows, if it lists them. */
	private ofType(node: ts.Node): string[] {
		const type = this.checker.getTypeAtLocation(node);
		const types = (type.isUnion() ? type.types : [type]).filter(
			({ flags }) => !(flags & ts.TypeFlags.Null),
		);
		const texts = types.filter((one) => one.isStringLiteral()).map(({ value }) => value);
		return texts.length > 0 && texts.length === types.length ? texts : [HOLE];
	}

	private symbolOfFunction(declaration: ts.SignatureDeclaration): ts.Symbol | undefined {
		const { parent } = declaration;
		const name =
			ts.isConstructorDeclaration(declaration) || ts.isVariableDeclaration(parent)
				? (parent as ts.ClassDeclaration | ts.VariableDeclaration).name
				: declaration.name;
		return name && this.checker.getSymbolAtLocation(name);
	}

	private symbolOf(node: ts.Expression): ts.Symbol | undefined {
		const name = ts.isPropertyAccessExpression(node) ? node.name : node;
		const symbol = ts.isShorthandPropertyAssignment(name.parent)
			? this.checker.getShorthandAssignmentValueSymbol(name.parent)
			: this.checker.getSymbolAtLocation(name);
		if (symbol === undefined) return undefined;
		return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
	}

	private index(node: ts.Node): void {
		if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
			const symbol = this.symbolOf(node.expression);
			if (symbol !== undefined) addTo(this.calls, symbol, node);
		}
		if (ts.isBinaryExpression(node) && ts.isIdentifier(node.left)) {
			const { kind } = node.operatorToken;
			const symbol = this.symbolOf(node.left);
			if (symbol !== undefined && kind === ts.SyntaxKind.EqualsToken) {
				addTo(this.assigned, symbol, node.right);
			}
			if (symbol !== undefined && kind === ts.SyntaxKind.PlusEqualsToken) this.varying.add(symbol);
		}
		ts.forEachChild(node, (child) => this.index(child));
	}
}

function addTo<Value>(lists: Map<ts.Symbol, Value[]>, symbol: ts.Symbol, value: Value): void {
	const list = lists.get(symbol) ?? [];
	lists.set(symbol, [...list, value]);
}

/** Every combination, with one “…” where several would meet. */
function joined(parts: readonly string[][]): string[] {
	let texts = [''];
	for (const ends of parts) texts = texts.flatMap((start) => ends.map((end) => start + end));
	return texts.map((text) => text.replace(/…{2,}/g, HOLE));
}

/** Without what does not change the value. */
function bare(expression: ts.Expression): ts.Expression {
	const isWrapped =
		ts.isParenthesizedExpression(expression) ||
		ts.isAsExpression(expression) ||
		ts.isSatisfiesExpression(expression) ||
		ts.isNonNullExpression(expression) ||
		ts.isAwaitExpression(expression);
	return isWrapped ? bare(expression.expression) : expression;
}

/** The list of `[…].filter(Boolean)`. */
function listBeforeFilter(node: ts.Expression): ts.ArrayLiteralExpression | undefined {
	if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression))
		return undefined;
	const { name, expression: list } = node.expression;
	return name.text === 'filter' && ts.isArrayLiteralExpression(list) ? list : undefined;
}

const keyOf = ({ name }: ts.PropertyAssignment) => ('text' in name ? name.text : '');

const isNameOfError = (node: ts.Node) => ts.isIdentifier(node) && node.text.endsWith('Error');

export const isErrorClass = (node: ts.Node): node is ts.ClassDeclaration =>
	ts.isClassDeclaration(node) &&
	(node.heritageClauses ?? []).some(({ types }) =>
		types.some(({ expression }) => isNameOfError(expression)),
	);

function functionAround(node: ts.Node): ts.Node | undefined {
	return ts.findAncestor(node, ts.isFunctionLike);
}

function callableOf(declared: ts.Declaration): Callable | undefined {
	const value = ts.isVariableDeclaration(declared) ? declared.initializer : declared;
	if (value === undefined || !ts.isFunctionLike(value) || !('body' in value)) return undefined;
	return value.body === undefined ? undefined : (value as Callable);
}

/** Not by the functions inside of it. */
export function returnedBy(body: ts.ConciseBody): ts.Expression[] {
	if (!ts.isBlock(body)) return [body];
	const returned: ts.Expression[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isFunctionLike(node)) return;
		if (ts.isReturnStatement(node) && node.expression) returned.push(node.expression);
		ts.forEachChild(node, visit);
	};
	visit(body);
	return returned;
}
