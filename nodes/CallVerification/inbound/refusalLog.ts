import type { IWebhookFunctions } from 'n8n-workflow';

import { excerpt, maskNumbers } from '../transport/redact';

const MINUTE = 60_000;

/** More than an n8n has workflows that refuse events in the same minutes. */
const MOST_KINDS = 1_000;

/** At most one line per kind and minute, because strangers decide how many events there are. */
export class LinesPerMinute {
	private readonly kinds = new Map<string, { shownAt: number; hidden: number }>();

	get size(): number {
		return this.kinds.size;
	}

	/** How many lines were left out since the last one; undefined if this one is left out too. */
	claim(kind: string, now: number): number | undefined {
		const known = this.kinds.get(kind);
		// Either way, because a clock that is set back must not silence the log.
		if (known !== undefined && Math.abs(now - known.shownAt) < MINUTE) {
			known.hidden += 1;
			return undefined;
		}
		this.kinds.delete(kind);
		const [oldest] = this.kinds.keys();
		if (oldest !== undefined && this.size >= MOST_KINDS) this.kinds.delete(oldest);
		this.kinds.set(kind, { shownAt: now, hidden: 0 });
		return known?.hidden ?? 0;
	}
}

const lines = new LinesPerMinute();

export function logRefusal(context: IWebhookFunctions, why: string, now: number): void {
	const { id, name } = context.getWorkflow();
	const hidden = lines.claim(`${id} ${why}`, now);
	if (hidden === undefined) return;
	const workflow = `workflow “${excerpt(name ?? '')}”, ID ${id}`;
	const more = hidden === 0 ? '' : ` (${hidden} more since the last such line)`;
	context.logger.warn(
		`An event about an inbound call was refused (${workflow}): ${excerpt(maskNumbers(why))}${more}`,
	);
}
