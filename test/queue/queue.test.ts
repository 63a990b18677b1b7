import { eventsAreHandledOnce } from './cases/eventsAreHandledOnce';
import { executionsRunOnWorkers } from './cases/executionsRunOnWorkers';
import { guessesAreCounted } from './cases/guessesAreCounted';
import {
	automaticKeysEndWithTheirExecution,
	killedWorkerLosesPaidChecks,
	killedWorkerStartsNoSecondCall,
} from './cases/killedWorkerStartsNoSecondCall';
import { listOutlivesItsWorkers } from './cases/listOutlivesItsWorkers';
import { outagesLeaveATrace } from './cases/outagesLeaveATrace';
import { waitingExecutionsResumeOnce } from './cases/waitingExecutionsResumeOnce';
import { walkThrough } from '../e2e/publicServiceWalk';
import { describeInQueueMode } from './stage';

describeInQueueMode('n8n in queue mode', (inQueueMode, stage) => {
	describe('with the public service’s answers', () => {
		walkThrough('2.x', () => {
			const { client, queueMode } = stage();
			const { main, webhooks } = queueMode;
			return { client, webhooks: webhooks[0], userFolder: main.userFolder };
		});

		test('all of it has run on the workers', inQueueMode(executionsRunOnWorkers));
	});

	test(
		'2,000 events are handled exactly once, and forged or malformed ones start nothing',
		inQueueMode(eventsAreHandledOnce),
	);

	test(
		'50 waiting executions resume once, each with its own event, across a restart of all processes',
		inQueueMode(waitingExecutionsResumeOnce),
	);

	test(
		'a list whose worker was killed makes no second call when rerun with the same keys',
		inQueueMode(killedWorkerStartsNoSecondCall),
	);

	test(
		'with automatic keys, a rerun calls those numbers again',
		inQueueMode(automaticKeysEndWithTheirExecution),
	);

	test(
		'a list of checks whose worker was killed is paid for again',
		inQueueMode(killedWorkerLosesPaidChecks),
	);

	test(
		'a list in PostgreSQL outlives its workers, and is paid for once and within its cost limit',
		inQueueMode(listOutlivesItsWorkers),
	);

	test(
		'600 guesses at login-api compare at most ten codes with that of a call, and 200 starts call each phone once in a slot',
		inQueueMode(guessesAreCounted),
	);

	test(
		'while Redis or PostgreSQL is down, an event is refused or n8n lists its execution',
		inQueueMode(outagesLeaveATrace),
	);
});
