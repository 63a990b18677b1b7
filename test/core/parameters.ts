import type { IDataObject, INodeParameters } from 'n8n-workflow';

/** The settings On Error: Continue, and Continue (using error output). */
export const CONTINUE = { onError: 'continueRegularOutput' } as const;
export const ERROR_OUTPUT = { onError: 'continueErrorOutput' } as const;

export const TOOL = 'n8n-nodes-call-verification.callVerificationTool';

/** What the editor saves for a node of each operation; `values` replace or add to it. */
export const startCall = (values: INodeParameters = {}): INodeParameters => ({
	resource: 'call',
	operation: 'start',
	phone: '79000000001',
	delivery: 'callerNumber',
	waitForResult: false,
	options: {},
	...values,
});

export const getCall = (values: INodeParameters = {}): INodeParameters => ({
	resource: 'call',
	operation: 'get',
	uid: 1234567,
	waitForResult: false,
	simplify: true,
	options: {},
	...values,
});

export const checkCode = (values: INodeParameters = {}): INodeParameters => ({
	resource: 'call',
	operation: 'checkCode',
	uid: 1234567,
	code: '0042',
	options: {},
	...values,
});

/** By default, the event goes to any URL. */
export const getNumber = (values: INodeParameters = {}): INodeParameters => ({
	resource: 'inboundCall',
	operation: 'start',
	phone: '79000000001',
	callbackTarget: 'url',
	callbackUrl: 'https://crm.test/hook',
	options: {},
	...values,
});

/** By default, of a list with the column “phone”. */
export const checkPhone = (values: INodeParameters = {}): INodeParameters => ({
	resource: 'phoneNumber',
	operation: 'check',
	phone: '={{ $json.phone }}',
	simplify: true,
	options: {},
	...values,
});

export const UID = 1_234_567;
const CALL = { status: true, vendor_id: UID, call_status: 1, code: '0042' };
/** With every field that the contract names. */
export const CHECKED = {
	source: '+7 900 000-00-01',
	mobile: 1,
	phone: 79000000001,
	country_iso: 'RU',
	country_code: 7,
	mnc: 1,
	number: 9000000001,
	provider: 'A',
	company: 'A Ltd',
	country: 'Russia',
	region: 'B',
	city: 'C',
	phone_format: '8 900 000-00-01',
	cost: 0.5,
	balance: 99.5,
};
const init_time = Math.floor(Date.now() / 1_000);

/** What the service answers to an operation that works. */
export const ANSWERS: Readonly<Record<string, IDataObject>> = {
	'call.start': { status: true, vendor_id: UID, phone: '7***', code: '0042', exists: false },
	'call.get': { ...CALL, init_time },
	'call.checkCode': { ...CALL, init_time },
	'inboundCall.start': { status: true, vendor_id: UID, confirmation_number: '74950000000' },
	'phoneNumber.check': CHECKED,
	'phoneNumber.checkFile': CHECKED,
};
