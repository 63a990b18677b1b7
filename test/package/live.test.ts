import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

import { type Emulator, startEmulator } from '../../emulator/emulator';
import type { EmulatorOptions } from '../../emulator/played/services';
import { ucaller } from '../../emulator/played/ucaller';
import { freePorts } from '../../harness';
import { getInfo } from '../../nodes/CallVerification/contract/methods';
import { startCallbackServer } from '../../scripts/live/callbackServer';
import { type LiveRun, liveTest } from '../../scripts/live/liveTest';
import { differencesOf } from '../../scripts/live/inquiry';
import { ROOT } from './project';

const PHONE = '79161234567';
const running: Array<{ close(): unknown }> = [];

afterEach(async () => {
	for (const one of running.splice(0)) await one.close();
});

async function emulated(settings: EmulatorOptions = {}): Promise<Emulator> {
	const emulator = await startEmulator({ as: 'ucaller', ...settings });
	running.push(emulator);
	return emulator;
}

/** Somebody who says yes to everything, types the code of each call, and calls when asked to. */
async function withPerson(emulator: Emulator, changed: Partial<LiveRun> = {}) {
	const said: string[] = [];
	let now = Date.now();
	const [port = 0] = await freePorts(1);
	const server = await startCallbackServer(`http://127.0.0.1:${port}/`, port);
	running.push(server);
	const { url: baseUrl, secretKey, serviceId } = emulator;
	const { findings, spent } = await liveTest({
		account: { baseUrl, secretKey, serviceId },
		phone: PHONE,
		say: (line) => said.push(line),
		confirm: async (question) => said.push(question) > 0,
		ask: async () => emulator.ledger.calls.at(-1)?.code ?? '',
		sleep: async (ms) => emulator.setNow((now += ms)),
		callback: {
			url: server.url,
			event: async () => {
				await emulator.callFrom(PHONE);
				return await server.event();
			},
		},
		...changed,
	});
	const differing = findings
		.filter(({ agrees }) => !agrees)
		.map(({ step, expected, seen }) => `${step}: ${expected}: ${seen}`);
	return { findings, differing, spent, said };
}

const sentTo = (emulator: Emulator) => emulator.ledger.requests.map(({ method }) => method);

describe('npm run live', () => {
	it('finds no difference in a service that answers as published, and says what was spent', async () => {
		const emulator = await emulated();
		const { differing, findings, spent } = await withPerson(emulator);
		expect(differing).toEqual([]);
		expect([...new Set(findings.map(({ step }) => step))]).toEqual([
			'balance',
			'key in the header',
			'key in the body',
			'key in the query',
			'wrong key',
			'unknown call',
			'service',
			'account',
			'phone sent as text',
			'test number that answers',
			'idempotency key sent again',
			'free repeat',
			'test number that never answers',
			'test numbers',
			'check',
			'check of 123',
			'missed call',
			'spoken code',
			'spoken code and missed call',
			'inbound call',
			'event',
		]);
		// A check, a call, a spoken one and both.
		expect(spent).toBeCloseTo(0.05 + 0.4 + 0.9 + 1.2, 4);
	});

	it('names every difference: in names, types, codes and prices', async () => {
		const emulator = await emulated({
			as: 'contract',
			costShape: 'boolean',
			inboundInGetInfo: true,
			eventNumber: 'plus',
		});
		const { differing } = await withPerson(emulator);
		expect(differing).toEqual(
			expect.arrayContaining([
				'key in the header: 30 requests a second announced: undefined',
				'wrong key: by HTTP status 200: HTTP status 401',
				'unknown call: refused with code 10: code 404',
				'missed call: the ID is called ucaller_id: no',
				'missed call: phone is masked as 7900***0001: no',
				'missed call: phone_info is a list: no',
				'missed call: the cost is what was charged: cost is null, 0.4 was charged',
				'test number that never answers: status is false, without an error: no',
				'event: clientNumber is as it was sent: no',
			]),
		);
	});

	it('goes on after an answer that cannot be read, and shows neither key, number nor code', async () => {
		const emulator = await emulated({
			fieldNames: { ...ucaller.fieldNames, tariff_name: PHONE },
			faults: [
				{ kind: 'html', status: 200, method: 'getAccount', times: 1 },
				{ kind: 'resetBeforeProcessing', method: 'getService', times: 1 },
				{
					kind: 'errorCode',
					method: 'checkPhone',
					code: 3,
					message: `emulator-secret-key ${PHONE}`,
				},
			],
		});
		const { differing, findings, said } = await withPerson(emulator);
		expect(differing).toEqual([
			'balance: the fields of the contract, with their types: tariff_name is missing; •••67 is not in the contract',
			'service: an answer to getService: The connection to the verification service was lost',
			'account: getAccount can be read by the package: Unexpected response from the verification service',
			'check: checkPhone can be read by the package: The verification service refused the request: ••• •••67 (code 3)',
			'check of 123: an error in the record: fields: status, error, code',
			'check of 123: the cost is what was charged: cost is undefined, 0 was charged',
		]);
		const shown = JSON.stringify([findings, said]);
		expect(shown).not.toContain('emulator-secret-key');
		expect(shown).not.toContain(PHONE);
		for (const { code } of emulator.ledger.calls) expect(shown).not.toContain(`"${code}"`);
	});

	it('says that no call came, or another code', async () => {
		const typed = ['', '0000', '0000'];
		const { differing } = await withPerson(await emulated(), {
			ask: async () => typed.shift() ?? '',
		});
		expect(differing).toEqual([
			'missed call: the phone rings, with the code: no call came',
			'spoken code: the phone rings, with the code: other digits were typed',
			'spoken code and missed call: the phone rings, with the code: other digits were typed',
		]);
	});

	it('asks before every step that may cost something, with its cost, and leaves out what is declined', async () => {
		const emulator = await emulated();
		const questions: string[] = [];
		const { spent } = await withPerson(emulator, {
			confirm: async (question) => questions.push(question) === 0,
		});
		expect(questions).toHaveLength(7);
		expect(questions.filter((question) => !/\nCost: .+\. Go on\?/.test(question))).toEqual([]);
		expect(new Set(sentTo(emulator))).toEqual(
			new Set(['getBalance', 'getInfo', 'getService', 'getAccount']),
		);
		expect(spent).toBe(0);
	});

	it('ends if the key is refused', async () => {
		const emulator = await emulated();
		const { url: baseUrl, serviceId } = emulator;
		const { differing } = await withPerson(emulator, {
			account: { baseUrl, serviceId, secretKey: 'another-key' },
		});
		expect(differing).toEqual([
			expect.stringMatching(/^balance: getBalance can be read by the package: .*\(code 401\)$/),
		]);
		expect(sentTo(emulator)).toEqual(['getBalance']);
	});
});

