/**
 * n8n's own scan for verified packages, offline: of the sources, as they would be fetched from the repository, and of
 * the unpacked tarball, as it would be fetched from npm.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const workFolder = mkdtempSync(join(tmpdir(), 'call-verification-scan-'));

try {
	const [{ filename }] = JSON.parse(
		execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', workFolder], {
			cwd: root,
			encoding: 'utf8',
		}),
	);
	execFileSync('tar', ['-xzf', join(workFolder, filename), '-C', workFolder]);

	const scans = {
		sources: await analyzePackage(root, SOURCE_FILE_PATTERNS),
		tarball: await analyzePackage(join(workFolder, 'package')),
	};
	for (const [what, { passed, message, details }] of Object.entries(scans)) {
		console.log(`scan of the ${what}: ${passed ? 'passed' : `${message}\n${details ?? ''}`}`);
		if (!passed) process.exitCode = 1;
	}
} finally {
	rmSync(workFolder, { recursive: true, force: true });
}
