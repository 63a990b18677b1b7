import type { OperationParameters } from '../../harness/workflows/nodeRunner';

interface ExpectedPanel {
	readonly title: string;
	readonly parameters: OperationParameters;
	/** Labels and notices below Resource and Operation, from top to bottom. */
	readonly fields: readonly string[];
}

const REQUEST = 'Request Options';

/** What the editor shows for each operation; a field that belongs to another one must not appear. */
export const panelTable: readonly ExpectedPanel[] = [
	panel('account.get', {}, ['Simplify', REQUEST]),
	panel('account.getBalance', {}, [REQUEST]),
	panel('call.checkCode', {}, ['Call ID or Token', 'Code', 'Options', REQUEST]),
	panel('call.get', {}, ['Call ID', 'Wait for Result', 'Simplify', 'Options', REQUEST]),
	panel('call.repeat', {}, [
		'Deprecated: the service no longer supports repeats. Use Start instead, which can send the same code.',
		'Call ID',
		REQUEST,
	]),
	panel('call.start', {}, [
		'Every call costs money, except to the service’s test numbers 79000000001 and 79000000002',
		'Phone Number',
		'Delivery',
		'Wait for Result',
		'Options',
		REQUEST,
	]),
	panel('inboundCall.start', { callbackTarget: 'trigger' }, [
		'Phone Number',
		'Send the Event To',
		'Callback URL',
		'Options',
		REQUEST,
	]),
	panel('inboundCall.start', { callbackTarget: 'execution' }, [
		'Phone Number',
		'Send the Event To',
		'Options',
		REQUEST,
	]),
	panel('inboundCall.start', { callbackTarget: 'url' }, [
		'Phone Number',
		'Send the Event To',
		'Callback URL',
		'Options',
		REQUEST,
	]),
	panel('inboundCall.wait', {}, [
		'Requires an earlier Inbound Call: Start that sends its event to “This Execution”. In between, show the person the number to call.',
		'Call ID',
		'Phone Number',
		'Limit Wait Time (Minutes)',
		'Options',
		REQUEST,
	]),
	panel('phoneNumber.check', {}, [
		'Every check costs money. Duplicate numbers in one run are billed only once.',
		'Phone Number',
		'Simplify',
		'Options',
		REQUEST,
	]),
	panel('service.get', {}, [REQUEST]),
];

function panel(
	title: string,
	values: Readonly<Record<string, string>>,
	fields: readonly string[],
): ExpectedPanel {
	const [resource = '', operation = ''] = title.split('.');
	const variant = Object.values(values).map((value) => ` ${value}`);
	return {
		title: `${title}${variant.join('')}`,
		parameters: { resource, operation, ...values },
		fields,
	};
}

/** The same for the trigger, by how it accepts events. */
export const triggerPanelTable = [
	{ eventAuthentication: 'signature', fields: ['Accept Events', 'Options'] },
	{
		eventAuthentication: 'none',
		fields: [
			'Accept Events',
			'Without a signature, anyone who knows this URL can start the workflow with a fake call. Set “IP Allowlist” or turn on “Confirm With Service”.',
			'Options',
		],
	},
] as const;
