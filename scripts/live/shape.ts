import { isRecord, type RecordFields } from '../../nodes/CallVerification/contract/fields';

/** The contract shows each of these in two types. */
const ALSO: Readonly<Record<string, string>> = {
	cost: 'boolean',
	phone_info: 'array',
	ip: 'number',
};

/** Only there where they apply: contract, 2.optional and 4.5. */
const OPTIONAL = [
	'client',
	'unique',
	'unique_request_id',
	'exists',
	'error',
	'is_repeated',
	'first_vendor_id',
	'repeatable',
	'repeat_times',
	'repeated_vendor_ids',
];

/** In which names and types an answer differs from the fields of the contract. No value of the answer is in it. */
export function differencesOf(body: unknown, fields: RecordFields, path = ''): string[] {
	if (!isRecord(body)) return [`${path === '' ? 'the answer' : path} is ${typeOf(body)}`];
	const known = Object.entries(fields).map(([name, field]) => {
		const { otherName = name } = field;
		return { name, field, sentAs: otherName in body ? otherName : name };
	});
	const missing = known
		.filter(({ name, sentAs }) => !(sentAs in body) && !OPTIONAL.includes(name))
		.map(({ name }) => `${path}${name} is missing`);
	const mistyped = known.flatMap(({ name, field, sentAs }) => {
		const value = body[sentAs];
		if (value === null || value === undefined) return [];
		const type = typeOf(value);
		if (type !== field.type && type !== ALSO[name]) {
			return [`${path}${sentAs} is ${type}, not ${field.type}`];
		}
		const entry: unknown = Array.isArray(value) ? value[0] : value;
		const isEmpty = entry === undefined || (isRecord(entry) && Object.keys(entry).length === 0);
		if (field.fields === undefined || isEmpty) return [];
		// Inside a record of the contract, all fields have readers as well.
		return differencesOf(entry, field.fields as RecordFields, `${path}${sentAs}.`);
	});
	const unknown = Object.keys(body)
		.filter((name) => !known.some(({ sentAs }) => sentAs === name))
		.map((name) => `${path}${name} is not in the contract`);
	return [...missing, ...mistyped, ...unknown];
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);
