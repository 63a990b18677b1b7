export interface InboundWait {
	readonly vendorId: number;
	readonly phone: string;
	readonly maskedPhone: string;
	readonly confirmationNumber: string;
	readonly callbackUrl: string;
	readonly startedAt: number;
	readonly expiresAt: number;
	/** When the user's call first arrived. */
	calledAt: number | undefined;
}

/** The users who were given a number to call. */
export class InboundWaits {
	readonly all: InboundWait[] = [];

	nextConfirmationNumber(): string {
		return `7495000${String(this.all.length % 10_000).padStart(4, '0')}`;
	}

	add(wait: InboundWait): void {
		this.all.push(wait);
	}

	find(vendorId: number): InboundWait | undefined {
		return this.all.find((wait) => wait.vendorId === vendorId);
	}

	waiting(now: number): InboundWait[] {
		return this.all.filter((wait) => wait.calledAt === undefined && now < wait.expiresAt);
	}

	/** The newest wait for a call from that phone: it has the number on the user's screen. */
	newestFrom(phone: string, now: number): InboundWait | undefined {
		return this.waiting(now).findLast((wait) => wait.phone === phone);
	}
}
