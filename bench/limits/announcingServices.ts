import { seededRandom } from '../../harness/simulation/seededRandom';
import {
	type Admission,
	fixedWindow,
	type Quota,
	tokenBucket,
} from '../../harness/simulation/simulatedService';
import {
	answering,
	counting,
	LATENCY_MS,
	type LimitedService,
	perMinute,
	perSecond,
	PHASE_MS,
	unlimited,
} from './silentServices';

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
