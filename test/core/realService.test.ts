import type { INodeParameters } from 'n8n-workflow';

import { checkCode, checkPhone, CONTINUE, getCall, getNumber, startCall } from './parameters';
import { numbers } from './simulatedRun';
import { runOn } from './wire';

/**
 * The answers of the one public service with this interface, as others have recorded them: the same shapes and types,
 * with values of our own.
 */
const STARTED =
	'{"status":true,"ucaller_id":103001,"phone":"7900***0001","code":"0042","client":"c-1","unique_request_id":"f32d7ab0-2695-44ee-a20c-a34262a06b90","exists":false}';
const STARTED_WITHOUT_OPTIONAL =
	'{"status":true,"ucaller_id":103002,"phone":"7900***0001","code":"0042"}';
const STARTED_IN_2022 = '{"status":true,"ucaller_id":103003,"phone":79000000001,"code":42}';
const NOT_REACHED = '{"status":false,"ucaller_id":103004,"phone":"7900***0002","code":"0042"}';
const INFO =
	'{"status":true,"ucaller_id":103001,"init_time":4102444800,"call_status":1,"is_repeated":false,"repeatable":true,"phone":"7900***0001","code":"0042","country_code":"RU","phone_info":[{"operator":"Alpha","region":"Moscow","mnp":"Beta"}],"cost":0.40,"balance":99.60}';
const INFO_OF_NOT_REACHED =
	'{"status":true,"ucaller_id":103004,"init_time":4102444800,"call_status":0,"is_repeated":false,"repeatable":false,"phone":"7900***0002","code":"0042","country_code":"RU","phone_info":[],"cost":0.00,"balance":99.60}';
const INFO_OF_REPEAT =
	'{"status":true,"ucaller_id":103006,"init_time":4102444800,"call_status":1,"is_repeated":true,"first_ucaller_id":103005,"repeatable":true,"repeat_times":1,"repeated_ucaller_ids":[103006,103007],"unique":"f32d7ab0-2695-44ee-a20c-a34262a06b90","client":"c-1","phone":"7900***0001","code":"0042","country_code":"RU","phone_info":[],"cost":0.00,"balance":99.60}';
const INBOUND =
	'{"status":true,"ucaller_id":103008,"phone":"7900***0001","confirmation_number":"78000000000"}';
const SERVICE =
	'{"status":true,"service_status":4711,"name":"Shop","creation_time":1700000000,"last_request":0,"owner":"me@example.com","use_direction":"Log-in"}';
const NO_REPEATS = '{"status":false,"error":"Method Not Allowed","code":405}';
const WRONG_NUMBER = '{"status":false,"error":"Phone is not valid","code":3}';

const MASKED = '7900***0001';
const ofCall = (uid: string) => getCall({ uid, simplify: false });
const waiting = (values: INodeParameters = {}) => startCall({ waitForResult: true, ...values });

/** What comes out for answers in its names. */
it.each<[what: string, parameters: INodeParameters, bodies: string[], output: object]>([
	[
		'a call that starts (§2.names, §4.phone)',
		startCall(),
		[STARTED],
		{ status: true, vendor_id: 103001, code: '0042', exists: false },
	],
	[
		'a call without optional fields (§2.optional)',
		startCall(),
		[STARTED_WITHOUT_OPTIONAL],
		{ vendor_id: 103002, phone: MASKED, code: '0042', verification_token: expect.any(String) },
	],
	[
		'a call whose phone and code are numbers, as in 2022',
		startCall(),
		[STARTED_IN_2022],
		{ vendor_id: 103003, phone: '79000000001', code: '0042' },
	],
	[
		'a call that is found again by its ID',
		ofCall('103001'),
		[INFO],
		{
			vendor_id: 103001,
			call_state: 'completed',
			phone_info: { operator: 'Alpha', region: 'Moscow', mnp: 'Beta' },
			cost: 0.4,
			balance: 99.6,
		},
	],
	[
		'a call that repeats another',
		ofCall('103006'),
		[INFO_OF_REPEAT],
		{
			vendor_id: 103006,
			first_vendor_id: 103005,
			repeated_vendor_ids: [103006, 103007],
			repeat_times: 1,
		},
	],
	[
		'a call to somebody who cannot be reached: no error (§7.unreached)',
		startCall(),
		[NOT_REACHED],
		{ status: false, vendor_id: 103004, phone: '7900***0002' },
	],
	[
		'such a call has failed, for whoever waits for its result',
		waiting(),
		[NOT_REACHED, INFO_OF_NOT_REACHED],
		{ status: false, call_status: 0, call_state: 'failed', cost: 0 },
	],
	[
		'such a call has failed, even if its result cannot be read',
		waiting({ options: { maxWait: 1 }, requestOptions: { maxRetries: 0 } }),
		[NOT_REACHED, '{"status":false,"error":"Not found","code":10}'],
		{ status: false, call_state: 'failed' },
	],
	[
		'such a call has no right code',
		checkCode({ uid: '103004' }),
		[INFO_OF_NOT_REACHED],
		{ matched: false, reason: 'callFailed', vendor_id: 103004 },
	],
	[
		'a number to call',
		getNumber(),
		[INBOUND],
		{ vendor_id: 103008, confirmation_number: '78000000000' },
	],
	[
		'a service that has never been used',
		{ resource: 'service', operation: 'get' },
		[SERVICE],
		{ service_status: 4711, last_request: 0 },
	],
])('%s', async (_what, parameters, bodies, output) => {
	const replies = bodies.map((body) => ({ body }));
	const { json, error, sent } = await runOn(replies, parameters);
	expect(error).toBeUndefined();
	expect(sent).toHaveLength(bodies.length);
	expect(json).toMatchObject(output);
	expect(JSON.stringify(json)).not.toContain('ucaller');
});

it('an ID keeps its place, and what is left out stays out', async () => {
	const { json, phones } = await runOn({ body: STARTED_WITHOUT_OPTIONAL }, startCall());
	expect(Object.keys(json).slice(0, 3)).toEqual(['status', 'vendor_id', 'phone']);
	expect(json).not.toHaveProperty('exists');
	// Text would be refused with code 1.
	expect(phones).toEqual([79000000001]);
});

it('a call cannot be repeated, whatever getInfo says (§4.3)', async () => {
	const repeat = { resource: 'call', operation: 'repeat', uid: '103001' };
	const { error } = await runOn({ body: NO_REPEATS }, repeat);
	expect(error?.message).toBe(
		'The service no longer supports repeating a call: Method Not Allowed (code 405)',
	);
	expect(error?.description).toContain('Use “Call: Start” instead');
});

it('a call to somebody who cannot be reached counts for Max Calls per Hour', async () => {
	const parameters = startCall({ phone: '={{ $json.phone }}', options: { maxCallsPerHour: 1 } });
	const run = { items: numbers(2), workflow: { id: 'not-reached' }, ...CONTINUE };
	const { sent, outputs } = await runOn({ body: NOT_REACHED }, parameters, run);
	expect(sent).toHaveLength(1);
	expect(outputs.map(({ error }) => Boolean(error)).sort()).toEqual([false, true]);
});

it('a number that an error object calls wrong is a result', async () => {
	const items = [{ phone: '79000000001' }, { phone: '79000000001' }, { phone: '79000000002' }];
	const { outputs, error, sent } = await runOn({ body: WRONG_NUMBER }, checkPhone(), { items });
	expect(error).toBeUndefined();
	const result = { valid: false, reason: 'Phone is not valid', cost: 0 };
	expect(outputs).toMatchObject(items.map(({ phone }) => ({ source: phone, ...result })));
	expect(sent).toHaveLength(2);
});
