import {
	type Admission,
	atMostInFlight,
	fixedWindow,
	type Quota,
	seededRandom,
	type ServiceOptions,
	slidingWindow,
	tokenBucket,
} from '../../../simulatedService';

/** A service in virtual time, and the shortest possible time for 64 at once that know its limits. */
export interface LimitedService {
	readonly name: string;
	readonly count: number;
	readonly floorSeconds: number;
	/** How many times as long ours may take. */
	readonly mostOverFloor: number;
	/** The share of our requests that may be refused. */
	readonly mostRefused?: number;
	readonly behaviour: (seed: number) => ServiceOptions;
}

const LATENCY_MS = 80;
const WIDEST = 64;
const MINUTE_MS = 60_000;
/** Spreads the seeds over the phases of a second. */
const PHASE_MS = 370;

/** Latency varies by a fifth either way, and refusals take as long as responses. Otherwise, all would run in step. */
function answering(seed: number, more: ServiceOptions = {}, latencyMs = LATENCY_MS) {
	const random = seededRandom(seed);
	return {
		latencyMs: () => latencyMs * (0.8 + 0.4 * random()),
		refusalMs: latencyMs,
		...more,
	};
}

const atOnce = (count: number, width: number): number =>
	(Math.ceil(count / width) * LATENCY_MS) / 1000;

const unlimited = (
	name: string,
	mostOverFloor: number,
	more: (random: () => number) => ServiceOptions,
): LimitedService => ({
	name,
	count: 1000,
	floorSeconds: atOnce(1000, WIDEST),
	mostOverFloor,
	behaviour: (seed) => answering(seed, more(seededRandom(seed + 1))),
});

const counting = (
	name: string,
	count: number,
	floorSeconds: number,
	mostOverFloor: number,
	admission: () => Admission,
	sendsRetryAfter = false,
): LimitedService => ({
	name: sendsRetryAfter ? `${name}, Retry-After` : name,
	count,
	floorSeconds: floorSeconds + LATENCY_MS / 1000,
	mostOverFloor,
	behaviour: (seed) => answering(seed, { admission: admission(), sendsRetryAfter }),
});

const perSecond = (most: number) => slidingWindow(most, 1000);
const perMinute = () => slidingWindow(600, MINUTE_MS);

/** 600 numbers at 100 per second, quick and slow. */
const hundred = (
	name: string,
	admission: (seed: number) => Admission,
	mostOverFloor: readonly [number, number, number],
): LimitedService[] =>
	[5, 20, LATENCY_MS].map((latencyMs, index) => ({
		name: `100 per second${name}, ${latencyMs} ms`,
		count: 600,
		floorSeconds: 5 + latencyMs / 1000,
		mostOverFloor: mostOverFloor[index] ?? 1,
		mostRefused: 0.08,
		behaviour: (seed) => answering(seed, { admission: admission(seed) }, latencyMs),
	}));

const concurrent = (most: number, mostOverFloor: number, sendsRetryAfter = false) => ({
	...counting(
		`${most} at once`,
		1000,
		0,
		mostOverFloor,
		() => atMostInFlight(most),
		sendsRetryAfter,
	),
	floorSeconds: atOnce(1000, most),
});

/** The limit changes after five seconds. */
const changing = (before: Admission, after: Admission): Admission => ({
	admits: (now, inFlight) => (now < 5000 ? before : after).admits(now, inFlight),
});

const stray = (percent: number, mostOverFloor: number): LimitedService =>
	unlimited(`a stray 429 in ${percent} % of answers`, mostOverFloor, (random) => ({
		admission: { admits: () => random() >= percent / 100 },
	}));

const failing = (percent: number, mostOverFloor: number): LimitedService =>
	unlimited(`a stray 503 in ${percent} % of answers`, mostOverFloor, (random) => ({
		fails: () => random() < percent / 100,
	}));

/** Services that say nothing about their limits. */
export const SILENT_SERVICES: readonly LimitedService[] = [
	unlimited('no limit', 1.16, () => ({})),
	...hundred('', () => perSecond(100), [1.3, 1.33, 1.25]),
	...hundred(
		' by the calendar',
		(seed) => fixedWindow(100, 1000, PHASE_MS * seed),
		[1.2, 1.22, 1.24],
	),
	...hundred(' and a bucket of 100', () => tokenBucket(100, 100), [1.15, 1.13, 1.13]),
	counting('100 per second and a bucket of 10', 600, 5.9, 1.25, () => tokenBucket(100, 10)),
	counting('50 per second', 600, 11, 1.15, () => perSecond(50)),
	counting('5 per second', 200, 39, 1.1, () => perSecond(5)),
	counting('1 in 2 seconds', 60, 118, 1.1, () => slidingWindow(1, 2000)),
	counting('600 per minute', 1500, 120, 1.1, perMinute),
	concurrent(1, 1.01),
	concurrent(16, 1.12),
	concurrent(20, 1.2),
	{
		name: 'slower beyond 32 at once',
		count: 1000,
		floorSeconds: atOnce(1000, 32),
		mostOverFloor: 1.35,
		behaviour: (seed) =>
			answering(seed, {
				latencyMs: (inFlight) => LATENCY_MS + 10 * Math.max(0, inFlight - 32),
			}),
	},
	stray(1, 1.6),
	stray(4, 2.2),
	stray(10, 7),
	stray(30, 17),
	failing(1, 1.7),
	failing(5, 2.6),
	failing(20, 11),
	counting('100 per second', 600, 5, 1.25, () => perSecond(100), true),
	counting('600 per minute', 1500, 120, 1.1, perMinute, true),
	concurrent(20, 1.4, true),
	counting('200, then 50 per second', 2000, 26, 1.25, () =>
		changing(perSecond(200), perSecond(50)),
	),
	counting('50, then 200 per second', 2000, 13.5, 1.75, () =>
		changing(perSecond(50), perSecond(200)),
	),
];

