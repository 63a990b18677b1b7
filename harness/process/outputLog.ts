import type { Readable } from 'node:stream';

/** n8n's first start prints hundreds of these lines, which hide the one that matters. */
const NOISE = /^(Starting|Finished) migration /;
const KEPT_CHARACTERS = 2_000_000;

/** The output of a process. If it gets very long, the oldest part is dropped. */
export class OutputLog {
	private all = '';
	private fromStdout = '';

	constructor(stdout: Readable, stderr: Readable) {
		stdout.setEncoding('utf8').on('data', (text: string) => {
			this.fromStdout = (this.fromStdout + text).slice(-KEPT_CHARACTERS);
			this.append(text);
		});
		stderr.setEncoding('utf8').on('data', (text: string) => this.append(text));
	}

	text(): string {
		return this.all;
	}

	stdout(): string {
		return this.fromStdout;
	}

	tail(lines: number): string {
		const telling = this.all.split('\n').filter((line) => line.trim() && !NOISE.test(line));
		return telling.slice(-lines).join('\n');
	}

	private append(text: string): void {
		this.all = (this.all + text).slice(-KEPT_CHARACTERS);
	}
}
