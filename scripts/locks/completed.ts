import type { LockFile, LockedPackages } from './lockFile';
import { missingPlatformPackages } from './missingPlatformPackages';

/** The lock file with its missing platform packages, in npm's order. */
export function completed<T extends LockFile>(lock: T): T {
	const all = { ...lock.packages, ...missingPlatformPackages(lock.packages) };
	const sorted: LockedPackages = Object.fromEntries(
		// The project itself has the empty path and comes first.
		Object.entries(all).sort(([a], [b]) => a.localeCompare(b, 'en')),
	);
	return { ...lock, packages: sorted };
}
