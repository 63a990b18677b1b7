import type { IWebhookDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** The page a form visitor sees while the execution waits. Without it, n8n has no page to show. */
export const waitingPageWebhook: IWebhookDescription = {
	name: 'default',
	httpMethod: 'GET',
	responseMode: 'onReceived',
	responseData: '',
	path: '',
	isFullPath: true,
	restartWebhook: true,
	nodeType: 'form',
};

const DEFAULT_PAGE =
	'<title>Waiting for your call</title><p style="font: 18px/1.5 sans-serif; margin: 48px auto; max-width: 400px; padding: 0 16px">We are waiting for your call. This page updates automatically after you call.</p>';

/** Same policy as n8n's own form pages: the author's HTML gets no access to n8n's origin. */
const SANDBOX =
	'sandbox allow-forms allow-modals allow-popups allow-scripts allow-top-navigation-by-user-activation allow-top-navigation-to-custom-protocols';

/** While a phone dials, its browser may lose the connection, so a failed request counts as still waiting. */
const UPDATE_ITSELF = `<script>
setInterval(async () => {
	const address = new URL(location.href);
	address.pathname += '/n8n-execution-status';
	const status = await fetch(address).then((answer) => answer.text(), () => 'waiting');
	if (!['new', 'running', 'waiting'].includes(status.trim())) location.reload();
}, 2000);
</script>`;

/** Shows the page to a visitor who reloads it or comes back to it; the execution keeps waiting. */
export function showWaitingPage(context: IWebhookFunctions): IWebhookResponseData {
	const page = String(context.getNodeParameter('options.waitingPage', ''));
	context
		.getResponseObject()
		.status(200)
		.set({
			'Cache-Control': 'no-store',
			'Content-Security-Policy': SANDBOX,
			'Content-Type': 'text/html; charset=utf-8',
		})
		.send(
			`<!doctype html><meta name="viewport" content="width=device-width, initial-scale=1">${page.trim() || DEFAULT_PAGE}${UPDATE_ITSELF}`,
		);
	return { noWebhookResponse: true };
}
