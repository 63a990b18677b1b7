import { eventsAreHandledOnce } from './cases/eventsAreHandledOnce';
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
});
