import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { TimeSlice } from '../nodes/CallVerification/pacing/time';
import { CallVerification } from '../harness/engine/builtPackage';

interface Answer {
	statusCode: number;
	body: IDataObject;
}

/**
 * The least a node can do for the same work: n8n's request helper with the same options, several requests at once, and
 * one expression read per item. It checks no response, retries nothing and cannot be stopped.
 *
 * With `pauses`, it pauses briefly every 10 ms, as ours does. Requests then start in bundles, which saves n8n a good
 * part of the CPU time.
 */
export function bareHelperNode(baseUrl: string, concurrency: number, pauses: boolean): INodeType {
	return {
		description: new CallVerification().description,
		async execute(this: IExecuteFunctions) {
			const items = this.getInputData();
			const results = new Array<INodeExecutionData>(items.length);
			const slice = new TimeSlice({ now: Date.now, sleep });
			let next = 0;
			const lane = async (): Promise<void> => {
				for (;;) {
					while (pauses && slice.isOver) await slice.next();
					if (next >= items.length) return;
					const item = next++;
					const phone = this.getNodeParameter('phone', item) as string;
					const { statusCode, body } = (await this.helpers.httpRequestWithAuthentication.call(
						this,
						'callVerificationApi',
						{
							method: 'POST',
							url: `${baseUrl}/v1.0/checkPhone`,
							body: { phone },
							timeout: 30_000,
							json: true,
							arrayFormat: 'repeat',
							returnFullResponse: true,
							ignoreHttpStatusErrors: true,
							disableFollowRedirect: true,
						},
					)) as Answer;
					results[item] = { json: { ...body, valid: statusCode === 200 }, pairedItem: { item } };
				}
			};
			await Promise.all(Array.from({ length: concurrency }, lane));
			return [results];
		},
	};
}
