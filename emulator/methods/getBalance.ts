import { defineMethod } from './method';

export const getBalance = defineMethod('getBalance', {
	verbs: ['GET', 'POST'],
	answer(args, service) {
		args.allowOnly();
		return {
			status: true,
			rub_balance: service.wallet.balance,
			tariff: 'standard',
			tariff_name: 'Standard',
		};
	},
});
