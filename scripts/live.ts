import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';

import { InputError } from '../nodes/CallVerification/contract/request';
import { readPhone } from '../nodes/CallVerification/phones/phone';
import { textTable } from '../bench/table';
import { portNumber } from './flags';
import { startCallbackServer } from './live/callbackServer';
import { type LiveResult, liveTest } from './live/liveTest';

const PUBLIC_SERVICE = 'https://api.ucaller.ru';

const USAGE = `Usage: npm run live -- [--base-url URL] [--callback-url URL --callback-port N]

A first test with a real account. It compares every answer of the service with the contract and with what is published
about the service (docs/maintainers/service-contract.md), and prints what agreed and what differed.

It asks for the secret key, the service ID and a phone of your own, and stores none of them. What it prints has neither
the key nor a whole number. It sends, in this order:

  free              the balance, each way to sign in, a wrong key, the service, the account
  free, asks first  calls to the two test numbers of the service
  costs, asks first a check of your number, a check of a wrong one
  costs, asks first calls to your phone: missed, spoken, both (Russia; spoken also Kazakhstan)
  costs, asks first a number for you to call; only with a callback URL

A missed call cost 0.80 roubles in September 2026. The other prices are not published: after each step, the balance says
what it was. Only "yes" goes on with a step; anything else leaves it out.

--base-url URL       the service; ${PUBLIC_SERVICE} if left out
--callback-url URL   a public address that leads to --callback-port on this computer, such as that of a tunnel
--callback-port N    where this computer waits for the event of an inbound call

The exit code is 1 if something differed. It never runs in CI, because it calls a real phone.`;

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			'base-url': { type: 'string', default: PUBLIC_SERVICE },
			'callback-url': { type: 'string' },
			'callback-port': { type: 'string' },
			help: { type: 'boolean', short: 'h' },
		},
	});
	if (values.help) return console.log(USAGE);
	if (process.env.CI) {
		throw new Error('This test calls a real phone and costs money, so it does not run in CI.');
	}
	const { 'callback-url': url, 'callback-port': port } = values;
	if ((url === undefined) !== (port === undefined)) {
		throw new Error('--callback-url and --callback-port belong together: give both, or none.');
	}
	const baseUrl = values['base-url'];
	if (!/^https?:\/\/[^/?#]+[^?#]*$/.test(baseUrl)) {
		throw new Error(`--base-url must be an address such as ${PUBLIC_SERVICE}, not "${baseUrl}".`);
	}
	const callback =
		url && port ? await startCallbackServer(url, portNumber('--callback-port', port)) : undefined;
	const terminal = openTerminal();
	try {
		console.log(`The service is ${baseUrl}.\n`);
		const account = {
			baseUrl,
			serviceId: await required(terminal.ask('Service ID: '), 'The service ID'),
			secretKey: await required(terminal.askSecret('Secret key (not shown): '), 'The secret key'),
		};
		const phone = await ownPhone(terminal);
		show(
			await liveTest({
				account,
				phone,
				callback,
				say: (text) => console.log(text),
				ask: (question) => terminal.ask(question),
				confirm: async (question) => /^yes$/i.test(await terminal.ask(question)),
				sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
			}),
		);
	} finally {
		terminal.close();
		callback?.close();
	}
}

function show({ findings, spent }: LiveResult): void {
	const row = ({ step, expected, source, seen, agrees }: LiveResult['findings'][number]) => [
		agrees ? 'agrees' : 'DIFFERS',
		step,
		expected,
		source,
		seen,
	];
	const head = ['', 'step', 'expected', 'from', 'seen'];
	console.log(`\n${textTable({ head, rows: findings.map(row) })}\n`);
	const differing = findings.filter(({ agrees }) => !agrees).length;
	console.log(`${findings.length - differing} agreed, ${differing} differed.`);
	if (spent !== undefined) console.log(`Spent: ${Number(spent.toFixed(4))} roubles.`);
	if (differing === 0) return;
	console.log(
		'Where the service differs, correct docs/maintainers/service-contract.md, then the code.',
	);
	process.exitCode = 1;
}

async function required(answer: Promise<string>, what: string): Promise<string> {
	const text = await answer;
	if (text === '') throw new Error(`${what} is missing. Nothing was sent.`);
	return text;
}

async function ownPhone(terminal: Terminal): Promise<string> {
	const typed = await terminal.ask('A phone of your own, with country code: ');
	try {
		return String(readPhone(typed));
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		throw new Error(`${error.message}. ${error.advice} Nothing was sent.`);
	}
}

interface Terminal {
	ask(question: string): Promise<string>;
	/** What is typed is not shown. */
	askSecret(question: string): Promise<string>;
	close(): void;
}

/** Reads answers line by line, also from a pipe. After the last one, every answer is empty. */
function openTerminal(): Terminal {
	let isHidden = false;
	const output = new Writable({
		write(chunk: Buffer, _encoding, done) {
			if (!isHidden) process.stdout.write(chunk);
			done();
		},
	});
	const isTerminal = process.stdin.isTTY === true;
	const reader = createInterface({ input: process.stdin, output, terminal: isTerminal });
	const lines: AsyncIterator<string, undefined> = reader[Symbol.asyncIterator]();
	// Ctrl+C, which the reader takes from the terminal.
	reader.on('SIGINT', () => process.exit(130));

	const ask = async (question: string) => {
		process.stdout.write(question);
		const { value, done } = await lines.next();
		return done === true ? '' : value.trim();
	};
	return {
		ask,
		askSecret: async (question) => {
			isHidden = true;
			const answer = await ask(question);
			isHidden = false;
			process.stdout.write('\n');
			return answer;
		},
		close: () => reader.close(),
	};
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
