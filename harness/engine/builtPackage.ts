import { createRequire } from 'node:module';

/** Users get `dist`, so that is what runs here. It has no types, so those of the sources are used. */
const load = createRequire(__filename);

export const { CallVerification } = load(
	'../../dist/nodes/CallVerification/CallVerification.node',
) as typeof import('../../nodes/CallVerification/CallVerification.node');

export const { CallVerificationApi } = load(
	'../../dist/credentials/CallVerificationApi.credentials',
) as typeof import('../../credentials/CallVerificationApi.credentials');

export const { CallVerificationTrigger } = load(
	'../../dist/nodes/CallVerification/CallVerificationTrigger.node',
) as typeof import('../../nodes/CallVerification/CallVerificationTrigger.node');

export const { runItems } = load(
	'../../dist/nodes/CallVerification/run/runItems',
) as typeof import('../../nodes/CallVerification/run/runItems');

export const { resources } = load(
	'../../dist/nodes/CallVerification/operations',
) as typeof import('../../nodes/CallVerification/operations');

export const { Remaining } = load(
	'../../dist/nodes/CallVerification/pacing/quota',
) as typeof import('../../nodes/CallVerification/pacing/quota');
