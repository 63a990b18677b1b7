import type { IDataObject } from 'n8n-workflow';

import { CallVerification } from '../../../../nodes/CallVerification/CallVerification.node';
import {
	rememberRequest,
	requestedBy,
} from '../../../../nodes/CallVerification/inbound/awaitedCall';
import { executionCallback } from '../../../../nodes/CallVerification/inbound/callbackUrl';

describe('the webhooks of a waiting execution', () => {
	const { webhooks = [] } = new CallVerification().description;
	const posted = executionCallback({
		resumeUrl: 'https://n8n.test/webhook-waiting/17?signature=t',
		triggerPaths: [],
		unconfirmedPaths: [],
		isPublished: true,
		isManual: false,
	});

	it.each([
		['the service posts the event', 'POST', posted, '/webhook-waiting/17/', false],
		[
			'a visitor opens a page',
			'GET',
			'https://n8n.test/form-waiting/17/',
			'/form-waiting/17/',
			true,
		],
	])('are where %s: %s %s', (_what, method, url, base, isOfForm) => {
		// As n8n looks for them.
		const found = webhooks.filter(
			({ httpMethod, path, isFullPath = false, restartWebhook, nodeType }) =>
				httpMethod === method &&
				// The form's path is the whole path behind the execution.
				isFullPath === isOfForm &&
				base + path === new URL(url).pathname &&
				restartWebhook === true &&
				(nodeType === 'form') === isOfForm,
		);
		expect(found).toHaveLength(1);
	});

	it('answer the service before the workflow goes on, and tell it nothing', () => {
		expect(webhooks.find(({ httpMethod }) => httpMethod === 'POST')).toMatchObject({
			responseMode: 'onReceived',
			responseData: '',
		});
	});

	it('are not opened when a workflow is published', () => {
		expect(webhooks.filter(({ restartWebhook }) => restartWebhook !== true)).toEqual([]);
	});
});

describe('the calls that an execution has requested', () => {
	const call = { callId: '17', phone: '79000000001', confirmationNumber: '78000000000' };
	const other = { ...call, callId: '18', phone: '79000000002' };
	const execution = (id: string, memory: IDataObject) => ({
		getContext: () => memory,
		getExecutionId: () => id,
	});

	it('are known by their IDs', () => {
		const context = execution('1', {});
		for (const requested of [call, other]) rememberRequest(context, requested);
		expect(requestedBy(context, '17')).toEqual(call);
		expect(requestedBy(context, '18')).toEqual(other);
		expect(requestedBy(context, '19')).toBeUndefined();
	});

	it('are not those of an execution whose memory Retry has copied', () => {
		const memory = {};
		rememberRequest(execution('1', memory), call);
		expect(requestedBy(execution('2', memory), '17')).toBeUndefined();
	});
});
