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
const NONE_IS_COUNTED = 'where no attempt is free, this one counts, and is not given back';
const NEVER_DUE = 'what has no time is never due, and is dropped with the next removal';
const SAME_FOR_NOTHING = 'a function that returns nothing is undefined';
const GIVEN_BEFORE = 'an earlier step, stopInTime, gives it to every request';
const HAS_KNOWN_CODE = 'only an error with a known code, and so with advice, refuses everything';
const NO_CODE = 'nothing is listed under “undefined”';
const NO_ADDRESS = 'what is no text becomes a text that is refused; which one, does not matter';
const NOT_BETTER = 'a result that is no better is not taken, and only read for nothing';
const NO_CELL = 'what does not say its number belongs to no cell';
const MORE_ARE_SORTED = 'to sort more or fewer entries than a tenth only takes longer';
const NO_COLUMN = 'a cell without a column is empty, and then the number of its result counts';
const NOT_MERGED =
	'without a file of known numbers, nobody reads what would be merged into it; it only takes memory';

/** Mutants no test can detect, because the behavior stays the same. */
export const EQUIVALENT: readonly Equivalent[] = [
	{
		file: 'transport/credential.ts',
		code: "typeof value === 'string' ? value : ''",
		why: NO_ADDRESS,
	},
	{
		file: 'transport/credential.ts',
		code: "test(address)) return ''",
		to: '"Stryker was here!"',
		why: NO_ADDRESS,
	},
	{
		file: 'transport/credential.ts',
		code: "new URL(whole).href : ''",
		to: '"Stryker was here!"',
		why: NO_ADDRESS,
	},
	{
		file: 'transport/credential.ts',
		code: "id: '', name: ''",
		to: '"Stryker was here!"',
		why: 'of a credential that n8n is given, it uses nothing but the data',
	},
	{
		file: 'transport/credential.ts',
		code: 'if (!isRecord(value)) return false',
		to: 'false',
		why: 'what is no object has a prototype that has one, too, as a list has',
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
	{ file: 'codes/call.ts', code: '} catch {', why: SAME_FOR_NOTHING },
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
		file: 'codes/callGuards.ts',
		code: "isTool ? 'tool'",
		to: '""',
		why: 'it only has to be the same for all passes of a tool',
	},
	{ file: 'codes/codeChecks.ts', code: "this.digest('verdict',", to: '""', why: ONLY_A_LABEL },
	{ file: 'codes/codeChecks.ts', code: "this.digest('wrong',", to: '""', why: ONLY_A_LABEL },
	{ file: 'codes/codeChecks.ts', code: "this.digest('mark',", to: '""', why: ONLY_A_LABEL },
	{ file: 'codes/codeChecks.ts', code: "this.entries('used', 0)", to: '""', why: ONLY_A_LABEL },
	{
		file: 'codes/codeChecks.ts',
		code: "this.digest, 'day', day",
		to: '""',
		why: 'whatever is not “call” counts for a day',
	},
	{
		file: 'codes/codeChecks.ts',
		code: "this.isStored = stored !== 'none'",
		to: '""',
		why: NONE_IS_COUNTED,
	},
	{
		file: 'codes/codeChecks.ts',
		code: "this.isStored = stored !== 'none'",
		to: 'true',
		why: NONE_IS_COUNTED,
	},
	{
		file: 'codes/codeChecks.ts',
		code: "this.entries('used', this.number + 1",
		to: 'this.number - 1',
		why: 'the marks of earlier attempts are there, or nobody looks for them',
	},
	{
		file: 'codes/codeChecks.ts',
		code: 'number === this.number ? 1 : number',
		to: 'true',
		why: 'to add again what is there only takes longer',
	},
	{
		file: 'codes/nodeRow.ts',
		code: 'outdatedEntries.get(this.key) ?? []',
		to: '["Stryker was here"]',
		why: NEVER_DUE,
	},
	{
		file: 'codes/nodeRow.ts',
		code: "context.getNode().id : ''",
		to: '"Stryker was here!"',
		why: 'no node has such an ID, either',
	},
	{
		file: 'codes/usedCalls.ts',
		code: "used: this.digest('used', id)",
		to: '""',
		why: 'the labels of the two entries still differ',
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
		file: 'transport/pipeline.ts',
		code: 'request.attempts?.again',
		to: 'request.attempts.again',
		why: GIVEN_BEFORE,
	},
	{
		file: 'transport/pipeline.ts',
		code: 'if (isLost) request.attempts?.lost',
		to: 'request.attempts.lost',
		why: GIVEN_BEFORE,
	},
	{
		file: 'transport/pipeline.ts',
		code: 'attempt: 1, isUrgent: false',
		to: 'true',
		why: 'an earlier step, retryFailures, sets it for each attempt',
	},
	{
		file: 'contract/errorCodes.ts',
		code: "concerns: 'item'",
		why: 'what is of no other kind concerns one item; it has a name for the docs',
	},
	{
		file: 'contract/fields.ts',
		code: "code: 'custom'",
		why: 'nobody looks at the kind of an issue with a response',
	},
	{ file: 'contract/fields.ts', code: 'fields[name]?.read(', why: FOR_THE_TYPES },
	{
		file: 'contract/fields.ts',
		code: 'const unchanged',
		why: 'a reader that gives nothing leaves the value as it came',
	},
	{
		file: 'contract/fields.ts',
		code: 'if (otherName === undefined ||',
		to: 'false',
		why: 'only the compiler asks: no record has a field named “undefined”',
	},
	{ file: 'contract/request.ts', code: 'issue?.', why: FOR_THE_TYPES },
	{ file: 'inbound/inboundEvent.ts', code: 'issue?.', why: FOR_THE_TYPES },
	{
		file: 'inbound/inboundEvent.ts',
		code: "typeof value === 'number' && Number.isSafeInteger(value)",
		why: FOR_THE_TYPES,
	},
	{ file: 'inbound/callbackSeal.ts', code: "[exp = ''", why: FOR_THE_TYPES },
	{ file: 'inbound/callbackSeal.ts', code: "[, path = ''", why: FOR_THE_TYPES },
	{
		file: 'inbound/callbackSeal.ts',
		code: "[name = '']",
		why: 'what is empty belongs to no seal, and neither does a name that no seal has',
	},
	{ file: 'inbound/callbackUrl.ts', code: "getNodeWebhookUrl('default') ?? ''", why: NO_ADDRESS },
	{ file: 'inbound/inboundEvent.ts', code: "getNodeWebhookUrl('default') ?? ''", why: NO_ADDRESS },
	{
		file: 'inbound/inboundEvent.ts',
		code: "['content-type'] ?? ''",
		to: '"Stryker was here!"',
		why: 'no type is as good as any text that is not the type of a form',
	},
	{
		file: 'inbound/inboundEvent.ts',
		code: ": 'first';",
		to: '""',
		why: 'an event is accepted that is neither repeated nor conflicting',
	},
	{
		file: 'inbound/inboundEvent.ts',
		code: "'eventAuthentication', 'signature'",
		to: '""',
		why: 'whatever is not “none” asks for a signature',
	},
	{
		file: 'inbound/ipAllowlist.ts',
		code: "(ip = '') =>",
		to: '"Stryker was here!"',
		why: 'neither is an address',
	},
	{
		file: 'pacing/budget.ts',
		code: 'if (cost === 0) this.free++',
		why: 'once something has cost, or may have, what was free no longer counts',
	},
	{ file: 'pacing/retry.ts', code: 'this.noResponse?.leftMs', why: FOR_THE_TYPES },
	{ file: 'pacing/retry.ts', code: 'this.noResponse?.forMs ?? 0);', why: FOR_THE_TYPES },
	{
		file: 'run/options.ts',
		code: "'type' in option ? option",
		to: 'true',
		why: FOR_THE_TYPES,
	},
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
		file: 'run/options.ts',
		code: 'requestOptionsField.options?.map(',
		to: 'requestOptionsField.options.map',
		why: FOR_THE_TYPES,
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
		code: 'const expiries = Float64Array',
		why: MORE_ARE_SORTED,
	},
	{ file: 'pacing/expiringMap.ts', code: 'const latest = expiries', why: MORE_ARE_SORTED },
	{
		file: 'pacing/expiringMap.ts',
		code: 'const soonest = [...this].filter',
		to: '[...this]',
		why: MORE_ARE_SORTED,
	},
	{
		file: 'pacing/expiringMap.ts',
		code: 'const soonest = [...this].filter',
		to: 'false',
		why: MORE_ARE_SORTED,
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
		file: 'transport/errors.ts',
		code: "?? 'The service refused'",
		to: 'knownError(code).meaning',
		why: HAS_KNOWN_CODE,
	},
	{
		file: 'transport/errors.ts',
		code: "known?.advice ?? ''",
		to: 'known.advice',
		why: HAS_KNOWN_CODE,
	},
	{
		file: 'transport/errors.ts',
		code: "known?.advice ?? ''",
		to: '"Stryker was here!"',
		why: HAS_KNOWN_CODE,
	},
	{
		file: 'transport/errors.ts',
		code: "typeof message === 'string' && /wrong",
		to: 'true',
		why: FOR_THE_TYPES,
	},
	{ file: 'transport/ownAddress.ts', code: '} catch {', why: SAME_FOR_NOTHING },
	{
		file: 'transport/response.ts',
		code: 'code === undefined ? undefined : method.errors',
		to: 'false',
		why: NO_CODE,
	},
	{
		file: 'transport/response.ts',
		code: 'code === undefined ? undefined : ADVICE_FOR_STATUS',
		to: 'false',
		why: NO_CODE,
	},
	{
		file: 'transport/response.ts',
		code: "if (typeof number !== 'number') return",
		to: 'false',
		why: 'what is no number is no known code, and looks like no HTTP status',
	},
	{
		file: 'transport/response.ts',
		code: 'code !== undefined && (code === 408',
		to: 'true',
		why: 'undefined looks like no HTTP status',
	},
	{
		file: 'phones/phone.ts',
		code: '/^\\+[08]/.test(number)',
		why: 'there is no plus sign but at the start',
	},
	{
		file: 'phones/knownNumbers.ts',
		code: 'if (piece.length > PIECE) {',
		why: 'the file is the same, from however many pieces',
	},
	{
		file: 'phones/knownNumbers.ts',
		code: 'if (source === undefined) throw',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/knownNumbers.ts',
		code: "source.writtenAt(at) ?? ''",
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/knownNumbers.ts',
		code: 'if (places.length <= most) return places;',
		to: 'false',
		why: 'if all have room, none of them is too old',
	},
	{
		file: 'phones/knownNumbers.ts',
		code: 'if (places.length <= most) return places;',
		to: 'places.length < most',
		why: 'if all have room, none of them is too old',
	},
	{
		file: 'phones/knownNumbers.ts',
		code: '[places.length - most] ?? -Infinity',
		to: '+Infinity',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/knownNumbers.ts',
		code: 'times[index] ?? -Infinity',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/knownNumbers.ts',
		code: 'if (time !== oldest) return time > oldest',
		to: 'time >= oldest',
		why: 'they are not equal there',
	},
	{
		file: 'phones/knownNumbers.ts',
		code: "const { text = ''",
		to: '"Stryker was here!"',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/knownNumbers.ts',
		code: 'numbers[place]?.result ?? NO_RESULT',
		to: 'numbers[place].result',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/knownNumbers.ts',
		code: 'numbers[place]?.result?.cost',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/knownNumbers.ts',
		code: 'hasPrices: true',
		why: 'only files are put in order by it',
	},
	{
		file: 'phones/knownNumbers.ts',
		code: 'const cell = column === undefined',
		to: 'false',
		why: NO_COLUMN,
	},
	{
		file: 'phones/listChecks.ts',
		code: 'if (isLimit || (isOfEveryNumber',
		to: 'false',
		why: 'each further number finds out by itself that the limit is reached, which only takes longer',
	},
	{
		file: 'phones/listChecks.ts',
		code: 'if (number !== undefined) await this.check',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/listChecks.ts',
		code: 'if (!stop.aborted) return;',
		to: 'false',
		why: 'without a stop, every number has its result by then',
	},
	{
		file: 'phones/listChecks.ts',
		code: 'checks.spend({ key, most: maxChecks }',
		to: '() => undefined',
		why: 'what has no price counts as the dearest check, which is 1 as well',
	},
	{
		file: 'phones/listChecks.ts',
		code: 'index < (this.problem?.index',
		to: 'index <= (this.problem?.index ?? Infinity)',
		why: 'no number is left twice',
	},
	{
		file: 'phones/listChecks.ts',
		code: 'phone_e164: number === text ? text',
		to: 'false',
		why: 'the same text, only twice in memory',
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'numbers.ofCells[index]?.push(',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'this.ofCells[index]?.[row]',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'this.columns[index]?.results',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'return set === undefined ? NO_RESULT',
		to: 'false',
		why: FOR_THE_TYPES,
	},
	{
		file: 'phones/listNumbers.ts',
		code: "new ListNumber(key, text ?? '')",
		why: 'nobody reads the text of a number that cannot be read',
	},
	{
		file: 'phones/listNumbers.ts',
		code: "if (checked === '') return;",
		to: 'false',
		why: NO_CELL,
	},
	{
		file: 'phones/listNumbers.ts',
		code: "if (checked === '') return;",
		to: '"Stryker was here!"',
		why: NO_CELL,
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'const cell = column === undefined',
		to: 'false',
		why: NO_COLUMN,
	},
	{
		file: 'phones/listNumbers.ts',
		code: '(number) => number && !this.hasNewer',
		to: 'true',
		why: NOT_BETTER,
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'if (!mayHelp) return;',
		to: 'false',
		why: NOT_BETTER,
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'private hasNewer(',
		why: NOT_BETTER,
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'if (known === undefined || !isAsGoodAsNew(known',
		to: 'true',
		why: NOT_BETTER,
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'return timeOf(known) >= timeOf(checkedAt);',
		to: 'false',
		why: NOT_BETTER,
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'return timeOf(known) >= timeOf(checkedAt);',
		to: 'timeOf(known) > timeOf(checkedAt)',
		why: NOT_BETTER,
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'byCell !== undefined && byCell !== byNumber',
		to: 'true',
		why: 'to offer the same result twice is to offer it once',
	},
	{
		file: 'phones/listNumbers.ts',
		code: 'return number?.from === undefined',
		to: 'true',
		why: 'what is offered to a number that has its result is not used',
	},
	{ file: 'inbound/callbackUrl.ts', code: "?? ''))?.[0]", why: FOR_THE_TYPES },
	{ file: 'inbound/callbackUrl.ts', code: 'isPrivateAddress?.(', why: FOR_THE_TYPES },
	{
		file: 'transport/redact.ts',
		code: '/\\p{Cs}$/u',
		to: '/\\p{Cs}/u',
		why: 'there is half a character only where it was cut: storable leaves no other',
	},
	{
		file: 'transport/redact.ts',
		code: 'text.length < secret.length ? text',
		to: 'false',
		why: 'only saves time: no spelling of a key is shorter than the key',
	},
	{
		file: 'transport/redact.ts',
		code: 'length < one.length',
		to: 'length <= one.length',
		why: 'up to one more than its length is still all of it',
	},
	{
		file: 'operations/call/get.ts',
		code: "error instanceof Error ? error.message : ''",
		why: FOR_THE_TYPES,
	},
	{ file: 'operations/call/checkCode.ts', code: "digest('call',", to: '""', why: ONLY_A_LABEL },
	{ file: 'operations/call/checkCode.ts', code: "digest('phone',", to: '""', why: ONLY_A_LABEL },
	{ file: 'operations/call/repeat.ts', code: "once(['repeat',", to: '""', why: ONLY_A_LABEL },
	{
		file: 'operations/inboundCall/start.ts',
		code: "once(['inboundCall',",
		to: '""',
		why: ONLY_A_LABEL,
	},
	{ file: 'operations/call/start.ts', code: '} catch {', why: SAME_FOR_NOTHING },
	{
		file: 'operations/phoneNumber/checkFile.ts',
		code: '.catch(() => [])',
		to: '["Stryker was here"]',
		why: 'no column has such a number',
	},
	{
		file: 'operations/phoneNumber/checkFile.ts',
		code: 'const toMerge = options.knownNumbers',
		to: '["Stryker was here"]',
		why: NOT_MERGED,
	},
	{
		file: 'operations/phoneNumber/checkFile.ts',
		code: 'const toMerge = options.knownNumbers',
		to: 'false',
		why: NOT_MERGED,
	},
	{
		file: 'operations/phoneNumber/checkFile.ts',
		code: "file.labels[column] ?? ''",
		why: FOR_THE_TYPES,
	},
	{
		file: 'operations/phoneNumber/checkFile.ts',
		code: 'path.replace(/^.*[/\\\\]/s',
		to: '/.*[/\\\\]/s',
		why: 'only saves time: the first match begins at the start anyway',
	},
];
