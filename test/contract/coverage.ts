import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { methods, type ServiceMethod } from '../../nodes/CallVerification/contract/methods';
import { parametersOf } from '../../scripts/generate/rows';

const CONTRACT = 'docs/maintainers/service-contract.md';
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

const contractPage = readFileSync(join(__dirname, '..', '..', CONTRACT), 'utf8');

/** Methods that have no number in section 4, and rows about one field that do not say of which method. */
export function numberingProblems(): string[] {
	const numbered = [...contractPage.matchAll(/\b4\.\d+ `(\w+)`/g)].map(([, name = '']) => name);
	const all = Object.values<ServiceMethod>(methods);
	const namesOf = ({ name, request, response: { fields } }: ServiceMethod) =>
		[...parametersOf(request).map(([parameter]) => parameter), ...Object.keys(fields)].map(
			(field) => ({ field, key: `${name}.${field}` }),
		);
	const fields = all.flatMap(namesOf);
	const limits = [...contractPage.matchAll(/^\| 8\.([\w.]+) +\|/gm)].map(([, row = '']) => row);
	return [
		...all
			.filter(({ name }) => !numbered.includes(name))
			.map(({ name }) => `${name} has no number in section 4`),
		...limits
			.filter((row) =>
				row.includes('.')
					? fields.every(({ key }) => key !== row)
					: fields.some(({ field }) => field === row),
			)
			.map((row) => `8.${row} does not name a method and one of its fields: 8.initCall.client`),
	];
}

/** The numbered rows of the contract, and the parameters. Record fields are each tested without being named. */
export function contractRows(): string[] {
	return [
		...[...contractPage.matchAll(NUMBERED_ROW)].map(([, row = '']) => row),
		...parameterRows.map(({ row }) => row),
	];
}

/** @param titles Of passed tests. */
export function coverageProblems(rows: readonly string[], titles: readonly string[]): string[] {
	const named = new Set(
		titles.flatMap((title) =>
			[...title.matchAll(/§(\w+\(\w+\)|[\d]\.[\w.]*\w)/g)].map(([, row = '']) => row),
		),
	);
	return [
		...rows
			.filter((row) => !named.has(row))
			.map((row) => `No passing test has §${row} in its title: see ${CONTRACT}`),
		...[...named]
			.filter((row) => !rows.includes(row))
			.map((row) => `a test names §${row}, which ${CONTRACT} does not have`),
	];
}
