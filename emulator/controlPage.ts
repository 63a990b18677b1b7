import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { controlPageScript } from './controlPageScript';
import {
	callsSection,
	deliveriesSection,
	faultsSection,
	requestsSection,
	serviceSwitch,
	waitingSection,
} from './controlPageSections';
import { controlPageStyle } from './controlPageStyle';
import { html } from './htmlText';
import type { ServiceState } from './serviceState';

/** The page for people: shows what happens, and lets them play the user who calls. */
export function controlPage(service: ServiceState, reply: FastifyReply): FastifyReply {
	// The page shows text from requests, so only its own script may run.
	const nonce = randomUUID();
	const policy = [
		"default-src 'none'",
		`script-src 'nonce-${nonce}'`,
		// A nonce would not work, because each refresh parses a page with a different one.
		"style-src 'unsafe-inline'",
		"connect-src 'self'",
	];
	const page = html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>Call verification emulator</title>
				<style>
					${controlPageStyle}
				</style>
			</head>
			<body>
				<main>
					<header>
						<h1>Call verification emulator</h1>
						<p>Service <strong>${service.settings.serviceId}</strong></p>
						<p>Answers as ${serviceSwitch(service)}</p>
						<p>Balance <strong>${service.wallet.balance}</strong></p>
					</header>
					${waitingSection(service)} ${deliveriesSection(service)} ${callsSection(service)}
					${faultsSection(service)} ${requestsSection(service)}
				</main>
				<script nonce="${nonce}">
					${controlPageScript};
				</script>
			</body>
		</html>`;
	return reply
		.header('content-security-policy', policy.join('; '))
		.header('cache-control', 'no-store')
		.type('text/html; charset=utf-8')
		.send(page.source);
}
