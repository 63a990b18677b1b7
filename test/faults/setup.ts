import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const userFolder = mkdtempSync(join(tmpdir(), 'call-verification-faults-'));

process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_LOG_LEVEL = 'silent';

afterAll(() => rmSync(userFolder, { recursive: true, force: true }));
