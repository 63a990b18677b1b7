import { Breather } from '../../../../nodes/CallVerification/pacing/pool';

/** For work that takes no time. */
export const noBreath = new Breather({ now: () => 0, sleep: async () => {} });
