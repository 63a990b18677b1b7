import { Agent } from 'undici';

/**
 * A new connection for each request. A busy n8n may close an open one just as the next request is sent on it, and then
 * nobody can tell whether the request has arrived. Accepts any certificate, because all of this is on loopback.
 */
export const freshConnections = new Agent({
	pipelining: 0,
	connect: { rejectUnauthorized: false },
});
