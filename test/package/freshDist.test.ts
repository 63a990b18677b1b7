import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { newerThanBuilt } from '../freshDist';

describe('what was built', () => {
	let root: string;

	beforeEach(() => {
		root = mkdtempSync(join(tmpdir(), 'call-verification-dist-'));
		write('nodes/CallVerification/run/run.ts', 1_000);
		write('credentials/Some.credentials.ts', 1_000);
	});

	afterEach(() => rmSync(root, { recursive: true, force: true }));

	const write = (file: string, seconds: number) => {
		mkdirSync(dirname(join(root, file)), { recursive: true });
		writeFileSync(join(root, file), '');
		utimesSync(join(root, file), seconds, seconds);
	};

	it('is as new as its sources', () => {
		write('dist/nodes/CallVerification/CallVerification.node.js', 1_000);
		expect(newerThanBuilt(root)).toBeUndefined();
	});

	it.each(['nodes/CallVerification/run/run.ts', 'credentials/Some.credentials.ts'])(
		'is older than %s, which has changed since',
		(file) => {
			write('dist/nodes/CallVerification/CallVerification.node.js', 1_000);
			write(file, 1_001);
			expect(newerThanBuilt(root)).toBe(file);
		},
	);

	it('is missing', () => {
		expect(newerThanBuilt(root)).toBe('nodes/CallVerification/run/run.ts');
	});
});
