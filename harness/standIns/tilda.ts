import { callWebhook } from '../rest/webhooks';

/** How long until a form posts again, and how often. */
const MINUTE = 60_000;
const POSTS = 3;

type TildaForm = Readonly<Record<string, string>>;

/** Stands in for Tilda, whose forms post to the address of a webhook. */
export class Tilda {
	/** Every post, repeated or not, with the status of its answer; 0 for none in time. */
	readonly posts: Array<{ readonly form: TildaForm; readonly status: number }> = [];

	/**
	 * A form waits for the answer for 5 seconds, but a busy machine takes longer to give it. The pause between two posts
	 * is passed in, too, so that no test waits for a minute.
	 */
	constructor(
		private readonly url: string,
		private readonly patience = 5_000,
		private readonly pause: (ms: number) => Promise<void> = async () => undefined,
	) {}

	/** What the owner of the site does first: Tilda keeps the address only if it answers with 200. */
	async connect(): Promise<boolean> {
		return await this.post({ test: 'test' });
	}

	/** A visitor sends the form. An answer that is late or not 200 makes Tilda post it again. */
	async send(form: TildaForm): Promise<void> {
		for (let post = 1; post <= POSTS; post++) {
			if (await this.post(form)) return;
			await this.pause(MINUTE);
		}
	}

	/** Posts the form as it did before, as if no answer had arrived. */
	async post(form: TildaForm): Promise<boolean> {
		const headers = { 'content-type': 'application/x-www-form-urlencoded' };
		const body = new URLSearchParams(form).toString();
		const status = await callWebhook(this.url, { headers, body, limit: this.patience }).then(
			(answer) => answer.status,
			() => 0,
		);
		this.posts.push({ form, status });
		return status === 200;
	}
}
