import type { IExecuteFunctions } from 'n8n-workflow';

import { itemFiles } from '../../../../nodes/CallVerification/run/itemFiles';

it.each([null, undefined, {}])('a file that is %j is none', async (data) => {
	const helpers = { assertBinaryData: () => data };
	const context = { helpers, getInputData: () => [{ json: {}, binary: { data } }] };
	const files = itemFiles(context as unknown as IExecuteFunctions, 0);
	await expect(files.read('data', 'Label')).rejects.toThrow('has no file in “data”');
});

describe('the files of an item', () => {
	const input = { first: { mimeType: 'text/csv' }, second: { mimeType: 'text/csv' } };
	const filesOf = (binary?: object) => {
		const helpers = {
			assertBinaryData() {
				throw new Error('There is no such file');
			},
			prepareBinaryData: async (_bytes: Buffer, fileName: string, mimeType: string) => ({
				fileName,
				mimeType,
			}),
		};
		const context = { helpers, getInputData: () => [{ json: {}, binary }] };
		return itemFiles(context as unknown as IExecuteFunctions, 0);
	};

	it('are named, if the one in the field is not there', async () => {
		const found = filesOf(input).read('data', 'Label');
		await expect(found).rejects.toMatchObject({
			advice: 'Its files are in: first, second. Enter one of these in “Label”.',
		});
	});

	it('are output only with one that was added', async () => {
		const files = filesOf(input);
		expect(files.output).toBeUndefined();
		await files.add('second', Buffer.from('x'), 'new.csv', 'text/plain');
		const second = { fileName: 'new.csv', mimeType: 'text/plain' };
		expect(files.output).toEqual({ first: input.first, second });
	});

	it('are only those added, if the input has none', async () => {
		const files = filesOf();
		await files.add('data', Buffer.from('x'), 'new.csv', 'text/csv');
		expect(Object.keys(files.output ?? {})).toEqual(['data']);
	});
});
