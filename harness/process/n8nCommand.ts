import type { N8nProgram } from '../setup/n8nProgram';
import { freePorts } from './freePorts';
import { startGuarded } from './guardedProcess';
import { wantedDefaults } from './n8nDefaults';
import { n8nSettings } from './n8nSettings';

/** Runs a command such as `import:workflow` on the data of an n8n, which may be running, and waits until it is done. */
export async function runN8nCommand(
	program: N8nProgram,
	userFolder: string,
	args: readonly string[],
): Promise<void> {
	const [port = 0, brokerPort = 0] = await freePorts(2);
	const command = await startGuarded(program.node, [program.script, ...args], {
		cwd: userFolder,
		env: n8nSettings(program, userFolder, {
			ports: { port, brokerPort },
			defaults: wantedDefaults(),
			settings: {},
		}),
	});
	const { code } = await command.finish();
	if (code !== 0) {
		throw new Error(
			`n8n ${args.join(' ')} ended with ${code}. The end of its output:\n${command.output.tail(40)}`,
		);
	}
}
