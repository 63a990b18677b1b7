import { connect, type N8nLine, n8nProgram, packProject, startN8n } from '../../harness';
import { INSTANCES_VARIABLE, type Instance } from './instances';
import { startedN8ns } from './startedN8ns';

/** Starts each n8n line once, with the packed package installed, for all test files. */
export default async function globalSetup(): Promise<void> {
	const programs = [];
	for (const line of wantedLines()) programs.push(await n8nProgram(line));

	const { tarball, remove } = await packProject();
	try {
		const started = programs.map(async (program) => {
			const n8n = await startN8n(program, { packages: [tarball] });
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

/** E2E_LINE=2.x skips the other line, to save time while writing a test. */
function wantedLines(): N8nLine[] {
	const lines: N8nLine[] = ['1.x', '2.x'];
	const only = process.env.E2E_LINE;
	return lines.filter((line) => !only || line === only);
}
