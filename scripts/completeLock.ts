/**
 * Adds the platform packages that npm leaves out of the lock file if a registry does not have them. Without their
 * names, `npm ci` considers the lock file incomplete, although it would never fetch them. Run it after changing
 * dependencies.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { completed, type LockFile } from './lockFile';
import { ROOT } from './project';

const file = join(ROOT, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8')) as LockFile;
const whole = completed(lock);
writeFileSync(file, `${JSON.stringify(whole, null, '\t')}\n`);

const added = Object.keys(whole.packages).length - Object.keys(lock.packages).length;
console.log(`${added} platform packages added to the lock file`);
