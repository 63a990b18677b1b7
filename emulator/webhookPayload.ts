import type { InboundWait } from './service/calls';
import { findInPlan, portedTo, registryEntry } from './service/numbers';
import type { EmulatorSettings } from './settings';

export interface WebhookPayload {
	callId: string;
	callbackLink: string;
	clientNumber: string | number;
	confirmationNumber: string;
	isMnp: boolean;
	operatorName: string | null;
	operatorNameMnp: string | null;
	regionName: string;
}

type Spelling = Pick<EmulatorSettings, 'eventNumber' | 'eventOperators'>;

export function webhookPayload(
	wait: InboundWait,
	{ eventNumber, eventOperators }: Spelling = { eventNumber: 'digits', eventOperators: 'empty' },
): WebhookPayload {
	const planned = findInPlan(wait.phone);
	const entry = planned && registryEntry(planned);
	const newOperator = planned && portedTo(planned);
	const isMnp = newOperator !== undefined;
	const unnamed = eventOperators === 'null' ? null : '';
	return {
		callId: String(wait.vendorId),
		callbackLink: wait.callbackUrl,
		clientNumber: spelled(wait.phone, eventNumber),
		confirmationNumber: wait.confirmationNumber,
		isMnp,
		// Odd, but in the contract: for a number that is not ported, even the registry's operator is empty.
		operatorName: isMnp ? (entry?.operator ?? unnamed) : unnamed,
		operatorNameMnp: newOperator ?? unnamed,
		regionName: entry?.region ?? '',
	};
}

function spelled(phone: string, as: EmulatorSettings['eventNumber']): string | number {
	switch (as) {
		case 'digits':
			return phone;
		case 'plus':
			return `+${phone}`;
		case 'number':
			return Number(phone);
		case 'eight':
			return phone.replace(/^7/, '8');
	}
}
