import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What queue mode needs besides n8n, from Debian's packages postgresql and redis-server. */
export interface ServerPrograms {
	readonly initdb: string;
	readonly postgres: string;
	readonly psql: string;
	readonly redis: string;
}

/** Debian keeps the server's programs off the PATH, one folder per version. */
const DEBIAN_POSTGRESQL = '/usr/lib/postgresql';

/** The installed programs, or undefined if one of them is missing. */
export const serverPrograms: ServerPrograms | undefined = findPrograms();

function findPrograms(): ServerPrograms | undefined {
	const initdb = findProgram('initdb');
	const postgres = findProgram('postgres');
	const psql = findProgram('psql');
	const redis = findProgram('redis-server');
	return initdb && postgres && psql && redis ? { initdb, postgres, psql, redis } : undefined;
}

/** The path of an installed program, or undefined if there is none. */
export function findProgram(name: string): string | undefined {
	const onPath = (process.env.PATH ?? '').split(delimiter);
	return [...newestPostgresql(), ...onPath].map((folder) => join(folder, name)).find(isExecutable);
}

function newestPostgresql(): string[] {
	try {
		const versions = readdirSync(DEBIAN_POSTGRESQL).sort((one, other) => +other - +one);
		return versions.map((version) => join(DEBIAN_POSTGRESQL, version, 'bin'));
	} catch {
		return [];
	}
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
