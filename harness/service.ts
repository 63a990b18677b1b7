import { type Emulator, startEmulator } from '../emulator/emulator';
import {
	completeSettings,
	type EmulatorOptions,
	isServiceName,
	type ServiceName,
} from '../emulator/services';
import { wireRecord } from '../emulator/wire/answers';

/** The service that tests run against: SERVICE_AS=ucaller, or that of the contract. */
export function serviceAs(): ServiceName {
	const { SERVICE_AS: as = 'contract' } = process.env;
	if (isServiceName(as)) return as;
	throw new Error(`SERVICE_AS is ${as}, which the emulator cannot play`);
}

/** The emulated service. Tests call one number many times, so it has no limits but those that a test sets. */
export async function startService(settings: EmulatorOptions = {}): Promise<Emulator> {
	const { requestsPerSecondLimit, numberLimits } = completeSettings({ as: 'contract' });
	return await startEmulator({
		as: serviceAs(),
		requestsPerSecondLimit,
		numberLimits,
		...settings,
	});
}

/** A response that a test has written in the contract's names, with the names that the service has. */
export function responseInItsNames(body: unknown): unknown {
	if (!isRecord(body)) return body;
	const { fieldNames } = completeSettings({ as: serviceAs() });
	return wireRecord(body, { fieldNames, leftOutIfEmpty: [] });
}

/** An event that a test has written, as the service sends it. */
export function eventAsItSends(body: unknown): unknown {
	if (!isRecord(body) || completeSettings({ as: serviceAs() }).eventOperators === 'empty')
		return body;
	const unnamed = ['operatorName', 'operatorNameMnp'].filter((name) => body[name] === '');
	return { ...body, ...Object.fromEntries(unnamed.map((name) => [name, null])) };
}

function isRecord(body: unknown): body is Record<string, unknown> {
	return typeof body === 'object' && body !== null && !Array.isArray(body);
}
