import { Breather } from '../../../../nodes/CallVerification/runtime/breather';

/** For work that takes no time. */
export const noBreath = new Breather({ now: () => 0, sleep: async () => {} });
