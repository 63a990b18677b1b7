import { rm } from 'node:fs/promises';
import { connect, n8nProgram, startN8n } from '../../harness';
import { instances } from './instances';
import { ownUserFolder } from './ownUserFolder';
import { walkThrough, type Walked } from './publicServiceWalk';

/** One line of n8n is enough: the other tests run in both. */
const [instance] = instances.slice(-1);

describe(`with the public service’s answers, n8n ${instance?.version}`, () => {
	let userFolder: string;
	let stop: (() => Promise<void>) | undefined;
	let walked: Walked;

	// Its own n8n, because the examples' files, tables and addresses are the same as in other tests.
	beforeAll(async () => {
		if (!instance) throw new Error('There is no n8n');
		userFolder = await ownUserFolder(instance);
		const program = await n8nProgram(instance.line);
		const n8n = await startN8n(program, { userFolder });
		stop = n8n.stop;
		walked = { client: await connect(n8n), webhooks: n8n, userFolder };
	});

	afterAll(async () => {
		await stop?.();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
	});

	walkThrough(instance?.line ?? '2.x', () => walked);
});
