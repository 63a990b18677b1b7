import {
	connect,
	n8nProgram,
	packProject,
	type PinnedLine,
	QUICK_EXPRESSIONS,
	startN8n,
	wantedDefaults,
} from '../../harness';
import { INSTANCES_VARIABLE, type Instance } from './instances';
import { startedN8ns } from './startedN8ns';

/** Starts each n8n line once, with the packed package installed, for all test files. */
export default async function globalSetup(): Promise<void> {
	const programs = [];
	for (const line of wantedLines()) programs.push(await n8nProgram(line));

	const { tarball, remove } = await packProject();
	try {
		const started = programs.map(async (program) => {
			const n8n = await startN8n(program, {
				packages: [tarball],
				settings: QUICK_EXPRESSIONS,
			});
			console.log(`n8n ${n8n.version} answered after ${n8n.startUpTime} ms`);
			startedN8ns.push(n8n);
			// Creates the owner, so that test files starting together do not both try to.
			await connect(n8n);
		});
		await Promise.all(started);
	} finally {
		await remove();
	}
	startedN8ns.sort((one, other) => (one.line < other.line ? -1 : 1));
	const instances: Instance[] = startedN8ns.map(({ line, version, url, userFolder }) => ({
		line,
		version,
		url,
		userFolder,
	}));
	process.env[INSTANCES_VARIABLE] = JSON.stringify(instances);
}

/**
 * E2E_LINE=2.x skips the other line, to save time while writing a test, and E2E_LINE=both runs long suites in both, too.
 * N8N_DEFAULTS=3.0 skips 1.x, which is too old for them.
 */
function wantedLines(): PinnedLine[] {
	const lines: PinnedLine[] = wantedDefaults() === '3.0' ? ['2.x'] : ['1.x', '2.x'];
	const { E2E_LINE: asked = 'both' } = process.env;
	const wanted = lines.filter((line) => asked === 'both' || line === asked);
	if (wanted.length > 0) return wanted;
	throw new Error(`E2E_LINE is ${asked}; it can be ${lines.join(', ')} or both, or left out.`);
}
