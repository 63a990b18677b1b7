import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { CallVerification } from '../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../nodes/CallVerification/CallVerificationTrigger.node';
import { outputSchema } from './outputSchema';
import { outputSources } from './outputSources';
import { renewedPages } from './pages';
import { panels } from './panels';
import { ROOT } from './root';

const SCHEMAS = join('nodes', 'CallVerification', '__schema__');

/** By path from the root, not yet formatted. */
export function generatedFiles(): Map<string, string> {
	return new Map([
		...[...outputSources].map(
			([name, fields]) =>
				[
					schemaFile(name),
					JSON.stringify({ ...outputSchema(fields), version: 1 }, null, '\t'),
				] as const,
		),
		[join('test', 'e2e', 'panelTable.json'), JSON.stringify(panels(), null, '\t')],
		...renewedPages(),
	]);
}

/** The existing ones. */
export function schemaFiles(): string[] {
	return readdirSync(join(ROOT, SCHEMAS), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.json'))
		.map((file) => join(SCHEMAS, file));
}

/** Where n8n looks for it. */
function schemaFile(name: string): string {
	const isTrigger = name === 'trigger';
	const { version } = (isTrigger ? new CallVerificationTrigger() : new CallVerification())
		.description;
	const folder = `v${String(version)}.0.0`;
	return join(SCHEMAS, isTrigger ? `${folder}.json` : `${join(folder, ...name.split('.'))}.json`);
}
