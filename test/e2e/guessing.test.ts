import { callWebhook, connect, type N8nClient, productionUrl } from '../../harness';
import { chain, webhook } from '../../harness/sampleWorkflow';
import { instances } from './instances';
import { actionNode, type OperationParameters } from '../../harness/workflows/nodeRunner';
import {
	type EmulatedService,
	startEmulatedService,
} from '../../harness/workflows/emulatedService';

interface Answer {
	readonly matched?: boolean;
	readonly reason?: string | null;
	readonly attempts_left?: number;
	readonly verification_token?: string;
	readonly verified_phone?: string | null;
}

const START = { resource: 'call', operation: 'start', phone: '={{ $json.body.phone }}' };
const CHECK = {
	resource: 'call',
	operation: 'checkCode',
	uid: '={{ $json.body.uid }}',
	code: '={{ $json.body.code }}',
};

let paths = 0;

describe.each(instances)(
	'guessing codes at a published webhook of n8n $version',
	({ line, url }) => {
		let client: N8nClient;
		let service: EmulatedService;

		beforeAll(async () => {
			client = await connect({ line, url });
			service = await startEmulatedService(client, { leftOutIfEmpty: [] });
		});

		afterAll(async () => {
			await service.emulator.close();
		});

		test('compares five codes and no more, not even the right one', async () => {
			const start = await publish({ ...START, options: { code: '9999', hideCode: true } });
			const check = await publish({ ...CHECK, options: { requireToken: true } });
			const started = await start({ phone: '79161234567' });
			const { verification_token: uid = '', ...shown } = started;
			expect(JSON.stringify(shown)).not.toContain('9999');

			const guesses = Array.from({ length: 40 }, (_none, index) => String(1_000 + index));
			const answers = await Promise.all(guesses.map(async (code) => await check({ uid, code })));
			const asked = service.emulator.ledger.requests.filter(({ method }) => method === 'getInfo');
			expect(asked).toHaveLength(40);
			expect(answers.filter(({ reason }) => reason === 'wrongCode')).toHaveLength(5);
			expect(answers.filter(({ reason }) => reason === 'tooManyAttempts')).toHaveLength(35);
			expect(await check({ uid, code: '9999' })).toMatchObject({
				matched: false,
				reason: 'tooManyAttempts',
				verified_phone: null,
			});

			// Another node in the same process knows about these attempts too.
			const other = await publish(CHECK);
			expect(await other({ uid, code: '9999' })).toMatchObject({ reason: 'tooManyAttempts' });
		});

		test('uses a code up, and names the number that was verified', async () => {
			const start = await publish({ ...START, options: { code: '0042' } });
			const check = await publish(CHECK);
			const { verification_token: uid = '' } = await start({ phone: '+7 916 765-43-21' });
			expect(await check({ uid, code: '42' })).toMatchObject({ reason: 'wrongCode' });
			expect(await check({ uid, code: '0042' })).toMatchObject({
				matched: true,
				reason: null,
				attempts_left: 3,
				verified_phone: '79167654321',
			});
			expect(await check({ uid, code: '0042' })).toMatchObject({
				matched: false,
				reason: 'alreadyUsed',
			});
		});

		test('calls a number once in a slot of its cooldown', async () => {
			const start = await publish({ ...START, options: { cooldown: 44_640 } });
			const before = service.emulator.ledger.calls.length;
			const phone = '79160001122';
			expect(await start({ phone })).toMatchObject({ exists: false });
			expect(await start({ phone })).toMatchObject({ exists: true });
			expect(service.emulator.ledger.calls).toHaveLength(before + 1);
		});

		/** A separate workflow that responds with our node's output. */
		async function publish(parameters: OperationParameters) {
			const path = `guessing-${line.replace('.', '-')}-${++paths}`;
			const node = actionNode(service.credential, parameters);
			const { id } = await client.workflows.create(chain(path, webhook(path), node));
			await client.workflows.publish(id);
			const address = productionUrl(url, path);
			return async (body: object): Promise<Answer> => {
				const { json, status } = await callWebhook(address, { body });
				expect(status).toBe(200);
				return json as Answer;
			};
		}
	},
);
