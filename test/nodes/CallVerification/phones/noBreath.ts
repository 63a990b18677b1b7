import { Breather } from '../../../../nodes/CallVerification/pacing/breather';

/** For work that takes no time. */
export const noBreath = new Breather({ now: () => 0, sleep: async () => {} });
