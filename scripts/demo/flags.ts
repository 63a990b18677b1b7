import { parseArgs } from 'node:util';
import { SetupProblem } from '../../test/real-n8n';

export const USAGE = `Usage: npm start -- [--once] [--port N]

--once    end after the main job; the exit code is 0 only if it gave what it should
--port N  port of n8n's editor, on the loopback address; a free one unless told`;

export interface Flags {
	readonly once: boolean;
	readonly port?: number;
	readonly help: boolean;
}

export function readFlags(argv: readonly string[]): Flags {
	const { once = false, port, help = false } = parse(argv);
	return { once, help, port: port === undefined ? undefined : portNumber(port) };
}

function parse(argv: readonly string[]) {
	try {
		return parseArgs({
			args: [...argv],
			options: {
				once: { type: 'boolean' },
				port: { type: 'string' },
				help: { type: 'boolean', short: 'h' },
			},
		}).values;
	} catch (error) {
		throw new SetupProblem(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
	}
}

function portNumber(text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new SetupProblem(`--port must be a number from 1 to 65535, not "${text}".\n\n${USAGE}`);
}
