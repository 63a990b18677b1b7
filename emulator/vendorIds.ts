/** Identifiers are shared by outgoing and inbound verifications, so none ever means both. */
export class VendorIds {
	private last = 700_000_000;

	next(): number {
		return ++this.last;
	}
}
