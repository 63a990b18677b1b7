/** What users get is `dist`, so that is what runs here; the types are those of the sources. */

/* eslint-disable-next-line @typescript-eslint/no-require-imports -- dist carries no types */
export const { CallVerification } =
	require('../../dist/nodes/CallVerification/CallVerification.node') as typeof import('../../nodes/CallVerification/CallVerification.node');

/* eslint-disable-next-line @typescript-eslint/no-require-imports -- dist carries no types */
export const { CallVerificationApi } =
	require('../../dist/credentials/CallVerificationApi.credentials') as typeof import('../../credentials/CallVerificationApi.credentials');
