import type { LockFile, LockedPackages } from './lockFile';
import { missingPlatformPackages } from './missingPlatformPackages';

/** The lock file with the platform packages that it lacks, in the order in which npm writes it. */
export function completed<T extends LockFile>(lock: T): T {
	const all = { ...lock.packages, ...missingPlatformPackages(lock.packages) };
	const sorted: LockedPackages = Object.fromEntries(
		// The project itself has the empty path, and is first.
		Object.entries(all).sort(([a], [b]) => a.localeCompare(b, 'en')),
	);
	return { ...lock, packages: sorted };
}