describe('an answer', () => {
	it('differs by what is missing, by types and by names that nobody knows', () => {
		const body = {
			status: 'true',
			ucaller_id: 1,
			init_time: 1,
			call_status: -1,
			code: null,
			phone: '7916***4567',
			country_code: 'RU',
			phone_info: [{ operator: 'A', region: 7, mnp: '' }],
			cost: true,
			surprise: PHONE,
		};
		expect(differencesOf(body, getInfo.response.fields)).toEqual([
			'balance is missing',
			'status is string, not boolean',
			'phone_info.region is number, not string',
			'surprise is not in the contract',
		]);
		expect(differencesOf('<html>', getInfo.response.fields)).toEqual(['the answer is string']);
	});
});

describe('the command', () => {
	async function run(args: readonly string[], env: Record<string, string>, typed = '') {
		const child = spawn(
			process.execPath,
			['-r', './scripts/typescript.js', 'scripts/live.ts', ...args],
			{ cwd: ROOT, env: { ...process.env, ...env } },
		);
		child.stdin.end(typed);
		const [stdout, stderr, code] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			new Promise((resolve) => child.once('close', resolve)),
		]);
		return { stdout, stderr, code };
	}

	it('sends nothing in CI', async () => {
		const emulator = await emulated();
		const typed = `${emulator.serviceId}\n${emulator.secretKey}\n+${PHONE}\n`;
		const { stderr, code } = await run(['--base-url', emulator.url], { CI: 'true' }, typed);
		expect([code, stderr]).toEqual([
			1,
			'This test calls a real phone and costs money, so it does not run in CI.\n',
		]);
		expect(sentTo(emulator)).toEqual([]);
	});

	it('takes the end of its input for a no, and prints a table without the key', async () => {
		const emulator = await emulated();
		const typed = `${emulator.serviceId}\n${emulator.secretKey}\n+${PHONE}\n`;
		const { stdout, stderr, code } = await run(['--base-url', emulator.url], { CI: '' }, typed);
		expect([code, stderr]).toEqual([0, '']);
		expect(stdout).toMatch(/agrees .* wrong key .* refused with code 401 .*\n/);
		expect(stdout).toMatch(/\n\d+ agreed, 0 differed\.\nSpent: 0 roubles\.\n$/);
		expect(stdout).not.toContain(emulator.secretKey);
		expect(stdout).not.toContain(PHONE);
		expect(emulator.ledger.calls).toEqual([]);
	});

	it.each([
		[['--help'], '', /^Usage: npm run live -- .*never runs in CI/s],
		[['--callback-port', '80'], '', /^--callback-url and --callback-port belong together/],
		[['--base-url', 'api'], '', /^--base-url must be an address such as https:/],
		[[], '1001\n', /^The secret key is missing\. Nothing was sent\.$/m],
		[[], '1001\nkey\n900 000\n', /^The phone number has 6 digits .* Nothing was sent\.$/m],
	])('answers %j, and then %j, with what to do', async (args, typed, expected) => {
		const { stdout, stderr } = await run(args, { CI: '' }, typed);
		expect(args.includes('--help') ? stdout : stderr).toMatch(expected);
	});
});
