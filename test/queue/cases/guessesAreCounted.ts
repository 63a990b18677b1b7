import { LoginApi, reasonsOf, withReasons } from '../../../harness/workflows/loginApi';
import { withLongCooldown } from '../../../harness/workflows/longCooldown';
import { shuffled } from '../../../harness/workflows/inboundEvents';
import { postAll } from '../../../harness/workflows/sendEvents';
import { seed, type Stage } from '../stage';

const FIRST_PHONE = 79_164_000_000;
const PHONES = 15;
const STARTS = 200;
const GUESSES = 600;
const AFTER_RESTART = 75;
const AT_ONCE = 24;

/** Max Attempts in the example. */
const MOST_TRIES = 5;
const WORKERS = 2;

export async function guessesAreCounted({ client, queueMode, service }: Stage): Promise<void> {
	const { emulator, credential } = service;
	const api = await LoginApi.publish({
		client,
		credential,
		urls: queueMode.webhooks.map(({ url }) => url),
		prefix: 'guessed',
		change: (file) => withLongCooldown(withReasons(file)),
	});
	const phones = Array.from({ length: PHONES }, (_none, index) => String(FIRST_PHONE + index));
	const starts = await postAll(
		Array.from({ length: STARTS }, (_none, index) =>
			api.post('start', { phone: phones[index % PHONES] }, index),
		),
		AT_ONCE,
	);
	const made = emulator.ledger.calls
		.map(({ phone }) => phone)
		.filter((phone) => phones.includes(phone));
	const tokens = await Promise.all(phones.map(async (phone) => await api.start(phone)));
	const codes = new Set(emulator.ledger.calls.map(({ code }) => code));
	const random = seed.randomOf(7);

	const before = await guess(GUESSES);
	await queueMode.restartWorkers();
	const after = await guess(AFTER_RESTART);
	seed.report('Guesses', {
		starts: `${STARTS} to ${PHONES} phones, ${made.length} calls`,
		guesses: GUESSES,
		'compared per call': [...before].sort().join(' '),
		'after a restart of the workers, more': [...after].sort().join(' '),
	});

	expect(new Set(starts.map(({ status }) => status))).toEqual(new Set([200]));
	expect(made.sort()).toEqual(phones);
	expect(Math.min(...before)).toBeGreaterThanOrEqual(MOST_TRIES);
	expect(Math.max(...before)).toBeLessThanOrEqual(WORKERS * MOST_TRIES);
	expect(Math.max(...after)).toBeLessThanOrEqual(WORKERS * MOST_TRIES);

	/** Sends wrong codes for all calls in random order; returns how many were compared for each call. */
	async function guess(count: number): Promise<number[]> {
		const guesses = shuffled(
			Array.from({ length: count }, (_none, index) => ({
				call: index % PHONES,
				code: wrongCode(index),
			})),
			random,
		);
		const answers = await postAll(
			guesses.map(({ call, code }, index) =>
				api.post('check', { verification_token: tokens[call], code }, index),
			),
			AT_ONCE,
		);
		return tokens.map((_token, call) => {
			const own = answers.filter((_answer, index) => guesses[index]?.call === call);
			return reasonsOf(own).wrongCode ?? 0;
		});
	}

	function wrongCode(index: number): string {
		const code = String(1_000 + index);
		return codes.has(code) ? '0' : code;
	}
}
