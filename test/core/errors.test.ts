import type { RunContext } from '../../harness/engine/n8nCore';
import {
	BASE_URL,
	credential,
	runNode as runWithRetries,
	SECRET_KEY,
} from '../../harness/engine/n8nCore';
import { startCall as startOf } from './parameters';
import type { Reply } from './wire';
import { wire } from './wire';

const PHONE = '79001234567';

/** No retries: the error is the same, and comes sooner. */
const runNode = async (run: RunContext) =>
	await runWithRetries({
		...run,
		parameters: { ...run.parameters, requestOptions: { maxRetries: 0 } },
	});

const startCall = startOf({ phone: PHONE });

describe('a refusal of the service', () => {
	const refusal = { status: false, error: 'Insufficient funds', code: 402 };

	it.each([200, 400, 402, 500])(
		'comes out in the service’s own words with HTTP status %i (§1.5, §7.object, §7.http)',
		async (status) => {
			wire({ status, body: refusal });
			const { error } = await runNode({ parameters: startCall });
			expect(error?.name).toBe('NodeApiError');
			expect(error?.message).toBe(
				'The verification service refused the request: Insufficient funds (code 402)',
			);
			expect(error?.context?.itemIndex).toBe(0);
		},
	);

	it('says what to do next (§1.7, §5.1, §7.1)', async () => {
		wire({ body: { status: false, error: 'Authentication failed', code: 401 } });
		const { error } = await runNode({ parameters: startCall });
		expect(error?.httpCode).toBe('401');
		expect(error?.description).toContain('“Secret Key”, “Service ID” and “Authentication Scheme”');
	});

	it('counts a code outside 400 to 599 as a refusal without an HTTP status (§7.codes)', async () => {
		wire({ body: { status: false, error: 'No', code: 17 } });
		const { error } = await runNode({ parameters: startCall });
		expect(error?.message).toContain('(code 17)');
		expect(error?.httpCode).toBeNull();
	});

	it('without a message or code is still a clear error', async () => {
		wire({ body: { status: false } });
		const { error } = await runNode({ parameters: startCall });
		expect(error?.message).toBe('The verification service refused the request: no reason given');
	});
});

describe('an unusable answer', () => {
	const NOT_AN_ANSWER = 'Unexpected response from the verification service';
	const html = '<html><body>Welcome to our shop</body></html>';

	const CASES: Array<[what: string, reply: Reply, message: string, description: string]> = [
		['HTML', { body: html }, NOT_AN_ANSWER, 'The response began with: <html><body>Welcome'],
		[
			'an array',
			{ body: [{ vendor_id: 1 }] },
			NOT_AN_ANSWER,
			'The response was a list: [{"vendor_id":1}]',
		],
		['an empty body', { body: '' }, NOT_AN_ANSWER, 'The response was empty.'],
		['null', { body: 'null' }, NOT_AN_ANSWER, 'The response was empty.'],
		['half a JSON body', { body: '{"status":true,"ven' }, NOT_AN_ANSWER, '{"status":true,"ven'],
		['a bare number', { body: '17' }, NOT_AN_ANSWER, 'The response began with: 17'],
		[
			'HTML with an HTTP error',
			{ status: 502, body: '<h1>Bad Gateway</h1>' },
			'The verification service responded with HTTP status 502',
			'Bad Gateway',
		],
		[
			'an HTTP error without words',
			{ status: 404, body: {} },
			'The verification service refused the request: HTTP status 404',
			'Base URL',
		],
		[
			'a record without its identifier',
			{ body: { status: true, phone: '7900***' } },
			'Incomplete response from the verification service: “vendor_id” is missing',
			'The response began with: {"status":true',
		],
		[
			'an identifier that JSON has rounded',
			{ body: '{"status":true,"vendor_id":9007199254740993}' },
			'Incomplete response from the verification service: “vendor_id” is too large to be exact',
			'Base URL',
		],
	];

	it.each(CASES)('%s is a clear error (§1.3)', async (_what, reply, message, description) => {
		wire(reply);
		const { error, success } = await runNode({ parameters: startCall });
		expect(error?.message).toBe(message);
		expect(error?.description).toContain(description);
		expect(success).toEqual([]);
	});

	it('an error message without the mark of a refusal counts as a refusal', async () => {
		wire({ body: { error: 'Unknown service' } });
		const { error } = await runNode({ parameters: startCall });
		expect(error?.message).toBe('The verification service refused the request: Unknown service');
	});
});

describe('a service that cannot be reached', () => {
	it('is distinguished from a refusal', async () => {
		const { error } = await runNode({
			parameters: startCall,
			credential: credential({ baseUrl: 'http://127.0.0.1:1' }),
		});
		expect(error?.message).toBe(
			'The verification service cannot be reached: the connection was refused',
		);
		expect(error?.description).toContain('Base URL');
	});
});

describe('nothing secret gets out', () => {
	const echo = `Cannot GET /v1.0/initCall?key=${SECRET_KEY}&phone=${PHONE} for +7 (900) 123-45-67`;
	const REPLIES: Array<[string, Reply]> = [
		['HTML that repeats the request', { status: 404, body: `<pre>${echo}</pre>` }],
		['a refusal that repeats the request', { body: { status: false, error: echo, code: 400 } }],
		['a record that repeats the request', { body: { status: true, echo } }],
		['a list that repeats the request', { body: [echo] }],
		[
			'a redirect that repeats the request',
			{ status: 307, body: '', headers: { location: `${BASE_URL}/?key=${SECRET_KEY}` } },
		],
	];

	it.each(
		REPLIES.flatMap(([what, reply]) =>
			['header', 'body', 'query'].map((scheme) => [what, scheme, reply] as const),
		),
	)('from %s (%s scheme)', async (_what, authScheme, reply) => {
		wire(reply);
		const { run, error } = await runNode({
			parameters: { ...startCall, phone: '={{ $json.number }}' },
			items: [{ number: PHONE }],
			credential: credential({ authScheme }),
		});
		const stored =
			JSON.stringify(run.data.resultData.error) +
			JSON.stringify(run.data.resultData.runData.Verify);
		expect(error).toBeDefined();
		expect(stored).not.toContain(SECRET_KEY);
		expect(stored.replace(/[^\d]/g, '')).not.toContain(PHONE);
	});

	it.each(['header', 'body', 'query'])(
		'from a connection that fails (%s scheme)',
		async (authScheme) => {
			const { run, error } = await runNode({
				parameters: { ...startCall, phone: '={{ $json.number }}' },
				items: [{ number: PHONE }],
				credential: credential({ authScheme, baseUrl: 'http://127.0.0.1:1' }),
			});
			const stored =
				JSON.stringify(run.data.resultData.error) +
				JSON.stringify(run.data.resultData.runData.Verify);
			expect(error).toBeDefined();
			expect(stored).not.toContain(SECRET_KEY);
			expect(stored).not.toContain(PHONE);
		},
	);
});
