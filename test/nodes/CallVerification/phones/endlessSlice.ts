import { TimeSlice } from '../../../../nodes/CallVerification/pacing/time';

/** For work that takes no time. */
export const endlessSlice = new TimeSlice({ now: () => 0, sleep: async () => {} });
