const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join, sep } = require('node:path');
const { compileFunction } = require('node:vm');

const { jestExpect } = require('@jest/expect');
const { transformSync } = require('@swc/core');
const circus = require('jest-circus');
const { ModuleMocker } = require('jest-mock');

/**
 * Runs test files as jest would, in one process that keeps what is in `node_modules`: jest loads n8n's engine again
 * for each file, which takes longer than the tests. What belongs to the project is new for each file.
 */

/** Of Stryker's copy of the project. */
const ROOT = process.cwd();

/** Compiled once, and run anew for each file. */
const compiled = new Map();
let onEvent = () => {};

function prepare() {
	const mocker = new ModuleMocker(globalThis);
	Object.assign(globalThis, circus, {
		expect: jestExpect,
		jest: {
			fn: (implementation) => mocker.fn(implementation),
			spyOn: mocker.spyOn.bind(mocker),
			replaceProperty: mocker.replaceProperty.bind(mocker),
			restoreAllMocks: () => mocker.restoreAllMocks(),
		},
	});
	circus.addEventHandler((event) => onEvent(event));
	for (const name of ['uncaughtException', 'unhandledRejection'])
		process.on(name, (error) => circus.getState().currentlyRunningTest?.errors.push(error));

	const resolve = Module._resolveFilename;
	Module._resolveFilename = (request, parent, ...rest) =>
		resolve(otherFile(request, parent?.filename ?? ''), parent, ...rest);
	require.extensions['.ts'] = runTypeScript;
	for (const later of ['.json', '.node']) {
		const load = require.extensions[later];
		delete require.extensions[later];
		require.extensions[later] = load;
	}
}

/** Properties get fewer values, and tests in n8n's engine the mutated sources instead of what was built from them. */
function otherFile(request, from) {
	const fewerRuns = join(__dirname, 'fewerRuns.js');
	if (request === 'fast-check' && from !== fewerRuns) return fewerRuns;
	if (from.startsWith(ROOT)) return request.replace(/^((\.\.\/)+)dist\//, '$1');
	return request;
}

function runTypeScript(module, file) {
	if (!compiled.has(file)) {
		const { code } = transformSync(readFileSync(file, 'utf8'), {
			filename: file,
			swcrc: false,
			jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
			module: { type: 'commonjs' },
		});
		const names = ['exports', 'require', 'module', '__filename', '__dirname'];
		compiled.set(file, compileFunction(code, names, { filename: file }));
	}
	const load = Module.createRequire(file);
	compiled.get(file).call(module.exports, module.exports, load, module, file, dirname(file));
}

/** `isChosen` and `onStart` get the name of a test. */
async function runFile(file, { isChosen, onStart, onDone, endWithFailure, timeout }) {
	const environment = { ...process.env };
	const tests = [];
	let failed = false;
	circus.resetState();
	circus.getState().testTimeout = timeout;
	onEvent = ({ name, test }) => {
		if (name === 'test_start') {
			if (failed) test.mode = 'skip';
			else onStart(nameOf(test));
		}
		if (name === 'test_done') {
			onDone();
			if (test.mode === 'skip') return;
			tests.push({ name: nameOf(test), took: test.duration ?? 0, error: test.errors[0] });
			failed = endWithFailure && test.errors.length > 0;
		}
	};
	try {
		for (const loaded of Object.keys(require.cache))
			if (isOfProject(loaded)) delete require.cache[loaded];
		if (file.startsWith('test/core/')) {
			const nock = require('nock');
			if (!nock.isActive()) nock.activate();
			// Set by a test, and only once: a file that runs again would find its own calls in there.
			require('n8n-core').DataDeduplicationService.instance = undefined;
			require(join(ROOT, 'test/core/setup.ts'));
		}
		require(join(ROOT, file));
		for (const test of allTests(circus.getState().rootDescribeBlock))
			if (!isChosen(nameOf(test))) test.mode = 'skip';
		const { unhandledErrors } = await circus.run();
		if (unhandledErrors.length > 0) throw new Error(unhandledErrors[0]);
	} catch (error) {
		tests.push({ name: file, took: 0, error });
	} finally {
		globalThis.jest.restoreAllMocks();
		process.env = environment;
	}
	return tests;
}

function isOfProject(file) {
	return file.startsWith(ROOT + sep) && !file.includes(`${sep}node_modules${sep}`);
}

function* allTests(block) {
	for (const child of block.children) {
		if (child.type === 'test') yield child;
		else yield* allTests(child);
	}
}

function nameOf(test) {
	const names = [test.name];
	for (let block = test.parent; block.parent !== undefined; block = block.parent)
		names.unshift(block.name);
	return names.join(' ');
}

module.exports = { prepare, runFile };
