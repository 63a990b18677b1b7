import { parseArgs } from 'node:util';

import { localOwner, type Owner, SetupProblem } from '../../harness';
import type { ForeignN8n } from './foreignN8n';
import { titleOf, tries } from './tries';

export const USAGE = `Usage: npm run test:versions [-- [--only VERSION] [--node MAJOR] [--save]]
       npm run test:versions -- --url URL [--email EMAIL] [--service-host HOST]
  --only          tries one version of n8n
  --node          tries n8n on one Node, for instance 26
  --save          also writes docs/maintainers/versions.json and the table in docs/installation.md;
                  what was not tried keeps its results
  --url           tries an n8n that you have started, and its examples; deletes what it has created there
  --email         the owner of that n8n, whose password is in the environment variable N8N_PASSWORD;
                  not needed for a new n8n, which gets an owner
  --service-host  the name by which that n8n reaches this machine, for instance host.docker.internal;
                  the emulated service then listens on all addresses of this machine`;

interface Flags {
	/** An n8n that somebody else has started; then nothing else is tried. */
	readonly foreign?: ForeignN8n;
	readonly wanted: typeof tries;
	readonly save: boolean;
}

export function readFlags(args: string[]): Flags {
	const { values } = parseArgs({
		args,
		options: {
			only: { type: 'string' },
			node: { type: 'string' },
			save: { type: 'boolean', default: false },
			url: { type: 'string' },
			email: { type: 'string' },
			'service-host': { type: 'string' },
		},
	});
	const { only, node, save, url, email, 'service-host': serviceHost } = values;
	if (url !== undefined) {
		if (save) throw new SetupProblem('--save is for the n8ns that this command starts itself.');
		return {
			foreign: { url: url.replace(/\/+$/, ''), owner: ownerOf(email), serviceHost },
			wanted: [],
			save,
		};
	}
	const wanted = tries.filter(
		({ release: { version, nodeMajors } }) =>
			[undefined, version].includes(only) && [undefined, ...nodeMajors.map(String)].includes(node),
	);
	if (wanted.length > 0) return { wanted, save };
	throw new SetupProblem(
		`There is no such n8n. These are tried:\n${tries.map(titleOf).join('\n')}`,
	);
}

function ownerOf(email: string | undefined): Owner {
	if (email === undefined) return localOwner;
	const { N8N_PASSWORD: password } = process.env;
	if (password) return { ...localOwner, email, password };
	throw new SetupProblem(`Set N8N_PASSWORD to the password of ${email}.`);
}
