import type { InboundWait } from './inboundWaits';
import { findInPlan } from './numberingPlan';
import { portedTo, registryEntry } from './operatorRegistry';

export interface WebhookPayload {
	callId: string;
	callbackLink: string;
	clientNumber: string;
	confirmationNumber: string;
	isMnp: boolean;
	operatorName: string;
	operatorNameMnp: string;
	regionName: string;
}

export function webhookPayload(wait: InboundWait): WebhookPayload {
	const planned = findInPlan(wait.phone);
	const entry = planned && registryEntry(planned);
	const newOperator = planned && portedTo(planned);
	const isMnp = newOperator !== undefined;
	return {
		callId: String(wait.vendorId),
		callbackLink: wait.callbackUrl,
		clientNumber: wait.phone,
		confirmationNumber: wait.confirmationNumber,
		isMnp,
		// Odd, but in the contract: for a number that is not ported, even the registry's operator is empty.
		operatorName: isMnp ? (entry?.operator ?? '') : '',
		operatorNameMnp: newOperator ?? '',
		regionName: entry?.region ?? '',
	};
}
