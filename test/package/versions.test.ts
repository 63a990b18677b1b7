import { manifest, read } from './project';

const { version } = manifest;
/** The versions in the change log, newest first. The first one may not have been released yet. */
const versions = [
	...read('CHANGELOG.md').matchAll(
		/^## (\d+\.\d+\.\d+) (?:- (\d{4}-\d{2}-\d{2})|\(not released yet\))$/gm,
	),
].map(([, number = '', date]) => ({ number, date }));

describe('the version', () => {
	it('is the newest of the change log', () => {
		expect(versions[0]?.number).toBe(version);
	});

	it('is that of the lock file', () => {
		const lock = JSON.parse(read('package-lock.json')) as {
			version: string;
			packages: Record<string, { version: string }>;
		};
		expect([lock.version, lock.packages['']?.version]).toEqual([version, version]);
	});

	it('came later than the one before', () => {
		const dates = versions.map(({ date }) => date);
		const released = dates.filter((date) => date !== undefined);
		expect(dates.slice(1)).not.toContain(undefined);
		expect(released).toEqual([...released].sort().reverse());
	});
});
