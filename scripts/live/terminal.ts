import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

export interface Terminal {
	ask(question: string): Promise<string>;
	/** What is typed is not shown. */
	askSecret(question: string): Promise<string>;
	close(): void;
}

/** Reads answers line by line, also from a pipe. After the last one, every answer is empty. */
export function openTerminal(): Terminal {
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
