import type { IExecuteFunctions } from 'n8n-workflow';

import { InputError } from '../contract/request';
import type { LostAttempts } from '../pacing/retry';
import type { Clock } from '../pacing/time';
import type { PhoneDigits } from '../phones/phone';
import { type AccountDigest, accountDigest, type ServiceAccess } from '../transport/credential';
import { openToken, sealToken, TOKEN_LIFETIME_SECONDS, type VendorId } from './call';
import { A_DAY, AN_HOUR, CallLimits, MOST_LIMIT_ENTRIES, releasedUnlessMade } from './callLimits';
import { CodeChecks } from './codeChecks';
import { Cooldown } from './cooldown';
import { NodeRow } from './nodeRow';
import { MOST_USE_ENTRIES, UsedCalls } from './usedCalls';

/** 0: no limit. */
interface CallLimitOptions {
	readonly limitKey?: string;
	readonly maxCallsPerHour: number;
	readonly maxCallsPerKey: number;
	readonly maxCallsPerNumber?: number;
}

/** What keeps strangers from misusing calls and codes: limits, cooldowns, tokens, and code checks. */
export class CallGuards {
	readonly digest: AccountDigest;
	readonly codeChecks: CodeChecks;
	readonly cooldown: Cooldown;
	private readonly limits: CallLimits;

	constructor(
		context: IExecuteFunctions,
		private readonly access: ServiceAccess,
		private readonly clock: Clock,
		random: () => number,
		isTool: boolean,
	) {
		this.digest = accountDigest(access);
		const pass = passOf(context, isTool);
		this.codeChecks = new CodeChecks(context, this.digest, clock, random, pass);
		const rowOf = (scope: 'node' | 'workflow', capacity: number, counts: string) =>
			context.getMode() === 'manual'
				? undefined
				: new NodeRow(context, clock, random, { scope, capacity, counts });
		const row = rowOf('node', MOST_LIMIT_ENTRIES, 'Calls');
		const usesRow = rowOf('workflow', MOST_USE_ENTRIES, 'Used codes');
		const node = `${context.getWorkflow().id} ${context.getNode().id}`;
		this.limits = new CallLimits(node, row, this.digest, clock, random);
		const execution = { memory: context.getContext('node'), pass };
		const usedCalls = new UsedCalls(usesRow, this.digest, clock);
		this.cooldown = new Cooldown(row, usedCalls, this.digest, clock, execution);
	}

	sealToken(uid: VendorId, phone: PhoneDigits): string | null {
		const expiresAt = Math.floor(this.clock.wallTime() / 1_000) + TOKEN_LIFETIME_SECONDS;
		return sealToken({ uid, phone: String(phone), expiresAt }, this.access.secretKey);
	}

	openToken(token: string) {
		const content = openToken(token, this.access.secretKey, this.clock.wallTime() / 1_000);
		return { ...content, issuedAt: (content.expiresAt - TOKEN_LIFETIME_SECONDS) * 1_000 };
	}

	/** A call that failed counts only if it may have been made. Without an idempotency key, `key` is a new object. */
	async withinLimits<T>(
		options: CallLimitOptions,
		phone: PhoneDigits,
		key: string | object,
		attempts: LostAttempts,
		start: () => Promise<T>,
	): Promise<T> {
		const { refusedBy, release } = await this.limits.claim(this.limitsOf(options, phone), key);
		if (refusedBy !== undefined) {
			const { who, field, most, within } = refusedBy;
			throw new InputError(
				`${who} has reached its limit of calls within ${within}, so the call was not started`,
				`“${field}” is ${most}. Raise it, or try again later.`,
			);
		}
		return await releasedUnlessMade(start, attempts, release);
	}

	/** The key first: whoever has used up their own calls is not told about those of others. */
	private limitsOf(options: CallLimitOptions, phone: PhoneDigits) {
		const { limitKey, maxCallsPerHour, maxCallsPerKey, maxCallsPerNumber = 0 } = options;
		const today = Math.floor(this.clock.wallTime() / A_DAY.length);
		return [
			{
				id: this.digest('limit key', limitKey ?? ''),
				most: limitKey === undefined ? 0 : maxCallsPerKey,
				period: AN_HOUR,
				within: 'an hour',
				who: 'This limit key',
				field: 'Max Calls per Hour and Key',
			},
			{
				id: this.digest('calls to', phone, today),
				most: maxCallsPerNumber,
				period: A_DAY,
				within: 'a day',
				who: 'This number',
				field: 'Max Calls per Number and Day',
			},
			{
				id: 'node',
				most: maxCallsPerHour,
				period: AN_HOUR,
				within: 'an hour',
				who: 'This node',
				field: 'Max Calls per Hour',
			},
		].filter(({ most }) => most > 0);
	}
}

/** Different for each pass of a loop. For a tool always the same, because n8n increases its run index on every retry. */
export const passOf = (context: IExecuteFunctions, isTool: boolean) =>
	isTool ? 'tool' : Number(context.evaluateExpression('{{ $runIndex }}', 0));
