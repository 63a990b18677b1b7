import { InputError } from '../api/errors';
import { isRecord } from '../api/record';

/** Options that limit a model, so the model must not set them. */
const GUARDS: Readonly<Record<string, string>> = {
	allowedPrefixes: 'Allowed Prefixes',
	cooldown: 'Cooldown per Number',
	limitKey: 'Limit Key',
	maxAttempts: 'Max Attempts',
	maxCallsPerHour: 'Max Calls per Hour',
	maxCallsPerKey: 'Max Calls per Hour and Key',
	maxWrongPerDay: 'Max Wrong Codes per Number and Day',
	requireToken: 'Require Token',
	validFor: 'Valid For',
};

/** n8n accepts any spelling. */
const FROM_AI = /\$from_?ai/i;

/** @param options As stored in the workflow, including expressions. */
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