/** The wall time at which a simulation starts. */
const START_MS = Date.UTC(2030, 0, 1);

type Announce = (quota: Quota, now: number, random: () => number) => Record<string, unknown>;

type Said = Readonly<Partial<Record<'limit' | 'remaining', unknown>>>;

/** The reset has the name that is usual, and a unit that the name does not tell. */
const announced = ({ limit, remaining }: Said, reset = 1) => ({
	'x-rate-limit-limit': String(limit),
	'x-rate-limit-remaining': String(remaining),
	'x-rate-limit-reset': String(reset),
});

const shared = (admission: Admission, othersPerSecond: number): Admission => {
	let othersAt = 0;
	return {
		...admission,
		admits(now, inFlight) {
			for (; othersAt <= now; othersAt += 1000 / othersPerSecond) admission.admits(othersAt, 1);
			return admission.admits(now, inFlight);
		},
	};
};

/** Counts, but takes everything. */
const counted = (admission: Admission): Admission => ({
	...admission,
	admits: (now, inFlight) => admission.admits(now, inFlight) || true,
});

const announcing = (
	service: LimitedService,
	how: string,
	announces: Announce,
	bounds: Partial<LimitedService> = {},
): LimitedService => ({
	...service,
	name: `${service.name}, ${how}`,
	...bounds,
	behaviour: (seed) => {
		const random = seededRandom(seed + 2);
		const headers = (quota: Quota, now: number) => announces(quota, now, random);
		return { ...service.behaviour(seed), announces: headers };
	},
});

/** 300 numbers at 30 per second, whatever the service says. */
const thirty = (
	name = '30 per second',
	admission: (seed: number) => Admission = () => perSecond(30),
): LimitedService => ({
	...counting(name, 300, 9, 1.2, () => perSecond(30)),
	mostRefused: 0.13,
	behaviour: (seed) => answering(seed, { admission: admission(seed) }),
});

const NONSENSE = [
	{ limit: 'thirty', remaining: 'none' },
	{ limit: -30, remaining: -1 },
	{ limit: NaN, remaining: NaN },
	{ limit: 0, remaining: 0 },
	{ limit: 1e21, remaining: 1e21 },
	{ limit: 30, remaining: 31 },
	{ limit: '', remaining: '' },
	{ limit: '30 per second', remaining: '0 now' },
];

const TRUE: Partial<LimitedService> = { mostRefused: 0.02 };
const DAY = 10_000;

/** What services say about their limits: the truth, in all units of the reset, and every kind of error. */
export const ANNOUNCING_SERVICES: readonly LimitedService[] = [
	thirty(),
	announcing(
		thirty(),
		'announced',
		({ resetMs, ...quota }) => announced(quota, resetMs / 1000),
		TRUE,
	),
	announcing(
		thirty('30 per second by the calendar', (seed) => fixedWindow(30, 1000, PHASE_MS * seed)),
		'announced with a Unix time',
		({ resetMs, ...quota }, now) => announced(quota, Math.ceil((START_MS + now + resetMs) / 1000)),
		TRUE,
	),
	announcing(
		thirty('30 per second and a bucket of 30', () => tokenBucket(30, 30)),
		'announced with milliseconds',
		({ resetMs, ...quota }, now) => announced(quota, START_MS + now + resetMs),
		TRUE,
	),
	announcing(
		thirty('30 per second, half used by others', () => shared(perSecond(30), 15)),
		'announced',
		(quota) => announced(quota),
		{ floorSeconds: 19 + LATENCY_MS / 1000, mostRefused: 0.05 },
	),
	announcing(
		counting('600 per minute', 1500, 120, 1.1, perMinute),
		'announced',
		(quota) => announced(quota),
		TRUE,
	),
	announcing(thirty(), 'nonsense announced', (_quota, _now, random) =>
		announced(NONSENSE[Math.floor(random() * NONSENSE.length)] ?? {}),
	),
	announcing(thirty(), 'announced in one of three', (quota, _now, random) =>
		random() < 1 / 3 ? announced(quota) : {},
	),
	announcing(thirty(), 'announced in the first second', (quota, now) =>
		now < 1000 ? announced(quota) : {},
	),
	announcing(thirty(), '10,000 per day announced', (_quota, now) =>
		announced({ limit: DAY, remaining: DAY - Math.floor(now / 33) }, 86_400),
	),
	announcing(thirty(), 'a day used up announced', () =>
		announced({ limit: DAY, remaining: 0 }, 86_400),
	),
	announcing(thirty(), '1 announced', () => announced({ limit: 1, remaining: 0 })),
	announcing(thirty(), 'never less than 5 announced', ({ limit }) =>
		announced({ limit, remaining: 5 }),
	),
	announcing(thirty(), 'half announced', ({ limit, remaining }) =>
		announced({ limit: limit / 2, remaining: Math.max(0, remaining - limit / 2) }),
	),
	announcing(thirty(), 'twice announced', ({ limit, remaining }) =>
		announced({ limit: limit * 2, remaining: limit + remaining }),
	),
	announcing(thirty(), 'contradictions announced', (_quota, _now, random) => {
		const limit = Math.ceil(random() * 60);
		return announced({ limit, remaining: Math.floor(random() * limit) });
	}),
	announcing(
		unlimited('no limit', 1.45, () => ({ admission: counted(perSecond(30)) })),
		'30 per second announced',
		(quota) => announced(quota),
	),
];
