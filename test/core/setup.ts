import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import nock from 'nock';

const userFolder = mkdtempSync(join(tmpdir(), 'call-verification-core-'));

process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_LOG_LEVEL = 'silent';

beforeAll(() => {
	nock.disableNetConnect();
	nock.enableNetConnect('127.0.0.1');
});

afterEach(() => {
	nock.abortPendingRequests();
	nock.cleanAll();
});

afterAll(() => {
	nock.restore();
	rmSync(userFolder, { recursive: true, force: true });
});
