/**
 * Lets Node 20 run this project's TypeScript directly: `node -r ./scripts/typescript.js some/file.ts`. Types are left
 * to `npm run typecheck`.
 */
const { mkdirSync, readFileSync } = require('node:fs');
const { homedir } = require('node:os');
const { join } = require('node:path');

// The compiler unpacks itself. Without this, it would do so outside our own folder (harness/setup/installFolder.ts).
if (process.env.SWC_NATIVE_BINDING_CACHE === undefined) {
	const userCache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
	const folder = join(userCache, 'n8n-nodes-call-verification', 'compiler');
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	process.env.SWC_NATIVE_BINDING_CACHE = folder;
}

const { transformSync } = loadCompiler();

require.extensions['.ts'] = (module, file) => {
	const { code } = transformSync(readFileSync(file, 'utf8'), {
		filename: file,
		swcrc: false,
		sourceMaps: 'inline',
		jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
		module: { type: 'commonjs' },
	});
	module._compile(code, file);
};
// Tried in this order: "Some.node" means Some.node.ts, not the codex Some.node.json beside it.
for (const later of ['.json', '.node']) {
	const load = require.extensions[later];
	delete require.extensions[later];
	require.extensions[later] = load;
}
process.setSourceMapsEnabled(true);

function loadCompiler() {
	try {
		return require('@swc/core');
	} catch (error) {
		if (error.code !== 'MODULE_NOT_FOUND') throw error;
		process.stderr.write('The tools of this project are not installed yet: run "npm ci" first.\n');
		process.exit(1);
	}
}
