/**
 * Every row of the service's contract, sections 1 to 9, with the test that covers it. "Gap" is what
 * the contract says it does not say; there the test shows that every possibility is handled.
 */

export interface CoveredRow {
	row: string;
	/** Below `test/`. */
	file: string;
	/** The title as it stands in the file. */
	title: string;
	/** For a table of tests: the entry that is about this row. */
	entry?: string;
}

const API = 'nodes/CallVerification/api';

const test =
	(file: string, title: string) =>
	(row: string, entry?: string): CoveredRow => ({
		row,
		file,
		title,
		...(entry === undefined ? {} : { entry }),
	});

const headerRequest = test(
	'core/requests.test.ts',
	'$method with the header scheme ($parameters.operation)',
);
const bodyRequest = test(
	'core/requests.test.ts',
	'$method with the body scheme ($parameters.operation)',
);
const queryRequest = test(
	'core/requests.test.ts',
	'$method with the query scheme ($parameters.operation)',
);
const recordField = test(
	`${API}/contract/records.test.ts`,
	'$section $field comes out as the declared $kind',
);
const eventField = test(
	`${API}/inboundEvent.test.ts`,
	'has its eight fields in the documented types, whatever JSON is in them',
);
const callState = test('core/outputs.test.ts', 'names the call_status %j “%s”');
const ownWords = test(
	'core/errors.test.ts',
	'comes out in the service’s own words with HTTP status %i',
);
const badInput = test('core/badInput.test.ts', '%s');
const initCallTypes = test(
	`${API}/contract/requests.test.ts`,
	'turns every parameter into the type of the contract',
);
const shortTexts = test(`${API}/contract/requests.test.ts`, 'takes up to 64 characters for %s');
const countries = test(`${API}/contract/requests.test.ts`, 'with %s to %s is allowed: %s');
const testNumbers = test('core/emulator.test.ts', '%s ends as “%s” and costs nothing');
const simplified = test(
	'core/outputs.test.ts',
	'gives at most ten fields and no deprecated one when simplified',
);

const fieldsOf = (section: string, fields: string[]) =>
	fields.map((field) => recordField(`${section} ${field}`, field));

