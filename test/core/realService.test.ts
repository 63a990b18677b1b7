import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../harness/engine/n8nCore';
import { checkPhone, getCall, getNumber, startCall } from './parameters';
import { wire } from './wire';

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

const start = startCall;
const get = (values: INodeParameters = {}) =>
	getCall({ uid: '103001', simplify: false, ...values });

const outputOf = async (parameters: INodeParameters, ...bodies: string[]) => {
	const sent = wire(...bodies.map((body) => ({ body })));
	const { success, error } = await runNode({ parameters });
	if (error) throw error;
	return { json: success[0]?.json ?? {}, sent };
};

describe('a call, as the service names it', () => {
	it('starts, and its ucaller_id comes out as vendor_id, in its place (§2.names, §4.phone)', async () => {
		const { json, sent } = await outputOf(start(), STARTED);
		expect(json).toMatchObject({ status: true, vendor_id: 103001, code: '0042', exists: false });
		expect(Object.keys(json).slice(0, 3)).toEqual(['status', 'vendor_id', 'phone']);
		expect(JSON.stringify(json)).not.toContain('ucaller');
		// Text would be refused with code 1.
		expect(sent[0]?.fields.phone).toBe(79000000001);
	});

	it('needs no optional fields (§2.optional)', async () => {
		const { json } = await outputOf(start(), STARTED_WITHOUT_OPTIONAL);
		expect(json).toMatchObject({ vendor_id: 103002, phone: '7900***0001', code: '0042' });
		expect(json).not.toHaveProperty('exists');
		expect(json.verification_token).toEqual(expect.any(String));
	});

	it('may have a phone and a code that are numbers, as in 2022', async () => {
		const { json } = await outputOf(start(), STARTED_IN_2022);
		expect(json).toMatchObject({ vendor_id: 103003, phone: '79000000001', code: '0042' });
	});

	it('is found again by its ID', async () => {
		const { json, sent } = await outputOf(get(), INFO);
		expect(sent[0]?.fields).toEqual({ uid: 103001 });
		expect(json).toMatchObject({
			vendor_id: 103001,
			call_state: 'completed',
			phone_info: { operator: 'Alpha', region: 'Moscow', mnp: 'Beta' },
			cost: 0.4,
			balance: 99.6,
		});
		expect(JSON.stringify(json)).not.toContain('ucaller');
	});

	it('that repeats another names both under our names', async () => {
		const { json } = await outputOf(get({ uid: '103006' }), INFO_OF_REPEAT);
		expect(json).toMatchObject({
			vendor_id: 103006,
			first_vendor_id: 103005,
			repeated_vendor_ids: [103006, 103007],
			repeat_times: 1,
		});
		expect(JSON.stringify(json)).not.toContain('ucaller');
	});

	it('cannot be repeated, whatever getInfo says (§4.3)', async () => {
		wire({ body: NO_REPEATS });
		const { error } = await runNode({
			parameters: { resource: 'call', operation: 'repeat', uid: '103001' },
		});
		expect(error?.message).toBe(
			'The service no longer supports repeating a call: Method Not Allowed (code 405)',
		);
		expect(error?.description).toContain('Use “Call: Start” instead');
	});
});

describe('a call to somebody who cannot be reached', () => {
	it('is a result with its ID and status false, not an error (§7.unreached)', async () => {
		const { json, sent } = await outputOf(start(), NOT_REACHED);
		expect(json).toMatchObject({ status: false, vendor_id: 103004, phone: '7900***0002' });
		expect(sent).toHaveLength(1);
	});

	it('has failed, for whoever waits for its result', async () => {
		const { json } = await outputOf(
			start({ waitForResult: true }),
			NOT_REACHED,
			INFO_OF_NOT_REACHED,
		);
		expect(json).toMatchObject({ status: false, call_status: 0, call_state: 'failed', cost: 0 });
	});

	it('has failed, even if its result cannot be read', async () => {
		const options = { maxWait: 1 };
		const { json } = await outputOf(
			start({ waitForResult: true, options, requestOptions: { maxRetries: 0 } }),
			NOT_REACHED,
			'{"status":false,"error":"Not found","code":10}',
		);
		expect(json).toMatchObject({ status: false, call_state: 'failed' });
	});

	it('has no right code', async () => {
		const parameters = { resource: 'call', operation: 'checkCode', uid: '103004', code: '0042' };
		const { json } = await outputOf({ ...parameters, options: {} }, INFO_OF_NOT_REACHED);
		expect(json).toMatchObject({ matched: false, reason: 'callFailed', vendor_id: 103004 });
	});

	it('counts for Max Calls per Hour', async () => {
		const sent = wire({ body: NOT_REACHED });
		const parameters = start({
			phone: '={{ $json.phone }}',
			options: { maxCallsPerHour: 1 },
		});
		const { success } = await runNode({
			parameters,
			items: [{ phone: '79000000002' }, { phone: '79000000003' }],
			onError: 'continueRegularOutput',
			workflow: { id: 'not-reached' },
		});
		expect(sent).toHaveLength(1);
		expect(success.map(({ json }) => Boolean(json.error)).sort()).toEqual([false, true]);
	});

	it('is a refusal if the answer says nothing but no', async () => {
		wire({ body: '{"status":false}' });
		const { error } = await runNode({ parameters: start() });
		expect(error?.message).toBe('The verification service refused the request: no reason given');
	});
});

describe('other answers of the service', () => {
	it('give a number to call', async () => {
		const { json } = await outputOf(getNumber(), INBOUND);
		expect(json).toMatchObject({ vendor_id: 103008, confirmation_number: '78000000000' });
		expect(JSON.stringify(json)).not.toContain('ucaller');
	});

	it('describe a service that has never been used', async () => {
		const { json } = await outputOf({ resource: 'service', operation: 'get' }, SERVICE);
		expect(json).toMatchObject({ service_status: 4711, last_request: 0 });
	});

	it('call a number wrong in an error object, which is a result', async () => {
		const sent = wire({ body: WRONG_NUMBER });
		const items = [{ phone: '7000' }, { phone: '7000' }, { phone: '7001' }];
		const { success, error } = await runNode({ parameters: checkPhone(), items });
		expect(error).toBeUndefined();
		expect(success.map(({ json }) => json)).toEqual(
			items.map(({ phone }) =>
				expect.objectContaining({
					source: phone,
					valid: false,
					reason: 'Phone is not valid',
					cost: 0,
				}),
			),
		);
		expect(sent).toHaveLength(2);
	});
});
