import { AI_TRANSFORM_JS_CODE, NodeConnectionTypes } from 'n8n-workflow';

const TOO_OLD =
	'n8n-nodes-call-verification needs n8n 1.70 or newer. Update n8n, then install the package again.';

/**
 * An n8n that is too old lacks what the other files import (zod before 1.40), and its log would only show where that was
 * missed. So this file comes first, and without a stack. n8n does not tell its version, but these values came with 1.67
 * and 1.85. Nothing tells 1.67 to 1.69 from 1.70; the package was seen to work in 1.68, but is not tested there.
 */
if (AI_TRANSFORM_JS_CODE === undefined && NodeConnectionTypes === undefined) {
	throw Object.assign(new Error(TOO_OLD), { stack: TOO_OLD });
}