export const COVERAGE: CoveredRow[] = [
	// 1. What the service does
	headerRequest('1 outgoing-call verification', 'initCall'),
	headerRequest('1 outgoing-call verification: voice robot', "delivery: 'voice'"),
	headerRequest('1 outgoing-call verification: mixed mode', "delivery: 'mix'"),
	headerRequest('1 inbound-call verification', 'inboundCallWaiting'),
	headerRequest('1 information: getInfo', 'getInfo'),
	headerRequest('1 information: checkPhone', 'checkPhone'),
	headerRequest('1 information: getAccount', 'getAccount'),
	headerRequest('1 information: getService', 'getService'),
	headerRequest('1 information: getBalance', 'getBalance'),
	test(`${API}/address.test.ts`, '%j is %s')(
		'1.1 HTTP, HTTPS recommended',
		'http://one.test:8080/api',
	),
	headerRequest('1.2 POST carries JSON'),
	queryRequest('1.2 GET carries a query string'),
	test('core/errors.test.ts', '%s is a clear error')('1.3 every response body is JSON', 'HTML'),
	headerRequest('1.4 success is HTTP 200 and a body'),
	ownWords('1.5 a failed request returns an error object'),
	testNumbers('1.6 79000000001 always succeeds, unbilled', '79000000001'),
	testNumbers('1.6 79000000002 always fails, unbilled', '79000000002'),
	test(
		'core/errors.test.ts',
		'says what to do next',
	)('1.7 key and identifier come from the personal cabinet'),
	test(
		'core/outputs.test.ts',
		'gives the record of the start, with its idempotency key and whether it existed',
	)('1.8 responses carry the masked number'),

	// 2. Resources
	test(
		'core/emulator.test.ts',
		'a call is started, looked up and its code checked',
	)('2 vendor_id in answers is uid in requests'),
	...fieldsOf('2.1', [
		'status',
		'vendor_id',
		'init_time',
		'call_status',
		'is_repeated',
		'first_vendor_id',
		'repeatable',
		'repeat_times',
		'repeated_vendor_ids',
		'unique',
		'client',
		'phone',
		'code',
		'country_code',
		'balance',
	]),
	...['phone_info', 'phone_info.operator', 'phone_info.region', 'phone_info.mnp'].map((field) =>
		test(`${API}/contract/records.test.ts`, 'phone_info comes as %s and goes out as an object')(
			`2.1 ${field}`,
			field.split('.').at(-1),
		),
	),
	test(`${API}/contract/records.test.ts`, 'cost comes as %j and goes out as %j')('2.1 cost'),
	...fieldsOf('2.2', [
		'status',
		'vendor_id',
		'phone',
		'code',
		'client',
		'unique_request_id',
		'exists',
	]),
	...fieldsOf('2.3', ['status', 'vendor_id', 'phone', 'confirmation_number']),
	...fieldsOf('2.4', [
		'source',
		'error',
		'mobile',
		'phone',
		'country_iso',
		'country_code',
		'mnc',
		'number',
		'provider',
		'company',
		'country',
		'region',
		'city',
		'phone_format',
		'cost',
		'balance',
	]),
	...fieldsOf('2.5', ['id', 'telegram_id', 'two_auth', 'email', 'updated', 'created']),
	...['logs', 'action', 'user_agent', 'ip', 'created'].map((field) =>
		test(`${API}/contract/records.test.ts`, 'logs[].ip comes as %j and goes out as %j')(
			field === 'logs' ? '2.5 logs' : `2.5 logs[].${field}`,
			field,
		),
	),
	test('core/emulator.test.ts', '%s.%s answers')('2.5 no status field', "'account', 'get', 'id'"),
	...fieldsOf('2.6', [
		'status',
		'service_status',
		'name',
		'creation_time',
		'last_request',
		'owner',
		'use_direction',
	]),
	...fieldsOf('2.7', ['status', 'rub_balance', 'tariff', 'tariff_name']),
	recordField('2 gap: format of the phone mask', "phone: 'text'"),
	recordField('2 gap: list of tariff codes', "tariff: 'text'"),
	test(
		`${API}/contract/records.test.ts`,
		'cost comes as %j and goes out as %j',
	)('2 gap: currency of cost and balance'),

	// 3. States
	callState('3 checking', "[-1, 'checking']"),
	callState('3 failed', "[0, 'failed']"),
	callState('3 completed', "[1, 'completed']"),
	test(`${API}/callState.test.ts`, 'of any other status is “unknown”')('3 gap: transitions'),

	// 4. Endpoints
	headerRequest('4 path with the version', '/v1.0/'),
	...[
		'initCall',
		'getInfo',
		'initRepeat',
		'inboundCallWaiting',
		'checkPhone',
		'getAccount',
		'getService',
		'getBalance',
	].flatMap((method) => [
		headerRequest(`4 ${method}: POST, or GET for getService`, method),
		queryRequest(`4 ${method}: GET`, method),
	]),
	initCallTypes('4.1 phone', 'phone: 79000000001'),
	initCallTypes('4.1 code', "code: '0042'"),
	initCallTypes('4.1 client', "client: '42'"),
	initCallTypes('4.1 unique', "unique: 'u'"),
	initCallTypes('4.1 voice', 'voice: true'),
	initCallTypes('4.1 mix', 'mix: false'),
	test(
		'core/outputs.test.ts',
		'sends the same key when n8n runs the node again, another in another execution',
	)('4.1 a repeated key starts no new verification'),
	test(
		`${API}/contract/requests.test.ts`,
		'getInfo and initRepeat take the call ID as a number',
	)('4.2 uid'),
	test(
		`${API}/contract/requests.test.ts`,
		'getInfo and initRepeat take the call ID as a number',
	)('4.3 uid'),
	recordField('4.3 free_repeated', 'free_repeated'),
	test(
		'core/emulator.test.ts',
		'the deprecated repeat is sent as the contract has it',
	)('4.3 intended behaviour'),
	test(
		`${API}/contract/requests.test.ts`,
		'inboundCallWaiting takes the digits and the URL as it is',
	)('4.4 phone', 'phone: 79000000001'),
	test(
		`${API}/contract/requests.test.ts`,
		'inboundCallWaiting takes the digits and the URL as it is',
	)('4.4 callback_url', 'callback_url'),
	test(
		`${API}/contract/requests.test.ts`,
		'checkPhone takes the text as it was typed',
	)('4.5 phone'),
	test(
		'core/items.test.ts',
		'comes out on the success output, with the service’s words as the reason',
	)('4.5 an invalid number has an error field'),
	test(
		`${API}/contract/requests.test.ts`,
		'getAccount, getService and getBalance take nothing',
	)('4.6 no parameters'),
	test(
		`${API}/contract/requests.test.ts`,
		'getAccount, getService and getBalance take nothing',
	)('4.7 no parameters'),
	test(
		`${API}/contract/requests.test.ts`,
		'getAccount, getService and getBalance take nothing',
	)('4.8 no parameters'),
	test('e2e/credentialTest.test.ts', 'with the %s scheme')('4.9 gap: answer of the root path'),

	// 5. Authentication
	queryRequest('5 query scheme'),
	bodyRequest('5 JSON scheme'),
	headerRequest('5 header scheme'),
	test('core/errors.test.ts', 'says what to do next')('5.1 a failure gives code 401', '401'),
	test(
		'core/requests.test.ts',
		'is sent once, not twice, with HTTP status %i',
	)('5.1 a failure is not sent again'),
	bodyRequest(
		'5.2 gap: which of several schemes wins; only one is sent',
		'headers.authorization).toBeUndefined',
	),

	// 6. Events
	...[
		'callId',
		'callbackLink',
		'clientNumber',
		'confirmationNumber',
		'isMnp',
		'operatorName',
		'operatorNameMnp',
		'regionName',
	].map((field) => eventField(`6 ${field}`, field)),
	test(`${API}/handledEvents.test.ts`, 'let an event through once')('6 gap: delivery retries'),
	test(
		`${API}/callbackSeal.test.ts`,
		'is accepted for its number, and gives back reference, expiry and nonce',
	)('6 gap: signing of the web-hook'),

	// 7. Errors
	ownWords('7 status', 'status: false'),
	ownWords('7 error', "error: 'Insufficient funds'"),
	ownWords('7 code', 'code: 402'),
	test('core/errors.test.ts', 'says what to do next')('7.1 authentication'),
	headerRequest('7.2 success is HTTP 200'),
	test(`${API}/answer.test.ts`, 'HTTP status %i and the code %i alike are “%s”')(
		'7.3 repeat later',
		'unavailable',
	),
	test(
		'core/items.test.ts',
		'comes out on the success output, with the service’s words as the reason',
	)('7.4 invalid number'),
	test(
		'core/errors.test.ts',
		'counts a code outside 400 to 599 as a refusal without an HTTP status',
	)('7 gap: list of error codes'),
	ownWords('7 gap: HTTP status of an error', '[200, 400, 402, 500]'),

	// 8. Limits
	shortTexts('8 client up to 64 characters', 'client'),
	shortTexts('8 unique up to 64 characters', 'unique'),
	test(
		`${API}/code.test.ts`,
		'is anything but four digits other than 0000: refused',
	)('8 code 0001 to 9999'),
	countries('8 voice only for Kazakhstan and Russia', "['voice', '4915100000000', false]"),
	countries('8 mix only for Russia', "['mix', '77010000000', false]"),
	test(
		'nodes/CallVerification/operations/call/callResult.test.ts',
		'waits 75 seconds when nothing else is said',
	)('8 call_status -1 lasts 1 second to 1 minute'),
	test(
		'nodes/CallVerification/panel.test.ts',
		'marks the deprecated method as such',
	)('8 initRepeat limits'),
	recordField('8 logs last 50 entries', 'logs'),
	recordField('8 company, region, city for Russia only', "city: 'text'"),
	test(`${API}/answer.test.ts`, 'HTTP status %i and the code %i alike are “%s”')(
		'8 gap: rate limits',
		'throttled',
	),
	badInput('8 gap: request-size limits', 'a client of 65 characters'),
	test(
		`${API}/callbackSeal.test.ts`,
		'lets events through until its second, and none from then on',
	)('8 gap: lifetime of an inbound wait'),

	// 9. Versioning
	test(
		`${API}/address.test.ts`,
		'carries the version in the path of a method',
	)('9.1 version in the path'),
	test(
		'nodes/CallVerification/panel.test.ts',
		'marks the deprecated method as such',
	)('9.2 initRepeat is deprecated'),
	simplified('9.3 deprecated fields of getInfo', 'is_repeated'),
	test(
		`${API}/contract/records.test.ts`,
		'$section passes unknown fields through',
	)('9.4 gap: future versions'),
];
