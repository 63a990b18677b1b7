export interface Equivalent {
	readonly file: string;
	/** Part of the mutated line. */
	readonly code: string;
	/** What becomes of it, if other changes of the line are noticed. */
	readonly to?: string;
	readonly why: string;
}

const FOR_THE_TYPES =
	'only the compiler asks: at this place the value is always there, or always of that type';
const ONLY_A_LABEL = 'only keeps fingerprints apart, and no other has these parts';
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
		file: 'codes/call.ts',
		code: "TOKEN.exec(token)?.[1] ?? ''",
		why: 'what is not hexadecimal is read as nothing, as an empty text is',
	},
	{ file: 'codes/call.ts', code: '} catch {', why: 'a function that returns nothing is undefined' },
	{
		file: 'codes/callLimits.ts',
		code: 'this.taken === undefined ? []',
		why: 'the entries of a seat that is not taken are only removed, and nobody has added them',
	},
	{ file: 'codes/callLimits.ts', code: "this.marks.at(-1) ?? ''", why: FOR_THE_TYPES },
	{ file: 'codes/cooldown.ts', code: "[ofThisMoment = '']", why: FOR_THE_TYPES },
	{
		file: 'codes/cooldown.ts',
		code: 'if (row === undefined || entries.length === 0) return',
		why: 'to remove no entries from the row is to leave it as it is',
	},
	{
		file: 'codes/cooldown.ts',
		code: 'if (added.length > 0) await row.remove',
		why: 'to remove no entries from the row is to leave it as it is',
	},
	{
		file: 'codes/cooldown.ts',
		code: 'if (startedAt === undefined) return true',
		why: 'then the row is asked, and it knows the same call by the same key',
	},
	{
		file: 'codes/cooldown.ts',
		code: 'if (usedCall.slot !== slot && (await',
		to: 'true',
		why: 'within the slot, the later call has the same key either way',
	},
	{
		file: 'codes/callLimits.ts',
		code: 'round < MOST_ROUNDS',
		to: 'round--',
		why: 'twenty processes in a row would have to overwrite the row',
	},
	{
		file: 'codes/usedCalls.ts',
		code: 'if (fresh.has(used)) this.forgetLater',
		why: 'to forget twice what is forgotten a day later anyway changes nothing',
	},
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
	{
		file: 'pacing/budget.ts',
		code: 'if (cost === 0) this.free++',
		why: 'once something has cost, or may have, what was free no longer counts',
	},
	{ file: 'pacing/retry.ts', code: 'this.noResponse?.leftMs', why: FOR_THE_TYPES },
	{ file: 'pacing/retry.ts', code: 'this.noResponse?.forMs ?? 0);', why: FOR_THE_TYPES },
	{ file: 'run/operation.ts', code: "digest('limit',", to: '""', why: ONLY_A_LABEL },
	{ file: 'run/operation.ts', code: "digest('rate')", to: '""', why: ONLY_A_LABEL },
	{ file: 'run/operation.ts', code: "digest('once',", to: '""', why: ONLY_A_LABEL },
	{
		file: 'run/operation.ts',
		code: "run.mutex.run('',",
		why: 'all items take turns under the same name, whatever it is',
	},
	{
		file: 'run/runItems.ts',
		code: 'if (slice.isOver) await slice.next();',
		why: 'to pause more often than needed only takes longer',
	},
	{
		file: 'run/runItems.ts',
		code: "if (type === 'notice') continue;",
		why: 'the schemas of operations drop what they do not know',
	},
	{ file: 'run/operation.ts', code: 'const json = { ...item?.json', why: FOR_THE_TYPES },
	{
		file: 'run/operation.ts',
		code: 'if (item !== undefined) item.json',
		to: 'true',
		why: FOR_THE_TYPES,
	},
	{
		file: 'run/options.ts',
		code: "UNIT.exec(displayName)?.[1] ?? ''",
		to: '"Stryker was here!"',
		why: 'the unit is only named for fractions that must be more than 0, and their fields all have one',
	},
	{
		file: 'run/options.ts',
		code: 'function optionOf({ options = [] }',
		why: 'what has no name is not the option that is looked for',
	},
	{
		file: 'run/itemFiles.ts',
		code: '[itemIndex]?.binary',
		to: 'context.getInputData()[itemIndex].binary',
		why: FOR_THE_TYPES,
	},
	{
		file: 'run/itemFiles.ts',
		code: '} catch {',
		why: 'what was not found stays undefined, and that is no file',
	},
	{ file: 'run/output.ts', code: 'this.names?.add', to: 'this.names.add', why: FOR_THE_TYPES },
	{
		file: 'run/output.ts',
		code: 'moreOutput = [], reserved = []',
		to: '["Stryker was here"]',
		why: 'no field of the input has that name',
	},
	{
		file: 'run/output.ts',
		code: 'this.items[itemIndex]?.json',
		to: 'this.items[itemIndex].json',
		why: FOR_THE_TYPES,
	},
	{ file: 'pacing/expiringMap.ts', code: 'if (next &&', why: FOR_THE_TYPES },
	{
		file: 'pacing/expiringMap.ts',
		code: 'private soonest: Array',
		why: 'what is no entry of the map is passed over',
	},
	{
		file: 'pacing/expiringMap.ts',
		code: 'const latest = expiries',
		why: 'to sort all entries instead of a tenth only takes longer',
	},
	{
		file: 'pacing/expiringMap.ts',
		code: 'const soonest = [...this].filter',
		to: '[...this]',
		why: 'to sort all entries instead of a tenth only takes longer',
	},
	{
		file: 'pacing/processMemory.ts',
		code: 'if (limit?.clock !== clock) return undefined;',
		why: 'n8n has one clock, and only tests have several',
	},
	{
		file: 'pacing/quota.ts',
		code: 'if (limit === undefined || remaining === undefined)',
		why: 'a number that is missing is neither above nor below another',
	},
	{
		file: 'pacing/quota.ts',
		code: 'index >= this.heardBy',
		to: 'index > this.heardBy',
		why: 'each request is answered once',
	},
	{
		file: 'pacing/quota.ts',
		code: 'private readonly taken: Ticket[]',
		why: 'what is no ticket was not taken later than another',
	},
	{
		file: 'pacing/quota.ts',
		code: 'index > first',
		to: 'index >= first',
		why: 'the first refused request was not taken',
	},
	{
		file: 'pacing/quota.ts',
		code: 'const isGrowing = step > 1',
		to: 'step >= 1',
		why: 'a step of 1 would be none, and there is no such step',
	},
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
