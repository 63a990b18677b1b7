import type { NodeHint } from 'n8n-workflow';

/**
 * What the editor says before somebody presses the button; afterwards it is too late, or paid. It
 * does not know the items yet, but an expression as phone number means that there will be a list.
 */
export const hintsBeforeRun: NodeHint[] = [
	hint(
		'call.start',
		'$rawParameter.phone.startsWith("=")',
		'Each item is a call of its own: as many phones will ring as items come in.',
	),
	hint(
		'phoneNumber.check',
		'$rawParameter.phone.startsWith("=") && !$rawParameter.options?.maxTotalCost',
		'Every item that comes in is checked. For a long list, add “Max Total Cost” under Options to stop in time.',
	),
	hint(
		'inboundCall.start',
		'$parameter.callbackTarget === "trigger" && !$rawParameter.callbackUrl && !$workflow.active',
		'This workflow is not published, so it has no trigger that listens. Publish it, or paste the URL of a trigger into “Callback URL”.',
	),
];

function hint(operation: string, condition: string, message: string): NodeHint {
	return {
		message,
		type: 'info',
		displayCondition: `={{ $parameter.resource + "." + $parameter.operation === "${operation}" && ${condition} }}`,
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	};
}
