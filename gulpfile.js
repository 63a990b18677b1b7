const { chmodSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { dest, parallel, series, src } = require('gulp');

/** tsc leaves behind what is not code; the file names in the nodes expect the same folders. */
function icons() {
	return src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

function codex() {
	return src('nodes/**/*.node.json').pipe(dest('dist/nodes'));
}

function schemas() {
	return src('nodes/**/__schema__/**/*.json').pipe(dest('dist/nodes'));
}

/** A tarball carries the modes of its files, so that two people would pack two different ones. */
async function sameModes() {
	const built = readdirSync('dist', { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name));
	for (const file of [...built, 'LICENSE', 'README.md', 'package.json']) chmodSync(file, 0o644);
}

exports.default = series(parallel(icons, codex, schemas), sameModes);
