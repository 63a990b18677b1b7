import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sealCallback } from '../../nodes/CallVerification/api/callbackSeal';
import { readVendorId } from '../../nodes/CallVerification/api/vendorId';
import { sealToken } from '../../nodes/CallVerification/api/verificationToken';
import { resources } from '../../nodes/CallVerification/operations';
import { CallVerificationTrigger } from '../../harness/engine/builtPackage';
import { EVENT, postToTrigger, queryOf, WaitingExecution } from './inbound';
import { runNode, SECRET_KEY } from '../../harness/engine/n8nCore';
import { service } from './service';

/** The editor offers these fields before the first run, so they must be the ones that come out. */
const NODES = join(__dirname, '..', '..', 'nodes', 'CallVerification');
const FOLDER = join(NODES, '__schema__', 'v1.0.0');

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
	items?: Schema;
	version?: number;
}

const readSchema = (file: string): Schema => JSON.parse(readFileSync(file, 'utf8')) as Schema;

function schemaOf(value: unknown): Schema {
	if (value === null) return { type: 'null' };
	if (Array.isArray(value)) return { type: 'array', items: schemaOf(value[0]) };
	if (typeof value !== 'object') return { type: typeof value };
	return {
		type: 'object',
		properties: Object.fromEntries(
			Object.entries(value).map(([key, inner]) => [key, schemaOf(inner)]),
		),
	};
}

const PHONE_INFO = { operator: 'A', region: 'B', mnp: 'C' };
const CALL = {
	status: true,
	vendor_id: 1,
	init_time: 1,
	call_status: 1,
	unique: 'u',
	client: 'c',
	phone: '7***',
	code: '0042',
	country_code: 'RU',
	phone_info: PHONE_INFO,
	cost: 0.4,
	balance: 1,
};
const START = {
	status: true,
	vendor_id: 1,
	phone: '7***',
	code: '0042',
	client: 'c',
	unique_request_id: 'u',
	exists: false,
};
const CHECK = {
	source: '+7 900',
	error: 'Invalid',
	mobile: 1,
	phone: 79,
	country_iso: 'RU',
	country_code: 7,
	mnc: 1,
	number: 9,
	provider: 'A',
	company: 'A',
	country: 'Russia',
	region: 'B',
	city: 'C',
	phone_format: '8 900',
	cost: 0.1,
	balance: 1,
};

/** Every field that the contract names comes back, and the operation as the editor first shows it. */
const OUTPUTS: Array<[operation: string, answer: object, parameters: INodeParameters]> = [
	[
		'account/get',
		{ id: 1, telegram_id: 2, two_auth: true, email: 'e', logs: [], updated: 1, created: 1 },
		{},
	],
	['account/getBalance', { status: true, rub_balance: 1, tariff: 't', tariff_name: 'T' }, {}],
	['call/get', CALL, { uid: 1 }],
	['call/repeat', { ...START, free_repeated: true }, { uid: 1 }],
	['call/start', START, { phone: '79000000001' }],
	[
		'inboundCall/start',
		{ status: true, vendor_id: 1, phone: '7***', confirmation_number: '78' },
		{ phone: '79000000001', callbackTarget: 'execution' },
	],
	['phoneNumber/check', CHECK, { phone: '+7 900' }],
	[
		'service/get',
		{
			status: true,
			service_status: 1,
			name: 'n',
			creation_time: 1,
			last_request: 1,
			owner: 'o',
			use_direction: 'u',
		},
		{},
	],
];

const WITH_INPUT = OUTPUTS.filter(([name]) =>
	['call/checkCode', 'call/get', 'call/start', 'inboundCall/start', 'phoneNumber/check'].includes(
		name,
	),
);

const matches = (name: string, output: IDataObject | undefined) =>
	matchesFile(join(FOLDER, `${name}.json`), output);

const matchesFile = (file: string, output: IDataObject | undefined) => {
	const { version, ...schema } = readSchema(file);
	expect(version).toBe(1);
	expect(schemaOf(output)).toEqual(schema);
};

describe('the output schema', () => {
	it.each(OUTPUTS)('of %s is what comes out', async (name, answer, parameters) => {
		service({ body: answer });
		const [resource, operation] = name.split('/');
		const { success } = await runNode({
			parameters: { resource: resource ?? '', operation: operation ?? '', ...parameters },
		});
		matches(name, success[0]?.json);
	});

	it.each(WITH_INPUT)(
		'of %s is what comes out beside the input fields',
		async (name, answer, parameters) => {
			service({ body: answer });
			const [resource, operation] = name.split('/');
			const { success } = await runNode({
				parameters: {
					resource: resource ?? '',
					operation: operation ?? '',
					...parameters,
					options: { includeInputFields: true },
				},
				items: [{ e_mail: 'ann@example.com' }],
			});
			const { e_mail, ...result } = success[0]?.json ?? {};
			expect(e_mail).toBe('ann@example.com');
			matches(name, result);
		},
	);

	it('of call/checkCode is what comes out, for a right code and for a wrong one', async () => {
		service({ body: CALL });
		const token = sealToken(
			{
				uid: readVendorId(1),
				phone: '79000000001',
				expiresAt: Math.floor(Date.now() / 1_000) + 60,
			},
			SECRET_KEY,
			randomBytes,
		);
		const check = async (code: string) => {
			const parameters = { resource: 'call', operation: 'checkCode', uid: token ?? '', code };
			const { success } = await runNode({
				parameters: { ...parameters, options: { validFor: 0 } },
			});
			return success[0]?.json ?? {};
		};
		const [wrong, right] = [await check('0043'), await check('0042')];
		expect(Object.keys(wrong)).toEqual(Object.keys(right));
		matches('call/checkCode', { ...right, reason: wrong.reason });
	});

	it.each([' ', '7.9E+10'])('of phoneNumber/check is what comes out for %j, too', async (phone) => {
		const { success } = await runNode({
			parameters: { resource: 'phoneNumber', operation: 'check', phone },
		});
		matches('phoneNumber/check', success[0]?.json);
	});

	const query = queryOf(
		sealCallback(
			'https://n8n.test/x',
			{
				phone: EVENT.clientNumber,
				expiresAt: Math.floor(Date.now() / 1_000) + 60,
				reference: 'r',
				nonce: 'A'.repeat(22),
			},
			SECRET_KEY,
		),
	);

	it('of inboundCall/wait is what comes out, apart from the fields of the item itself', async () => {
		const execution = await WaitingExecution.start(
			{
				resource: 'inboundCall',
				operation: 'wait',
				uid: EVENT.callId,
				phone: EVENT.clientNumber,
				limitWaitTime: 1,
			},
			{},
		);
		const { items } = await execution.post({ body: EVENT, query });
		matches('inboundCall/wait', items?.[0]);
	});

	it('of the trigger is what comes out, and where n8n looks for it', async () => {
		const version = Number(new CallVerificationTrigger().description.version);
		const file = resolveOutputSchemaPath({ nodeDir: NODES, version });
		const { items } = await postToTrigger({}, { body: { ...EVENT, callId: '42' }, query });
		matchesFile(file ?? '', items?.[0]);
	});

	it('is there for every operation, and for nothing else', () => {
		const operations = resources.flatMap(({ value, operations: ofResource }) =>
			ofResource.map((operation) => `${value}/${operation.value}.json`),
		);
		const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
			file.endsWith('.json'),
		);
		expect(files.sort()).toEqual(operations.sort());
	});
});
