import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { EQUIVALENT } from './stryker.config.mjs';

/** Lists the mutants that survived without an explanation in the configuration, and fails the run because of them. */
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
