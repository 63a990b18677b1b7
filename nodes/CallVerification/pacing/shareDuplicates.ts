export interface Shared<T> {
	answer: Promise<T>;
	/** False for the first, true for those that share its result. */
	isDuplicate: boolean;
}

export type Share<T> = (key: string, ask: () => Promise<T>) => Shared<T>;

/**
 * Asks once per key: the first asks, the others share its result or failure. Keys are computed one by one, when an
 * item's turn comes, because computing all of them first would block n8n on a long list.
 */
export function shareDuplicates<T>(): Share<T> {
	const answers = new Map<string, Promise<T>>();

	return (key, ask) => {
		const known = answers.get(key);
		if (known !== undefined) return { answer: known, isDuplicate: true };

		const answer = ask();
		answers.set(key, answer);
		return { answer, isDuplicate: false };
	};
}
