import { median, percentile } from '../percentile';
import { postAll } from '../../harness/workflows/sendEvents';
import { type EventContender, publishEventContenders } from './eventContenders';
import type { EventStage } from './eventStages';
import { failures, untilAllEnded } from './openExecutions';
import { cpuSeconds } from './processFigures';
import type {
	Comparison,
	EventContenderName,
	EventFigures,
	Events,
	EventStanding,
} from './results';

const AT_ONCE = 16;
const LIMIT = 300_000;

export interface EventRounds {
	readonly rounds: number;
	/** For each contender in each round. */
	readonly events: number;
}

interface Round extends EventFigures {
	readonly refused: number;
}

/** All contenders in turn, round by round, so that anything else the machine does affects all of them alike. */
export async function measureEvents(
	stage: EventStage,
	{ rounds, events }: EventRounds,
): Promise<Omit<Events, 'mode' | 'engine'>> {
	const contenders = await publishEventContenders(stage.client, stage.urls);
	// Code that has not run before is slow, and an n8n in production has run it.
	for (const contender of contenders) await playRound(stage, contender, events);

	const played = new Map<EventContenderName, Round[]>(contenders.map(({ name }) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
			played.get(contender.name)?.push(await playRound(stage, contender, events));
		}
	}
	const roundsOf = (name: EventContenderName) => played.get(name) ?? [];
	const failed = new Map<EventContenderName, number>();
	for (const { name, workflowId } of contenders) {
		failed.set(name, await failures(stage.client, workflowId));
	}
	const standing = (name: EventContenderName): EventStanding => ({
		...middle(roundsOf(name)),
		lost: roundsOf(name).reduce((sum, { refused }) => sum + refused, failed.get(name) ?? 0),
	});
	const against = (ours: EventContenderName, theirs: EventContenderName): Comparison => ({
		...standing(ours),
		theirs: standing(theirs),
		speedRatio: middleRatio(roundsOf(ours), roundsOf(theirs), 'perSecond'),
		cpuRatio: middleRatio(roundsOf(ours), roundsOf(theirs), 'cpuMsPerEvent'),
	});
	return {
		rounds,
		eventsPerRound: events,
		atOnce: AT_ONCE,
		sealed: against('sealed', 'webhookWithHeader'),
		unsealed: against('unsealed', 'webhook'),
	};
}

/** Ends with the last execution, not with the response to the last event. */
async function playRound(
	stage: EventStage,
	{ workflowId, nextEvent }: EventContender,
	events: number,
): Promise<Round> {
	const posts = Array.from({ length: events }, nextEvent);
	const cpuBefore = cpuSeconds(stage.groups);
	const started = performance.now();
	const answers = await postAll(posts, AT_ONCE);
	await untilAllEnded(stage.client, workflowId, LIMIT);
	const seconds = (performance.now() - started) / 1000;
	const waits = answers.map(({ milliseconds }) => milliseconds);
	const refused = answers.filter(({ status }) => status !== 200);
	refused.forEach(({ status, text }) => console.error(`Response ${status ?? 'missing'}: ${text}`));
	return {
		perSecond: events / seconds,
		p50Ms: percentile(waits, 0.5),
		p95Ms: percentile(waits, 0.95),
		cpuMsPerEvent: ((cpuSeconds(stage.groups) - cpuBefore) * 1000) / events,
		refused: refused.length,
	};
}

function middle(rounds: readonly Round[]): EventFigures {
	const of = (figure: keyof EventFigures) => median(rounds.map((round) => round[figure]));
	return {
		perSecond: of('perSecond'),
		p50Ms: of('p50Ms'),
		p95Ms: of('p95Ms'),
		cpuMsPerEvent: of('cpuMsPerEvent'),
	};
}

/** Ratios are per round. */
function middleRatio(
	ours: readonly Round[],
	theirs: readonly Round[],
	figure: keyof EventFigures,
): number {
	return median(ours.map((round, index) => round[figure] / (theirs[index]?.[figure] ?? NaN)));
}
