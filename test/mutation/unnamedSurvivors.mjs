import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { EQUIVALENT } from './stryker.config.mjs';

/** Lists surviving mutants that the configuration does not explain, and fails the run if there are any. */
class UnnamedSurvivors {
	onMutationTestReportReady({ files }) {
		const unnamed = Object.entries(files).flatMap(([file, { source, mutants }]) => {
			const lines = source.split('\n');
			return mutants
				.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
				.map((mutant) => ({ ...mutant, code: lines[mutant.location.start.line - 1].trim() }))
				.filter(({ code }) => !isNamed(file, code))
				.map(
					({ code, location, replacement }) =>
						`${file}:${location.start.line} ${code} => ${replacement}`,
				);
		});
		if (unnamed.length === 0) return;
		console.log(`Survived and not explained:\n${unnamed.join('\n')}`);
		process.exitCode = 1;
	}
}

function isNamed(file, code) {
	return EQUIVALENT.some((entry) => file.endsWith(entry.file) && code.includes(entry.code));
}

export const strykerPlugins = [
	declareClassPlugin(PluginKind.Reporter, 'unnamed-survivors', UnnamedSurvivors),
];
