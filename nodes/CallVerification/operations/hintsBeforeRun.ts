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
	// The editor cannot tell: in its expressions every workflow is an unpublished one.
	hint(
		'inboundCall.start',
		'$parameter.callbackTarget === "trigger" && !$rawParameter.callbackUrl',
		'Without a “Callback URL” this works once the workflow is published, with a Call Verification Trigger in it. Until then, paste the URL of a trigger.',
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
