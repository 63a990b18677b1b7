import { type AnswerOf, defineMethod } from '../method';
import {
	nationalFormat,
	parseFreeText,
	type ParsedPhone,
	portedTo,
	registryEntry,
} from '../numbers';
import { refuse } from '../refusals';

export const checkPhone = defineMethod('checkPhone', {
	verbs: ['GET', 'POST'],
	answer(args, service) {
		args.allowOnly('phone');
		const source = args.requiredText('phone');
		const { prices, invalidPhone } = service.settings;
		const parsed = parseFreeText(source);
		const valid = parsed.kind === 'valid';
		const cost = valid ? prices.check : prices.invalidCheck;
		service.wallet.charge(cost);
		service.checks.push({ source, valid, cost, at: service.clock.now() });
		if (parsed.kind === 'invalid' && invalidPhone === 'errorObject') {
			return refuse('phone', parsed.reason);
		}
		return { source, ...enrichment(parsed), cost, balance: service.wallet.balance };
	},
});

function enrichment(parsed: ParsedPhone): AnswerOf<'checkPhone'> {
	if (parsed.kind === 'invalid') {
		return {
			error: parsed.reason,
			mobile: 0,
			phone: 0,
			country_iso: '',
			country_code: 0,
			mnc: 0,
			number: 0,
			provider: '',
			company: '',
			country: '',
			region: '',
			city: '',
			phone_format: '',
		};
	}
	const { digits, planned } = parsed;
	const { country, local } = planned;
	const entry = registryEntry(planned);
	return {
		mobile: country.mobile.test(local) ? 1 : 0,
		phone: Number(digits),
		country_iso: country.iso,
		country_code: Number(country.callingCode),
		mnc: entry.mnc,
		number: Number(local),
		provider: portedTo(planned) ?? entry.operator,
		company: entry.company,
		country: country.name,
		region: entry.region,
		city: entry.city,
		phone_format: nationalFormat(planned),
	};
}
