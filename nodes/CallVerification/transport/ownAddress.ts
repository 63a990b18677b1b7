import type { IExecuteFunctions } from 'n8n-workflow';

/** In milliseconds. Short, because a person is waiting in the editor. */
const PATIENCE = 10_000;

/** How an address of this n8n responds to a request without a body; undefined if it cannot be reached. No key is sent. */
export async function responseToNothing(context: IExecuteFunctions, url: string): Promise<unknown> {
	try {
		return await context.helpers.httpRequest({
			method: 'POST',
			url,
			json: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout: PATIENCE,
		});
	} catch {
		return undefined;
	}
}
