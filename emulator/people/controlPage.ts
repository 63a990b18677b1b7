import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_CODES } from '../../nodes/CallVerification/contract/errorCodes';
import { callStatus, type ServiceState } from '../service/state';
import { type PlayedService, SERVICE_NAMES } from '../played/services';
import type { Faults } from '../wire/faults';
import { type LedgerRequest, type Outcome, presentedSchemes, receive } from '../wire/request';
import { button, html, type Html, htmlPage } from './htmlPage';
import type { InboundCalls } from './inboundCalls';

const SHOWN_LINES = 100;

/** What the page shows. */
interface Shown {
	readonly played: PlayedService;
	readonly service: ServiceState;
	readonly inboundCalls: InboundCalls;
	readonly faults: Faults;
	readonly requests: readonly LedgerRequest[];
}

/** The page for people: shows what happens, and lets them play the user who calls. */
export function addControlPage(app: FastifyInstance, shown: Shown): void {
	// The service itself has a method at this address, so only what a browser asks for is the page.
	app.addHook('preHandler', async (request, reply) => {
		if (isFromBrowser(request)) return controlPage(shown, reply);
	});
}

function isFromBrowser(request: FastifyRequest): boolean {
	const received = receive(request);
	const accepts = request.headers.accept ?? '';
	return (
		received.method === '/' &&
		received.verb === 'GET' &&
		accepts.includes('text/html') &&
		presentedSchemes(received).length === 0
	);
}

function controlPage(shown: Shown, reply: FastifyReply): FastifyReply {
	const { settings, wallet } = shown.service;
	const main = html`<header>
			<h1>Call verification emulator</h1>
			<p>Service <strong>${settings.serviceId}</strong></p>
			<p>Answers as ${serviceSwitch(shown)}</p>
			<p>Balance <strong>${wallet.balance}</strong></p>
		</header>
		${waitingSection(shown)} ${deliveriesSection(shown)} ${callsSection(shown)}
		${faultsSection(shown)} ${requestsSection(shown)}`;
	return htmlPage('Call verification emulator', main, reply);
}

/** Which service is played, and buttons for the others. */
function serviceSwitch({ played }: Shown): Html[] {
	return SERVICE_NAMES.map((as) =>
		as === played.as ? html`<strong>${as}</strong> ` : button(as, 'POST', '/_control/as', { as }),
	);
}

function waitingSection({ service }: Shown): Html {
	const rows = newest(service.inboundWaits.waiting(service.clock.now())).map(
		(wait) =>
			html`<tr>
				<td>${wait.phone}</td>
				<td>${wait.confirmationNumber}</td>
				<td><code>${wait.callbackUrl}</code></td>
				<td>${time(wait.expiresAt)}</td>
				<td>
					${button('Call now', 'POST', '/_control/inbound-calls', { vendor_id: wait.vendorId })}
				</td>
			</tr>`,
	);
	const heads = ['Phone', 'Number to call', 'Callback URL', 'Expires', ''];
	return section('Waiting for a call', heads, rows, 'No inbound call was requested.');
}

function deliveriesSection({ inboundCalls }: Shown): Html {
	const rows = newest(inboundCalls.deliveries).map(
		(delivery) =>
			html`<tr>
				<td>${time(delivery.at)}</td>
				<td>${delivery.vendorId}</td>
				<td><code>${delivery.url}</code></td>
				<td>${delivery.status ?? delivery.error ?? ''}</td>
				<td><code>${delivery.bodyExcerpt}</code></td>
			</tr>`,
	);
	const heads = ['Time', 'ID', 'URL', 'Result', 'Response'];
	return section('Webhooks sent', heads, rows, 'None yet.');
}

function callsSection({ service: { calls, clock, settings } }: Shown): Html {
	const states = { [-1]: 'checking', 0: 'failed', 1: 'completed' };
	const rows = newest(calls.all).map((call) => {
		const state = states[callStatus(call, clock.now(), settings.callResultAfterMs)];
		return html`<tr>
			<td>${time(call.startedAt)}</td>
			<td>${call.vendorId}</td>
			<td>${call.maskedPhone}</td>
			<td>${call.code}</td>
			<td>${call.variant}${call.test ? ', TEST' : ''}</td>
			<td>${state}</td>
			<td>${call.cost}</td>
		</tr>`;
	});
	const heads = ['Time', 'ID', 'Phone', 'Code', 'Type', 'State', 'Cost'];
	return section('Calls made', heads, rows, 'No calls yet.');
}

function faultsSection({ faults }: Shown): Html {
	const rows = faults.list().map(
		({ rule, timesLeft }) =>
			html`<tr>
				<td><code>${JSON.stringify(rule)}</code></td>
				<td>${timesLeft ?? 'until removed'}</td>
			</tr>`,
	);
	const active = section(
		'Active faults',
		['Rule', 'Times left'],
		rows,
		'None. The service works normally.',
	);
	return html`${active}
		<section>
			<h2>Refuse every request with an error code</h2>
			<p class="choices">
				${ERROR_CODES.map(({ code, meaning }) =>
					button(`${code}: ${meaning}`, 'POST', '/_control/faults', { kind: 'errorCode', code }),
				)}
				${button('Remove all faults', 'DELETE', '/_control/faults', {})}
			</p>
		</section>`;
}

function requestsSection({ requests }: Shown): Html {
	const rows = newest(requests).map(
		({ at, verb, method, scheme, args, outcome }) =>
			html`<tr>
				<td>${time(at)}</td>
				<td>${verb}</td>
				<td>${method}</td>
				<td>${scheme}</td>
				<td><code>${JSON.stringify(args)}</code></td>
				<td class="${outcome.result === 'success' ? '' : 'bad'}">${describe(outcome)}</td>
			</tr>`,
	);
	const heads = ['Time', 'Verb', 'Method', 'Scheme', 'Arguments', 'Outcome'];
	return section('Requests', heads, rows, 'No requests yet.');
}

function section(title: string, heads: string[], rows: Html[], whenEmpty: string): Html {
	if (rows.length === 0) {
		return html`<section>
			<h2>${title}</h2>
			<p class="empty">${whenEmpty}</p>
		</section>`;
	}
	return html`<section>
		<h2>${title}</h2>
		<table>
			<thead>
				<tr>
					${heads.map((head) => html`<th scope="col">${head}</th>`)}
				</tr>
			</thead>
			<tbody>
				${rows}
			</tbody>
		</table>
	</section>`;
}

function newest<T>(items: readonly T[]): T[] {
	return items.slice(-SHOWN_LINES).reverse();
}

function time(ms: number): string {
	return new Date(ms).toISOString().slice(11, 19);
}

function describe(outcome: Outcome): string {
	switch (outcome.result) {
		case 'error':
			return `${outcome.code}: ${outcome.message}`;
		case 'fault':
			return `fault ${outcome.fault}${outcome.processed ? ', processed' : ''}`;
		case 'rateLimited':
			return `refused with ${outcome.httpStatus}`;
		default:
			return outcome.result;
	}
}
