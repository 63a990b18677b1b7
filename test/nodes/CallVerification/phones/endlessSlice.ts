import { TimeSlice } from '../../../../nodes/CallVerification/pacing/time';

/** For work that takes no time, and so must never pause. */
export const endlessSlice = new TimeSlice({
	now: () => 0,
	sleep: async () => await Promise.reject(new Error('A pause, although no time has passed')),
});

/** How often work pauses if each of its steps takes as long as a slice. */
export async function pausesIn(work: (slice: TimeSlice) => Promise<unknown>): Promise<number> {
	let [now, pauses] = [0, 0];
	const slice = new TimeSlice({
		now: () => (now += 1_000),
		sleep: async () => {
			pauses += 1;
		},
	});
	await work(slice);
	return pauses;
}
