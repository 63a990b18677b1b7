import { manifest, read } from './project';

const { version } = manifest;
/** The released versions in the change log, newest first. */
const released = [
	...read('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$/gm),
].map(([, number = '', date = '']) => ({ number, date }));

describe('the version', () => {
	it('is the newest of the change log', () => {
		expect(released[0]?.number).toBe(version);
	});

	it('is that of the lock file', () => {
		const lock = JSON.parse(read('package-lock.json')) as {
			version: string;
			packages: Record<string, { version: string }>;
		};
		expect([lock.version, lock.packages['']?.version]).toEqual([version, version]);
	});

	it('came later than the one before', () => {
		const dates = released.map(({ date }) => date);
		expect(dates).toEqual([...dates].sort().reverse());
	});
});
