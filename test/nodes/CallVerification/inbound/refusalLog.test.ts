import { LinesPerMinute } from '../../../../nodes/CallVerification/inbound/refusalLog';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

describe('lines about refused events', () => {
	it('are shown once per kind and minute, and then say how many were left out', () => {
		const lines = new LinesPerMinute();
		expect(lines.claim('expired', NOW)).toBe(0);
		expect(lines.claim('expired', NOW + 1)).toBeUndefined();
		expect(lines.claim('expired', NOW + MINUTE - 1)).toBeUndefined();
		expect(lines.claim('forged', NOW + MINUTE - 1)).toBe(0);
		expect(lines.claim('expired', NOW + MINUTE)).toBe(2);
		expect(lines.claim('expired', NOW + 2 * MINUTE)).toBe(0);
	});

	it('are not silenced by a clock that is set back', () => {
		const lines = new LinesPerMinute();
		lines.claim('expired', NOW);
		expect(lines.claim('expired', NOW - 60 * MINUTE)).toBe(0);
	});

	it('take a bounded memory, and forget the kind first that was shown longest ago', () => {
		const lines = new LinesPerMinute();
		for (let kind = 0; kind <= 1_000; kind += 1) lines.claim(String(kind), NOW + kind);
		expect(lines.size).toBe(1_000);
		expect(lines.claim('1', NOW + 1_000)).toBeUndefined();
		expect(lines.claim('0', NOW + 1_000)).toBe(0);
	});
});
