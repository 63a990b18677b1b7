import { eventsAreHandledOnce } from './cases/eventsAreHandledOnce';
import { describeInQueueMode } from './stage';

describeInQueueMode('n8n in queue mode', (inQueueMode) => {
	test(
		'2,000 events are handled exactly once, and what is forged or malformed starts nothing',
		inQueueMode(eventsAreHandledOnce),
	);
});
