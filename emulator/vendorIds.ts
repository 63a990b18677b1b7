/** Outgoing and inbound verifications share one sequence, so no identifier means both. */
export class VendorIds {
	private last = 700_000_000;

	next(): number {
		return ++this.last;
	}
}
