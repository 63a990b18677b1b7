import { z } from 'zod';
import { MOMENT_MS } from '../../nodes/CallVerification/operations/call/start';
import { codeBlocks } from './docs/pages';
import { read } from './project';

/**
 * What somebody waits for whom no call reaches, added up and not timed: a test cannot tell a slow example from a slow
 * machine. What people do themselves comes on top.
 */

const TWO_MINUTES = 120;
/** For a call by another delivery, which the service refuses at first. */
const MOMENT = MOMENT_MS / 1_000;

const workflow = z.object({
	nodes: z.array(
		z.object({ name: z.string(), type: z.string(), parameters: z.record(z.unknown()) }),
	),
});

/** The nodes of an example that wait for a time, with their times. */
function waits(example: string): Map<string, string> {
	const { nodes } = workflow.parse(JSON.parse(read(`examples/${example}.json`)));
	const timed = nodes.filter(
		({ type, parameters }) =>
			type === 'n8n-nodes-base.wait' && parameters.resume === 'timeInterval',
	);
	return new Map(timed.map(({ name, parameters }) => [name, String(parameters.amount)]));
}

/** At most: what has passed before is subtracted. */
const longest = (amount = '') => secondsIn(amount, /^=\{\{ Math\.max\(0, (\d+) - .+\}\}$/);

function secondsIn(text: string, pattern: RegExp): number {
	const [, seconds] = pattern.exec(text) ?? [];
	if (seconds === undefined) throw new Error(`There is no ${String(pattern)} in: ${text}`);
	return Number(seconds);
}

/** n8n's pages ask for the next one after a second, and then at intervals that grow by a tenth. */
function shownAfter(seconds: number): number {
	let [interval, now] = [1, 1];
	while (now < seconds) {
		interval *= 1.1;
		now += interval;
	}
	return now;
}

const sum = (seconds: readonly number[]) => seconds.reduce((total, each) => total + each, 0);

describe('somebody whom no call reaches waits less than two minutes in all', () => {
	it('in the form that calls first', () => {
		const [[name, amount] = [], ...others] = waits('call-and-check-code');
		expect([name, others]).toEqual(['Pause', []]);
		const [called, spoken, number, thanked] = [0, longest(amount) + MOMENT, 0, 0];
		expect(sum([called, spoken, number, thanked].map(shownAfter))).toBeLessThan(TWO_MINUTES);
	});

	it('in the form that shows a number first', () => {
		expect(waits('verify-by-inbound-call')).toEqual(new Map());
		const [number, called, numberAgain, thanked] = [0, 0, 0, 0];
		expect(sum([number, called, numberAgain, thanked].map(shownAfter))).toBeLessThan(TWO_MINUTES);
	});

	it('on the login page', () => {
		const page = codeBlocks
			.filter(({ page, language }) => page === 'docs/login-page.md' && language === 'html')
			.map(({ code }) => code)
			.join('');
		const rings = secondsIn(page, /const SECONDS_TO_RING = (\d+);/);
		const asks = secondsIn(page, /post\('\/login\/status'[^]+?await pause\((\d+)\);/);
		const answers = longest(waits('login-api').get('Same Time for All'));
		const [called, spoken] = [answers + rings, MOMENT + answers + rings];
		expect(sum([called, spoken, asks])).toBeLessThan(TWO_MINUTES);
	});
});
