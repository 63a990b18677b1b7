export interface Shared<T> {
	answer: Promise<T>;
	/** False for the one that asks, true for those that get what it got. */
	isDuplicate: boolean;
}

/** Without a key nothing is shared. */
export type Share<T> = (key: string | undefined, ask: () => Promise<T>) => Shared<T>;

/**
 * Equal keys are asked once: the first asks, the others get its answer or its failure, now or later. Keys are given one
 * by one, when an item's turn comes, because working them all out beforehand would block n8n on a long list.
 */
export function shareDuplicates<T>(): Share<T> {
	const answers = new Map<string, Promise<T>>();

	return (key, ask) => {
		if (key === undefined) return { answer: ask(), isDuplicate: false };

		const known = answers.get(key);
		if (known !== undefined) return { answer: known, isDuplicate: true };

		const answer = ask();
		answers.set(key, answer);
		return { answer, isDuplicate: false };
	};
}
