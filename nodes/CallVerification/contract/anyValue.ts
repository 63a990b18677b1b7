import { z } from 'zod';

/** Optional, because zod 4 would refuse a missing key before a transform could say what is wrong. */
export const anyValue = z.unknown().optional();
