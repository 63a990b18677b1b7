/**
 * Adds the platform packages that npm leaves out of the lock file when a registry does not have them:
 * without their names `npm ci` calls the lock file incomplete, although it would never fetch them.
 * To be run after a change of the dependencies.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { missingPlatformPackages } from './missingPlatformPackages.mjs';

const file = join(dirname(dirname(fileURLToPath(import.meta.url))), 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = missingPlatformPackages(lock.packages);

const { '': root, ...packages } = { ...lock.packages, ...missing };
const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = { '': root, ...Object.fromEntries(sorted) };
writeFileSync(file, `${JSON.stringify(lock, null, '\t')}\n`);
console.log(`${Object.keys(missing).length} platform packages added to the lock file`);
