import { ERROR_CODES } from '../nodes/CallVerification/contract/errorCodes';
import { html, type Html } from './htmlText';
import type { Outcome } from './ledger';
import type { ServiceState } from './serviceState';
import { SERVICE_NAMES } from './settings';
import { callStatus } from './verificationCalls';

const SHOWN_LINES = 100;

/** Which service is played, and buttons for the others. */
export function serviceSwitch({ settings }: ServiceState): Html[] {
	return SERVICE_NAMES.map((as) =>
		as === settings.as ? html`<strong>${as}</strong> ` : button(as, 'POST', '/_control/as', { as }),
	);
}

export function waitingSection({ inboundWaits, clock }: ServiceState): Html {
	const rows = newest(inboundWaits.waiting(clock.now())).map(
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

export function deliveriesSection({ deliveries }: ServiceState): Html {
	const rows = newest(deliveries).map(
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

export function callsSection({ calls, clock, settings }: ServiceState): Html {
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

export function faultsSection({ faults }: ServiceState): Html {
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

export function requestsSection({ requests }: ServiceState): Html {
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

/** Sends a request to one of the control endpoints; the page's script does it. */
function button(label: string, verb: string, path: string, body: object): Html {
	return html`<button
		type="button"
		data-verb="${verb}"
		data-path="${path}"
		data-body="${JSON.stringify(body)}"
	>
		${label}
	</button>`;
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
