import {
	LoginApi,
	LONG_COOLDOWN_MINUTES,
	reasonsOf,
	tokenIn,
	withLongCooldown,
	withReasons,
} from '../../../harness/workflows/loginApi';
import { withinOneSlot } from '../../../harness/process/waitUntil';
import { shuffled } from '../../../harness/workflows/inboundEvents';
import { type Answer, postAll } from '../../../harness/rest/webhooks';
import { seed, type Stage } from '../stage';

const FIRST_PHONE = 79_164_000_000;
const PHONES = 15;
const STARTS = 200;
const GUESSES = 600;
const AFTER_RESTART = 75;
const AT_ONCE = 24;

/** Max Attempts in the example. */
const MOST_TRIES = 5;

/** How many codes were compared for a call: one whose answer was lost may have been. */
interface Compared {
	readonly least: number;
	readonly most: number;
}

const isLost = ({ status }: Answer) => status === undefined;

export async function guessesAreCounted({ client, queueMode, service }: Stage): Promise<void> {
	const { emulator, credential } = service;
	const api = await LoginApi.publish({
		client,
		credential,
		urls: queueMode.webhooks.map(({ url }) => url),
		prefix: 'guessed',
		change: (file) => withLongCooldown(withReasons(file)),
	});
	let nextPhone = FIRST_PHONE;
	const { phones, starts } = await withinOneSlot(LONG_COOLDOWN_MINUTES, async () => {
		const phones = Array.from({ length: PHONES }, () => String(nextPhone++));
		const posts = Array.from({ length: STARTS }, (_none, index) =>
			api.post('start', { phone: phones[index % PHONES] }, index),
		);
		return { phones, starts: await postAll(posts, AT_ONCE) };
	});
	const made = emulator.ledger.calls
		.map(({ phone }) => phone)
		.filter((phone) => phones.includes(phone));
	const tokens = phones.map((_phone, owner) => {
		const answer = starts.find((start, index) => index % PHONES === owner && !isLost(start));
		return tokenIn(answer?.text ?? 'no answer to any start');
	});
	const codes = new Set(emulator.ledger.calls.map(({ code }) => code));
	const random = seed.randomOf(7);

	const before = await guess(GUESSES);
	await queueMode.restartWorkers();
	const after = await guess(AFTER_RESTART);
	seed.report('Guesses', {
		starts: `${STARTS} to ${PHONES} phones, ${made.length} calls`,
		guesses: GUESSES,
		'compared per call': inWords(before),
		'after a restart of the workers, more': inWords(after),
	});

	expect(new Set(answered(starts).map(({ status }) => status))).toEqual(new Set([200]));
	expect(made.sort()).toEqual(phones);
	expect(Math.min(...before.map(({ most }) => most))).toBeGreaterThanOrEqual(MOST_TRIES);
	for (const { least } of [...before, ...after]) {
		expect(least).toBeLessThanOrEqual(queueMode.workers.length * MOST_TRIES);
	}

	/** Sends wrong codes for all calls in random order; returns how many were compared for each call. */
	async function guess(count: number): Promise<Compared[]> {
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
		const known = answered(answers);
		return tokens.map((_token, call) => {
			const ofCall = (answer: Answer) => guesses[answers.indexOf(answer)]?.call === call;
			const least = reasonsOf(known.filter(ofCall)).wrongCode ?? 0;
			const lost = answers.filter((answer) => isLost(answer) && ofCall(answer)).length;
			return { least, most: least + lost };
		});
	}

	function wrongCode(index: number): string {
		const code = String(1_000 + index);
		return codes.has(code) ? '0' : code;
	}
}

/** n8n never sends the answer of a webhook if the job has ended before n8n begins to listen for its end. It seldom does. */
function answered(answers: readonly Answer[]): Answer[] {
	const known = answers.filter((answer) => !isLost(answer));
	// Otherwise, what was counted would say little.
	expect(known.length).toBeGreaterThan(answers.length / 2);
	return known;
}

function inWords(calls: readonly Compared[]): string {
	const texts = calls.map(({ least, most }) => (least === most ? `${least}` : `${least}–${most}`));
	return texts.sort().join(' ');
}
