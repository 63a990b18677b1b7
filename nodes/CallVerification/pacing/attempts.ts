/** Follows the attempts to get one response. */
export interface Attempts {
	/** An attempt may have taken effect, but there is no usable response. */
	readonly lost: () => void;
	/** Called before another attempt. It can wait, or throw if there must be none. */
	readonly again?: () => Promise<void>;
}

/** Whether any attempt was lost. */
export class LostAttempts implements Attempts {
	any = false;

	lost(): void {
		this.any = true;
	}
}
