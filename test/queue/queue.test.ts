import { eventsAreHandledOnce } from './cases/eventsAreHandledOnce';
import { guessesAreCounted } from './cases/guessesAreCounted';
import { killedWorkers } from './cases/killedWorkers';
import { limitsHoldEverywhere } from './cases/limitsHoldEverywhere';
import { listOutlivesItsWorkers } from './cases/listOutlivesItsWorkers';
import { outagesLeaveATrace } from './cases/outagesLeaveATrace';
import { waitingExecutionsResumeOnce } from './cases/waitingExecutionsResumeOnce';
import { walkThrough } from './publicServiceWalk';
import { describeInQueueMode } from './stage';

describeInQueueMode('n8n in queue mode', (inQueueMode, stage) => {
	describe('with the public service’s answers', () => {
		walkThrough(stage);

		/** Executions of the editor included; a sub-execution runs beside its parent. Only a worker's log says what it ran. */
		test(
			'all of it has run on the workers',
			inQueueMode(async ({ queueMode: { postgres, workers } }) => {
				const rows = await postgres.query(
					"SELECT id FROM execution_entity WHERE mode <> 'integrated'",
				);
				const logs = workers.map(({ log }) => log()).join('');
				expect(rows.length).toBeGreaterThan(0);
				expect(rows.flat().filter((id) => !logs.includes(`started execution ${id} `))).toEqual([]);
			}),
		);
	});

	test(
		'50 waiting executions resume once across a restart of all processes, each with its own event or when its time is over',
		inQueueMode(waitingExecutionsResumeOnce),
	);

	test(
		'1,000 events are handled exactly once, and forged or malformed ones start nothing',
		inQueueMode(eventsAreHandledOnce),
	);

	test(
		'a list whose worker was killed makes no second call when rerun with the same keys, but does with automatic keys, and checks are paid for again',
		inQueueMode(killedWorkers),
	);

	test(
		'a list in PostgreSQL outlives its workers, and is paid for once and within its cost limit',
		inQueueMode(listOutlivesItsWorkers),
	);

	test(
		'600 guesses at login-api compare at most five codes per worker with that of a call, and 200 starts call each phone once',
		inQueueMode(guessesAreCounted),
	);

	test(
		'limits of calls and codes hold over all workers, and after all are killed',
		inQueueMode(limitsHoldEverywhere),
	);

	test(
		'while Redis or PostgreSQL is down, an event is refused or n8n lists its execution',
		inQueueMode(outagesLeaveATrace),
	);
});
