import type { INodeParameters } from 'n8n-workflow';

import { fileIn } from '../../harness/engine/n8nCore';
import { checked, type Reply, replying, type SentRequest, simulate } from './simulatedRun';

const file = (options: INodeParameters = {}, more: INodeParameters = {}): INodeParameters => ({
	resource: 'phoneNumber',
	operation: 'checkFile',
	binaryPropertyName: 'data',
	phoneColumn: '',
	options,
	...more,
});
const known = (request: SentRequest): Reply =>
	checked(request, {
		phone: Number(request.phone.replace(/\D/g, '')),
		mobile: 1,
		provider: 'MTS',
		country: 'Russia',
		region: 'Moscow',
	});
it('works', async () => {
	const r = await simulate({
		service: replying(known),
		parameters: file({ report: true }),
		files: [{ data: 'Name,Phone\nAnn,+7 (916) 000-00-01\nBob,\nEve,79160000001\n' }],
	});
	console.log(r.error, r.success[0], r.hints, fileIn(r.success[0]).toString());
});
