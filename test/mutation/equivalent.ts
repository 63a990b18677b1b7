interface Equivalent {
	readonly file: string;
	/** Part of the mutated line. */
	readonly code: string;
	readonly why: string;
}

const FOR_THE_TYPES =
	'only the compiler asks: at this place the value is always there, or always of that type';
const NO_ADDRESS = 'what is no text becomes a text that is refused; which one, does not matter';

/** Mutants no test can detect, because the behavior stays the same. */
export const EQUIVALENT: readonly Equivalent[] = [
	{
		file: 'transport/credential.ts',
		code: "typeof value === 'string' ? value : ''",
		why: NO_ADDRESS,
	},
	{
		file: 'inbound/callbackUrl.ts',
		code: "typeof value === 'string' ? value.trim() : ''",
		why: NO_ADDRESS,
	},
	{ file: 'codes/call.ts', code: "String(value).trim() : ''", why: NO_ADDRESS },
	{
		file: 'transport/pipeline.ts',
		code: "retry: 'transient'",
		why: 'what is neither false nor rateLimited is transient',
	},
	{
		file: 'contract/fields.ts',
		code: "code: 'custom'",
		why: 'nobody looks at the kind of an issue with a response',
	},
	{ file: 'contract/fields.ts', code: 'fields[name]?.read(', why: FOR_THE_TYPES },
	{
		file: 'contract/fields.ts',
		code: 'function unchanged',
		why: 'a reader that gives nothing leaves the value as it came',
	},
	{ file: 'contract/request.ts', code: 'issue?.', why: FOR_THE_TYPES },
	{ file: 'inbound/inboundEvent.ts', code: 'issue?.', why: FOR_THE_TYPES },
	{
		file: 'inbound/inboundEvent.ts',
		code: "typeof value === 'number' && Number.isSafeInteger(value)",
		why: FOR_THE_TYPES,
	},
	{ file: 'inbound/callbackSeal.ts', code: "[exp = ''", why: FOR_THE_TYPES },
	{ file: 'pacing/expiringMap.ts', code: 'if (next &&', why: FOR_THE_TYPES },
	{ file: 'inbound/ipAllowlist.ts', code: "[, address = ''", why: FOR_THE_TYPES },
	{
		file: 'transport/errors.ts',
		code: "codes.find(isCode) ?? ''",
		why: 'no code at all is as good as any text that is none of the known codes',
	},
	{
		file: 'phones/phone.ts',
		code: '/^\\+[08]/.test(number)',
		why: 'there is no plus sign but at the start',
	},
	{ file: 'inbound/callbackUrl.ts', code: 'isPrivateAddress?.(', why: FOR_THE_TYPES },
	{
		file: 'transport/redact.ts',
		code: 'OTHER_SPELLINGS[character] ?? []',
		why: 'a spelling that nobody uses takes nothing away',
	},
];
