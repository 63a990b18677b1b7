/** Prints what is being done, and how long it took. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	console.log(`· ${title} …`);
	const started = Date.now();
	const result = await work();
	console.log(`  done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
	return result;
}
