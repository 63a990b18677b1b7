/** What the client gets: an HTTP response, or the end of the connection. */
export type WireAnswer =
	| {
			kind: 'http';
			status: number;
			contentType: string | undefined;
			headers: Record<string, string>;
			payload: string;
	  }
	| { kind: 'reset' };

export function withHeaders(answer: WireAnswer, headers: Record<string, string>): WireAnswer {
	if (answer.kind === 'reset') return answer;
	return { ...answer, headers: { ...headers, ...answer.headers } };
}

export function jsonAnswer(
	status: number,
	body: unknown,
	headers: Record<string, string> = {},
): WireAnswer {
	return {
		kind: 'http',
		status,
		contentType: 'application/json; charset=utf-8',
		headers,
		payload: JSON.stringify(body),
	};
}
