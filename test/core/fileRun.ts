import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fileIn, type InputFiles, type RunContext } from '../../harness/engine/n8nCore';
import type { VirtualClock } from '../virtualClock';
import {
	checked,
	refusal,
	replying,
	type SentRequest,
	type Service,
	simulate,
} from './simulatedRun';
import type { Reply } from './wire';

export const DAY = 24 * 60 * 60 * 1_000;
export const COLUMNS = 'valid,phone_e164,mobile,operator,country,region,reason,checked_at';
/** When the virtual clock begins. */
export const NOW = '2030-01-01T00:00:00.000Z';
/** When the first response has come, to the second. */
export const SOON = NOW;
export const OK = 'MTS,Russia,Moscow,';

export const checkFile = (
	options: INodeParameters = {},
	more: INodeParameters = {},
): INodeParameters => ({
	resource: 'phoneNumber',
	operation: 'checkFile',
	binaryPropertyName: 'data',
	phoneColumn: '',
	options,
	...more,
});
/** The account is empty. */
export const NO_MONEY = 1002;
export const oneByOne = { concurrency: 1, maxRetries: 0 };

export const found = (request: SentRequest, values: IDataObject = {}): Reply =>
	checked(request, {
		phone: Number(request.phone.replace(/\D/g, '')),
		mobile: 1,
		provider: 'MTS',
		country: 'Russia',
		region: 'Moscow',
		...values,
	});
const NOBODY = { phone: 0, mobile: 0, provider: '', country: '', region: '', error: 'Too short' };
/** A number that ends in 9 is invalid. */
export const answer = (request: SentRequest, values: IDataObject = {}) =>
	found(request, /9\s*$/.test(request.phone) ? NOBODY : values);
export const service = replying((request) => answer(request));
export const losingIf =
	(isLost: (clock: VirtualClock) => boolean): Service =>
	async (request, clock) => {
		await clock.sleep(80);
		if (isLost(clock)) throw Object.assign(new Error(), { code: 'ECONNRESET' });
		return answer(request);
	};
/** As long as there is money; then every request is refused. */
export const withMoneyFor = (checks: number, values: IDataObject = {}): Service => {
	let left = checks;
	return replying((request) =>
		left-- > 0 ? answer(request, values) : refusal(NO_MONEY, 'No money'),
	);
};

export const phoneAt = (index: number) => `+7916000${String(index).padStart(3, '0')}0`;
export const list = (count: number, first = 0) =>
	`Phone\n${Array.from({ length: count }, (_none, row) => `${phoneAt(first + row)}\n`).join('')}`;
export const resultFor = (phone: string, at: string) => `TRUE,${phone},TRUE,${OK},${at}`;

interface FileRun extends Partial<RunContext> {
	service?: Service;
	clock?: VirtualClock;
	/** Of the request options. */
	request?: INodeParameters;
	/** Other fields than the options. */
	fields?: INodeParameters;
}

export const run = async (
	files: InputFiles[] | string,
	options: INodeParameters = {},
	{ request = {}, fields, ...more }: FileRun = {},
) => {
	const result = await simulate({
		service,
		parameters: checkFile(options, { requestOptions: request, ...fields }),
		files: typeof files === 'string' ? [{ data: files }] : files,
		...more,
	});
	const figures = result.success.map(({ json }) => json);
	// Without the byte order mark.
	const text = fileIn(result.success[0]).toString().slice(1);
	return {
		...result,
		phones: result.sent.map(({ phone }) => phone),
		/** Of each file, and of the first. */
		figures,
		json: figures[0] ?? {},
		text,
		rows: text.trimEnd().split('\n').slice(1),
		binary: result.success[0]?.binary ?? {},
	};
};
