import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Import this before n8n's engine, which reads the environment while it loads. */

const userFolder = mkdtempSync(join(tmpdir(), 'call-verification-bench-'));
process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_LOG_LEVEL = 'silent';
process.on('exit', () => rmSync(userFolder, { recursive: true, force: true }));
