import { defineMethod } from '../method';
import { isTestNumber, maskPhone } from '../numbers';
import { refuse } from '../refusals';
import type { InboundWait } from '../state';

export const inboundCallWaiting = defineMethod('inboundCallWaiting', {
	verbs: ['GET', 'POST'],
	answer(args, service) {
		args.allowOnly('phone', 'callback_url');
		const phone = args.phone('phone');
		const callbackUrl = args.requiredText('callback_url');
		if (!isHttpUrl(callbackUrl)) {
			refuse('parameter', 'callback_url must be an http or https address');
		}

		const cost = isTestNumber(phone) ? 0 : service.settings.prices.inbound;
		service.wallet.charge(cost);
		const now = service.clock.now();
		const wait: InboundWait = {
			vendorId: service.nextVendorId(),
			phone,
			maskedPhone: maskPhone(phone, service.settings.maskKeepsLast),
			confirmationNumber: service.inboundWaits.nextConfirmationNumber(),
			callbackUrl,
			startedAt: now,
			expiresAt: now + service.settings.inboundLifetimeMs,
			cost,
			calledAt: undefined,
		};
		service.inboundWaits.add(wait);
		return {
			status: true,
			vendor_id: wait.vendorId,
			phone: wait.maskedPhone,
			confirmation_number: wait.confirmationNumber,
		};
	},
});

function isHttpUrl(text: string): boolean {
	return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}
