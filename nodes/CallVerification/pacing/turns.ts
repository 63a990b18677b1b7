/** Runs tasks with the same name one after the other, and others in parallel. */
export class Turns {
	private readonly last = new Map<string, Promise<unknown>>();

	async take<T>(name: string, task: () => Promise<T>): Promise<T> {
		const before = this.last.get(name) ?? Promise.resolve();
		const mine = before.then(task, task);
		this.last.set(name, mine);
		try {
			return await mine;
		} finally {
			if (this.last.get(name) === mine) this.last.delete(name);
		}
	}
}
