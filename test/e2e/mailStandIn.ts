import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

const ANSWERS: Readonly<Record<string, string>> = {
	DATA: '354 go on',
	QUIT: '221 bye',
};

/** A mail server that delivers nothing, and keeps what n8n sends. */
export class MailStandIn {
	/** The mails, with their headers. */
	readonly mails: string[] = [];

	private readonly server = createServer((socket) => {
		this.receive(socket).catch(() => socket.destroy());
	});

	/** Data of the credential “SMTP” that n8n sends mail with. */
	async start(): Promise<Record<string, unknown>> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		const { port } = this.server.address() as AddressInfo;
		return {
			host: '127.0.0.1',
			port,
			secure: false,
			disableStartTls: true,
			user: '',
			password: '',
		};
	}

	async close(): Promise<void> {
		await new Promise((resolve) => this.server.close(resolve));
	}

	private async receive(socket: Socket): Promise<void> {
		const say = (line: string) => socket.write(`${line}\r\n`);
		let mail: string[] | undefined;
		say('220 ready');
		for await (const line of createInterface({ input: socket })) {
			if (mail && line !== '.') {
				mail.push(line);
				continue;
			}
			if (mail) this.mails.push(mail.join('\n'));
			const command = line.slice(0, 4).toUpperCase();
			mail = command === 'DATA' ? [] : undefined;
			say(ANSWERS[command] ?? '250 ok');
			if (command === 'QUIT') socket.end();
		}
	}
}
