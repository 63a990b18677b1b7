import { parseArgs } from 'node:util';
import { isServiceName, SERVICE_NAMES, type ServiceName } from '../../emulator/services';
import { SetupProblem } from '../../harness';

export const USAGE = `Usage: npm start -- [--fresh] [--once] [--port N] [--as contract|ucaller]

--fresh   start from scratch: remove everything from earlier starts
--once    run two examples in a temporary n8n, then stop; the exit code is 0 only if the results are right
--port N  port of the n8n editor, on the loopback address
--as      whose answers the emulated service gives: the contract's, or those of the public service`;

export interface Flags {
	readonly fresh: boolean;
	readonly once: boolean;
	readonly port?: number;
	readonly as?: ServiceName;
	readonly help: boolean;
}

export function readFlags(argv: readonly string[]): Flags {
	const { fresh = false, once = false, port, as, help = false } = parse(argv);
	return {
		fresh,
		once,
		help,
		port: port === undefined ? undefined : portNumber(port),
		as: as === undefined ? undefined : serviceName(as),
	};
}

function parse(argv: readonly string[]) {
	try {
		return parseArgs({
			args: [...argv],
			options: {
				fresh: { type: 'boolean' },
				once: { type: 'boolean' },
				port: { type: 'string' },
				as: { type: 'string' },
				help: { type: 'boolean', short: 'h' },
			},
		}).values;
	} catch (error) {
		throw new SetupProblem(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
	}
}

function serviceName(text: string): ServiceName {
	if (isServiceName(text)) return text;
	const names = SERVICE_NAMES.join(' or ');
	throw new SetupProblem(`--as must be ${names}, not "${text}".\n\n${USAGE}`);
}

function portNumber(text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new SetupProblem(`--port must be a number from 1 to 65535, not "${text}".\n\n${USAGE}`);
}
