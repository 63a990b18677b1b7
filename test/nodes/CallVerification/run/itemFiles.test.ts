import type { IExecuteFunctions } from 'n8n-workflow';

import { itemFiles } from '../../../../nodes/CallVerification/run/itemFiles';

it.each([null, undefined, {}])('a file that is %j is none', async (data) => {
	const helpers = { assertBinaryData: () => data };
	const context = { helpers, getInputData: () => [{ json: {}, binary: { data } }] };
	const files = itemFiles(context as unknown as IExecuteFunctions, 0);
	await expect(files.read('data', 'Label')).rejects.toThrow('has no file in “data”');
});
