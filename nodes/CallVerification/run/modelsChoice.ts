import { InputError } from '../api/errors';
import { isRecord } from '../api/record';

/** Options that hold a model back. One that it fills in itself would hold nobody back. */
const GUARDS: Readonly<Record<string, string>> = {
	allowedPrefixes: 'Allowed Prefixes',
	cooldown: 'Cooldown per Number',
	maxAttempts: 'Max Attempts',
	maxCallsPerHour: 'Max Calls per Hour',
	requireToken: 'Require Token',
	validFor: 'Valid For',
};

/** n8n takes any spelling. */
const FROM_AI = /\$from_?ai/i;

/** @param options As the workflow holds them, expressions included. */
export function refuseModelsChoice(options: unknown): void {
	for (const [name, value] of Object.entries(isRecord(options) ? options : {})) {
		const label = GUARDS[name];
		if (label === undefined || typeof value !== 'string' || !FROM_AI.test(value)) continue;
		throw new InputError(
			`“${label}” limits the model, so the model cannot set it`,
			'Enter your own value for this option in the tool.',
		);
	}
}
