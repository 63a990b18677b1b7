import Sequencer from '@jest/test-sequencer';
import type { Test } from '@jest/test-result';

/** The longest, also where jest has not measured them yet. The first one needs the whole memory of a new process. */
const FIRST = [
	'transport/hostileText',
	'core/outages',
	'pacing/adaptiveLimit',
	'core/contributing',
	'pacing/simulatedLimits',
	'phones/listFileProperties',
	'e2e/crmBitrix24',
	'e2e/loginApi',
	'e2e/browserForm',
	'e2e/attackTable',
	'e2e/verificationReport',
	'e2e/examples',
];

export default class LongestFirst extends Sequencer {
	override async sort(tests: Test[]): Promise<Test[]> {
		const rank = ({ path }: Test) => {
			const place = FIRST.findIndex((name) => path.endsWith(`${name}.test.ts`));
			return place === -1 ? FIRST.length : place;
		};
		return [...(await super.sort(tests))].sort((one, other) => rank(one) - rank(other));
	}
}
