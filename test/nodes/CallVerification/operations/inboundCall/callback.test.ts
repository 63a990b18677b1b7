import {
	executionCallback,
	targetOf,
	triggerCallback,
} from '../../../../../nodes/CallVerification/operations/inboundCall/callback';
import { triggerPathOf } from '../../../../../nodes/CallVerification/operations/inboundCall/triggerRegistry';

const surroundings = (values: object = {}) => ({
	resumeUrl: 'https://n8n.test/webhook-waiting/17?signature=t%2Fk',
	triggerPaths: ['webhook/id/inbound-call'],
	isManual: false,
	...values,
});

describe('the URL of a trigger', () => {
	it.each([
		['https://n8n.test/webhook-waiting/17', 'https://n8n.test/webhook/id/inbound-call'],
		['https://n8n.test/webhook-waiting/17?signature=x', 'https://n8n.test/webhook/id/inbound-call'],
		['http://localhost:5678/webhook-waiting/17', 'http://localhost:5678/webhook/id/inbound-call'],
		['https://x.test/sub/n8n/webhook-waiting/17', 'https://x.test/sub/n8n/webhook/id/inbound-call'],
	])('follows the base of %s', (resumeUrl, url) => {
		expect(triggerCallback('', surroundings({ resumeUrl }))).toBe(url);
	});

	it.each([
		['https://n8n.test/webhook/id/inbound-call', 'webhook/id/inbound-call'],
		['https://x.test/sub/n8n/hooks/id/inbound-call', 'hooks/id/inbound-call'],
	])('leaves only its own part behind: %s', (url, path) => {
		expect(triggerPathOf(url)).toBe(path);
	});

	it.each(['', '  ', undefined, null])('is looked for when %j was pasted', (pasted) => {
		expect(triggerCallback(pasted, surroundings())).toBe(
			'https://n8n.test/webhook/id/inbound-call',
		);
	});

	it('may contain “webhook-test” as part of a longer name', () => {
		const url = 'https://n8n.test/my-webhook-tests/x';
		expect(triggerCallback(url, surroundings())).toBe(url);
	});
});

describe('the URL of this execution', () => {
	it('is the resume URL with a path of its own, n8n’s token kept', () => {
		expect(executionCallback(surroundings())).toBe(
			'https://n8n.test/webhook-waiting/17/inbound-call?signature=t%2Fk',
		);
	});
});

describe('the target of a callback', () => {
	it.each([
		['https://n8n.test/webhook/id/inbound-call', 'id'],
		['https://n8n.test/webhook-test/id/inbound-call', 'id'],
		['https://n8n.test/sub/webhook-waiting/17/inbound-call?signature=t', '17'],
		['https://gateway.test/calls', undefined],
		['https://gateway.test/inbound-call', undefined],
		['https://gateway.test/', undefined],
	])('of %s is %j', (url, target) => {
		expect(targetOf(url)).toBe(target);
	});
});
