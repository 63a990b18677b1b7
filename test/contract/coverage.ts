import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { methods } from '../../nodes/CallVerification/api/contract/methods';
import type { ServiceMethod } from '../../nodes/CallVerification/api/contract/serviceMethod';
import { parametersOf } from '../../scripts/generate/contractRows';

const CONTRACT = 'docs/service-contract.md';
const NUMBERED_ROW = /^\| (\d\.[\w.]+) +\|/gm;

/** Every parameter of every method, as `method(parameter)`. */
export const parameterRows = Object.values<ServiceMethod>(methods).flatMap(({ name, request }) =>
	parametersOf(request).map(([parameter, isOptional]) => ({
		row: `${name}(${parameter})`,
		method: name,
		parameter,
		isOptional,
	})),
);

/** The numbered rows of the contract, and the parameters. Fields of records are tested one by one without being named. */
export function contractRows(): string[] {
	const page = readFileSync(join(__dirname, '..', '..', CONTRACT), 'utf8');
	return [
		...[...page.matchAll(NUMBERED_ROW)].map(([, row = '']) => row),
		...parameterRows.map(({ row }) => row),
	];
}

/** @param titles Of tests that have passed. */
export function coverageProblems(rows: readonly string[], titles: readonly string[]): string[] {
	const named = new Set(
		titles.flatMap((title) =>
			[...title.matchAll(/§(\w+\(\w+\)|[\d]\.[\w.]*\w)/g)].map(([, row = '']) => row),
		),
	);
	return [
		...rows
			.filter((row) => !named.has(row))
			.map((row) => `§${row} of ${CONTRACT} is in the title of no test that has passed`),
		...[...named]
			.filter((row) => !rows.includes(row))
			.map((row) => `a test names §${row}, which ${CONTRACT} does not have`),
	];
}
