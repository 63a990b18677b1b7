import { createHash } from 'node:crypto';

/**
 * The same parts always give the same key, so that a node that n8n runs again repeats its requests instead of making
 * new ones. Formatted as a UUID v4, as the contract requires.
 */
export function idempotencyKey(parts: ReadonlyArray<string | number | undefined>): string {
	// JSON keeps ["a", "b"] and ["a,b"] apart; undefined becomes null.
	const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	const hex = bytes.toString('hex');
	return [
		hex.slice(0, 8),
		hex.slice(8, 12),
		hex.slice(12, 16),
		hex.slice(16, 20),
		hex.slice(20),
	].join('-');
}
