const { dest, parallel, src } = require('gulp');

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

exports.default = parallel(icons, codex, schemas);
