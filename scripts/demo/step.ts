import { formatDuration } from '../../harness/setup/report';

/** Prints what is being done, and how long it took. Steps can overlap, so the end names its step, too. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	console.log(`· ${title} …`);
	const started = Date.now();
	const result = await work();
	const [name] = title.split(' (');
	console.log(`✓ ${name}: ${formatDuration(Date.now() - started)}`);
	return result;
}
