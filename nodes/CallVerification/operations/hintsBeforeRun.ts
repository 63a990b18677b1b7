import type { NodeHint } from 'n8n-workflow';

/** From here on a list is worth a word about its cost. */
const LONG_LIST = 100;

/** What the editor says before somebody presses the button; afterwards it is too late, or paid. */
export const hintsBeforeRun: NodeHint[] = [
	hint(
		'call.start',
		'$input.all().length > 1',
		'Each item is a call of its own: as many phones will ring as there are items.',
	),
	hint(
		'phoneNumber.check',
		`$input.all().length >= ${LONG_LIST} && !$parameter.options?.maxTotalCost`,
		'This is a long list without a limit. Add “Max Total Cost” under Options to stop in time.',
	),
	hint(
		'inboundCall.wait',
		'$input.all().length > 1',
		'Several items come in, but an execution can wait for one call only. Put “Loop Over Items” with a batch size of 1 in front.',
	),
	hint(
		'inboundCall.start',
		'$parameter.callbackTarget === "trigger" && !$parameter.callbackUrl && !$workflow.active',
		'This workflow is not published, so it has no trigger that listens. Publish it, or paste the URL of a trigger into “Callback URL”.',
	),
];

function hint(operation: string, condition: string, message: string): NodeHint {
	return {
		message,
		type: 'warning',
		displayCondition: `={{ $parameter.resource + "." + $parameter.operation === "${operation}" && ${condition} }}`,
		whenToDisplay: 'beforeExecution',
		location: 'inputPane',
	};
}
