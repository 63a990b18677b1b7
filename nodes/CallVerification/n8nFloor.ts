import { FORM_NODE_TYPE, NodeConnectionTypes } from 'n8n-workflow';

const TOO_OLD =
	'n8n-nodes-call-verification needs n8n 1.70 or newer. Update n8n, then install the package again.';

/**
 * An old n8n lacks modules that the other files import (zod before 1.40), and would only log a missing module. So this
 * file is imported first, and throws without a stack. n8n does not expose its version, but these values were added in
 * 1.66 and 1.85. Nothing distinguishes 1.66 to 1.69 from 1.70; the package worked in 1.68, but is not tested there.
 */
if (FORM_NODE_TYPE === undefined && NodeConnectionTypes === undefined) {
	throw Object.assign(new Error(TOO_OLD), { stack: TOO_OLD });
}
