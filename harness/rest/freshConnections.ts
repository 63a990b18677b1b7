import { Agent } from 'undici';

/**
 * A connection for each request. A kept one may be closed by a busy n8n in the very moment in which the next request
 * is sent on it, and nobody can tell then whether that has arrived. Any certificate will do: all of this is loopback.
 */
export const freshConnections = new Agent({
	pipelining: 0,
	connect: { rejectUnauthorized: false },
});
