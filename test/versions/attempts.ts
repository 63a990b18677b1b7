/** Does one thing after the other. What fails is noted, and the rest continues. */
export class Attempts {
	readonly problems: string[] = [];

	async make<T>(what: string, action: () => Promise<T>): Promise<T | undefined> {
		try {
			return await action();
		} catch (error) {
			this.problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
			return undefined;
		}
	}
}
