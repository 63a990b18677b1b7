import { resources } from '../../nodes/CallVerification/operations';
import type { OperationParameters } from './nodeRunner';

/** The default target needs a published trigger. */
const MORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	'inboundCall.start': { callbackTarget: 'url', callbackUrl: 'https://example.com/inbound-call' },
};

/** For operations that read a file. */
export const EXAMPLE_PHONE = '+7 900 000-00-01';
const EXAMPLE_LIST = `phone\n${EXAMPLE_PHONE}\n`;
const WITH_FILE: readonly string[] = ['phoneNumber.checkFile'];

/** The files of the one input item. */
export function exampleFiles({ resource, operation }: { resource?: unknown; operation?: unknown }) {
	const isWithFile = WITH_FILE.includes(`${String(resource)}.${String(operation)}`);
	return isWithFile ? [{ data: EXAMPLE_LIST }] : undefined;
}

type Entry = [field: string, value: string | number];

/**
 * What a test enters to run an operation: the example value of each required field.
 * @param name resource.operation
 * @param uid A call that was made.
 */
export function exampleParameters(name: string, uid: number): OperationParameters {
	const [resource = '', operation = ''] = name.split('.');
	const { fields = [] } =
		resources
			.find(({ value }) => value === resource)
			?.operations.find(({ value }) => value === operation) ?? {};
	const required = fields.filter((field) => field.required && field.displayOptions === undefined);
	const entered = required.map(({ name: field, displayName, placeholder = '' }): Entry => {
		if (field === 'uid') return [field, uid];
		const example = /^e\.g\. (.+)$/.exec(placeholder)?.[1];
		if (example !== undefined) return [field, example];
		throw new Error(
			`${name}: give the field “${displayName}” a placeholder “e.g. …” with a value that tests can enter`,
		);
	});
	return { resource, operation, ...Object.fromEntries(entered), ...MORE[name] };
}
