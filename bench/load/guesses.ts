import { LoginApi, reasonsOf, withinOneSlot, withReasons } from '../../harness/workflows/loginApi';
import { startEmulatedService } from '../../harness/emulatedService';
import { postAll } from '../../harness/rest/webhooks';
import { type Table } from '../table';
import { connect, type N8nProgram } from '../../harness';
import { ENGINES, inQueueMode, N8nInFolder } from './stages';

/** The example's values of Max Attempts and Cooldown per Number. */
const MOST_TRIES = 5;
const COOLDOWN_MINUTES = 1;

const FIRST_PHONE = 79_165_000_000;
const VICTIM = '79166000000';
const STARTS = 200;
const PHONES = 10;
const AT_ONCE = 24;

/** Nobody needs 20,000 saved executions afterwards. */
const SETTINGS = { ...ENGINES.onDemand, EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none' };

/** An n8n that receives the guesses. */
interface Target {
	readonly urls: readonly string[];
	/** Where the owner signs in. */
	readonly main: Parameters<typeof connect>[0];
	/** Replaces the processes that compare codes, and returns the URLs to continue with. */
	restart(): Promise<readonly string[]>;
}

interface Guesses {
	readonly mode: string;
	/** How many processes compare codes. */
	readonly processes: number;
	readonly starts: number;
	readonly mostCallsToAPhone: number;
	readonly guesses: number;
	readonly compared: number;
	readonly comparedAfterRestart: number;
	readonly unanswered: number;
	readonly seconds: number;
}

/** Tries every possible code against one call of the published login-api, half of them before a restart. */
export async function measureGuesses(
	program: N8nProgram,
	tarball: string,
	isQuick: boolean,
): Promise<Guesses[]> {
	const codes = Array.from({ length: isQuick ? 200 : 10_000 }, (_none, code) =>
		String(code).padStart(4, '0'),
	);
	// In parallel, because one process leaves a core idle, and the counts do not depend on speed.
	return await Promise.all([
		onOneProcess(program, tarball, codes),
		onWorkers(program, tarball, codes),
	]);
}

/** Which statements of docs/maintainers/security.md do not hold. */
export function brokenRules(found: readonly Guesses[]): string[] {
	return found.flatMap((guesses) => [
		...(guesses.mostCallsToAPhone !== 1 ? [`${guesses.mode}: a phone rang`] : []),
		...(guesses.compared > guesses.processes * MOST_TRIES ? [`${guesses.mode}: guesses`] : []),
		...(guesses.comparedAfterRestart > guesses.processes * MOST_TRIES
			? [`${guesses.mode}: guesses after a restart`]
			: []),
		...(guesses.unanswered > 0 ? [`${guesses.mode}: every guess is answered`] : []),
	]);
}

export function guessesTable(found: readonly Guesses[]): Table {
	return {
		title: 'Guessing at login-api',
		head: [
			'',
			'starts',
			'most calls to a phone',
			'guesses',
			'compared',
			'after a restart',
			'unanswered',
			'time',
		],
		rows: found.map((guesses) => [
			guesses.mode,
			String(guesses.starts),
			String(guesses.mostCallsToAPhone),
			String(guesses.guesses),
			String(guesses.compared),
			String(guesses.comparedAfterRestart),
			String(guesses.unanswered),
			`${guesses.seconds.toFixed(0)} s`,
		]),
	};
}

async function onOneProcess(program: N8nProgram, tarball: string, codes: readonly string[]) {
	console.log('Measuring: guesses, one process');
	const folder = await N8nInFolder.prepare(program, tarball);
	let n8n = await folder.start(SETTINGS);
	try {
		const target: Target = {
			urls: [n8n.url],
			main: n8n,
			restart: async () => {
				await n8n.stop();
				n8n = await folder.start(SETTINGS);
				return [n8n.url];
			},
		};
		return { mode: 'one process', processes: 1, ...(await attack(target, codes)) };
	} finally {
		await n8n.stop();
		folder.remove();
	}
}

async function onWorkers(program: N8nProgram, tarball: string, codes: readonly string[]) {
	console.log('Measuring: guesses, two workers');
	return await inQueueMode(program, tarball, SETTINGS, async (queueMode) => {
		const urls = queueMode.webhooks.map(({ url }) => url);
		const restart = async () => {
			await queueMode.restartWorkers();
			return urls;
		};
		const target: Target = { urls, main: queueMode.main, restart };
		return { mode: 'two workers', processes: 2, ...(await attack(target, codes)) };
	});
}

async function attack(target: Target, codes: readonly string[]) {
	const client = await connect(target.main);
	const { emulator, credential } = await startEmulatedService(client, { startingBalance: 1e6 });
	try {
		const api = await LoginApi.publish({
			client,
			credential,
			urls: target.urls,
			prefix: 'guesses',
			change: withReasons,
		});
		let first = FIRST_PHONE;
		await withinOneSlot(COOLDOWN_MINUTES, async () => {
			first += PHONES;
			const starts = Array.from({ length: STARTS }, (_none, index) =>
				api.post('start', { phone: String(first + (index % PHONES)) }, index),
			);
			await postAll(starts, STARTS);
		});
		const calls = emulator.ledger.calls.map(({ phone }) => Number(phone));
		const perPhone = Array.from(
			{ length: PHONES },
			(_none, index) => calls.filter((phone) => phone === first + index).length,
		);

		const token = await api.start(VICTIM);
		const half = codes.length / 2;
		const started = Date.now();
		const before = await guess(api, token, codes.slice(0, half));
		const seconds = (Date.now() - started) / 1_000;
		const after = await guess(api.at(await target.restart()), token, codes.slice(half));
		return {
			starts: STARTS,
			mostCallsToAPhone: Math.max(...perPhone),
			guesses: codes.length,
			compared: before.compared,
			comparedAfterRestart: after.compared,
			unanswered: before.unanswered + after.unanswered,
			seconds,
		};
	} finally {
		await emulator.close();
	}
}

async function guess(api: LoginApi, token: string, codes: readonly string[]) {
	const answers = await postAll(
		codes.map((code, index) => api.post('check', { verification_token: token, code }, index)),
		AT_ONCE,
	);
	const answered = answers.filter(({ status }) => status === 200 || status === 401);
	const { wrongCode = 0, verified = 0 } = reasonsOf(answered);
	return { compared: wrongCode + verified, unanswered: answers.length - answered.length };
}
