import { type N8nDefaults, n8nLines, type N8nRelease, triedReleases } from '../../harness';
import { majorOf } from '../../harness/setup/n8nReleases';
import type { TriedN8n } from './results';

/** One start of n8n, and one row of the table. */
interface Try {
	readonly release: N8nRelease;
	readonly defaults?: Exclude<N8nDefaults, 'own'>;
}

/** The Node that is in the image of n8n 3.0. */
const onNodeOf3: N8nRelease = { ...n8nLines['2.x'], nodeMajors: [26], nodeVersion: '26.10.0' };

/** What `npm run test:versions` starts, in the order of its table. The last is as close to 3.0 as npm gets. */
export const tries: readonly Try[] = [
	...triedReleases.map((release) => ({ release })),
	{ release: onNodeOf3 },
	{ release: onNodeOf3, defaults: '3.0' },
];

export function titleOf({ release, defaults }: Try): string {
	const title = `n8n ${release.version} on Node ${release.nodeMajors.join(' or ')}`;
	return defaults ? `${title} with ${defaults}’s defaults` : title;
}

/** Whether this is the result of that try. */
export function isResultOf({ release, defaults }: Try, tried: TriedN8n): boolean {
	return (
		tried.n8n === release.version &&
		tried.defaults === defaults &&
		release.nodeMajors.includes(majorOf(tried.node))
	);
}
