import { eventsAreHandledOnce } from './cases/eventsAreHandledOnce';
import { guessesAreCounted } from './cases/guessesAreCounted';
import {
	automaticKeysEndWithTheirExecution,
	killedWorkerLosesPaidChecks,
	killedWorkerStartsNoSecondCall,
} from './cases/killedWorkerStartsNoSecondCall';
import { listOutlivesItsWorkers } from './cases/listOutlivesItsWorkers';
import { outagesLeaveATrace } from './cases/outagesLeaveATrace';
import { waitingExecutionsResumeOnce } from './cases/waitingExecutionsResumeOnce';
import { describeInQueueMode } from './stage';

describeInQueueMode('n8n in queue mode', (inQueueMode) => {
	test(
		'2,000 events are handled exactly once, and what is forged or malformed starts nothing',
		inQueueMode(eventsAreHandledOnce),
	);

	test(
		'50 waiting executions go on once, each with its own event, across a restart of all processes',
		inQueueMode(waitingExecutionsResumeOnce),
	);

	test(
		'a list whose worker was killed makes no second call when it is run again with the same keys',
		inQueueMode(killedWorkerStartsNoSecondCall),
	);

	test(
		'with automatic keys, running it again calls those numbers again',
		inQueueMode(automaticKeysEndWithTheirExecution),
	);

	test(
		'a list of checks whose worker was killed is paid again',
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
		'while Redis or PostgreSQL is away, an event is refused or n8n lists its execution',
		inQueueMode(outagesLeaveATrace),
	);
});
