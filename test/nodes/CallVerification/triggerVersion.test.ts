import { CallVerificationTrigger } from '../../../nodes/CallVerification/CallVerificationTrigger.node';

describe('the version of the trigger', () => {
	it('is not 1, for which n8n evaluates its own expression on every request', () => {
		expect(new CallVerificationTrigger().description.version).toBeGreaterThan(1);
	});
});
