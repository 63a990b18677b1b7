import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { BASE_URL, credential, SECRET_KEY } from '../../harness/engine/n8nCore';
import { CHECKED, CONTINUE, startCall as startOf } from './parameters';
import { adviceOf, explanationOf, type Reply, runOn } from './wire';

const PHONE = '79001234567';

/** No retries: the error is the same, and comes sooner. */
const startCall = startOf({ phone: PHONE, requestOptions: { maxRetries: 0 } });

const REFUSED = 'The verification service refused the request';
const NOWHERE = 'http://127.0.0.1:1';

describe('a refusal of the service', () => {
	it.each([200, 400, 402, 500])(
		'comes out in the service’s own words with HTTP status %i (§1.5, §7.object, §7.http)',
		async (status) => {
			const body = { status: false, error: 'Insufficient funds', code: 402 };
			const { error } = await runOn({ status, body }, startCall);
			expect(error).toMatchObject({
				name: 'NodeApiError',
				message: `${REFUSED}: Insufficient funds (code 402)`,
				context: { itemIndex: 0 },
			});
		},
	);

	it.each<[what: string, body: object, error: object]>([
		[
			'says what to do next (§1.7, §5.1, §7.1)',
			{ status: false, error: 'Authentication failed', code: 401 },
			{
				httpCode: '401',
				description: expect.stringContaining(
					'“Secret Key”, “Service ID” and “Authentication Scheme”',
				),
			},
		],
		[
			'with a code outside 400 to 599 has no HTTP status (§7.codes)',
			{ status: false, error: 'No', code: 17 },
			{ message: expect.stringContaining('(code 17)'), httpCode: null },
		],
		[
			'without a message or code is still a clear error',
			{ status: false },
			{ message: `${REFUSED}: no reason given` },
		],
		[
			'is also an error message without the mark of a refusal',
			{ error: 'Unknown service' },
			{ message: `${REFUSED}: Unknown service` },
		],
	])('%s', async (_what, body, expected) => {
		expect((await runOn({ body }, startCall)).error).toMatchObject(expected);
	});
});

describe('an unusable answer', () => {
	const NOT_AN_ANSWER = 'Unexpected response from the verification service';
	const INCOMPLETE = 'Incomplete response from the verification service';
	const html = '<html><body>Welcome to our shop</body></html>';
	const list = [{ vendor_id: 1 }];
	const rounded = '{"status":true,"vendor_id":9007199254740993}';

	it.each<[what: string, reply: Reply, message: string, description: string]>([
		[
			'HTML',
			{ body: html },
			NOT_AN_ANSWER,
			'The response began with: <\u2060html><\u2060body>Welcome',
		],
		['an array', { body: list }, NOT_AN_ANSWER, 'The response was a list: [{"vendor_id":1}]'],
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
		['an HTTP error', { status: 404, body: {} }, `${REFUSED}: HTTP status 404`, 'base URL'],
		[
			'a record without its identifier',
			{ body: { status: true, phone: '7900***' } },
			`${INCOMPLETE}: “vendor_id” is missing`,
			'The response began with: {"status":true',
		],
		[
			'an identifier that JSON has rounded',
			{ body: rounded },
			`${INCOMPLETE}: “vendor_id” is too large to be exact`,
			'base URL',
		],
	])('%s is a clear error (§1.3)', async (_what, reply, message, description) => {
		const { error, success } = await runOn(reply, startCall);
		expect(error?.message).toBe(message);
		expect(error?.description).toContain(description);
		expect(success).toEqual([]);
	});
});

describe('a service that cannot be reached', () => {
	it('is distinguished from a refusal', async () => {
		const nowhere = { credential: credential({ baseUrl: NOWHERE }) };
		const { error } = await runOn([], startCall, nowhere);
		expect(error?.message).toBe(
			'The verification service cannot be reached: the connection was refused',
		);
		expect(error?.description).toContain('base URL');
	});
});

describe('the link in the description of an error', () => {
	const page = readFileSync(join(__dirname, '../../docs/errors.md'), 'utf8');
	const empty = { status: false, error: 'Insufficient funds', code: 1002 };

	it('leads to what a code of the service means', async () => {
		const { error } = await runOn({ body: empty }, startCall);
		expect(explanationOf(error)).toBe('#code-1002');
		expect(page).toContain('<a id="code-1002"></a>1002');
	});

	it('leads to what else can go wrong with a request', async () => {
		const { error } = await runOn({ body: 'not JSON' }, startCall);
		expect(explanationOf(error)).toBe('#requests-and-responses');
		expect(page).toContain('\n## Requests and responses\n');
	});

	it('leads to the whole page if a value is wrong', async () => {
		const { error } = await runOn([], startOf({ phone: 'nobody' }));
		expect(error).toMatchObject({ name: 'NodeOperationError', message: 'Not a phone number' });
		expect(adviceOf(error)).toMatch(/^Enter the number .* (?:are accepted|under Options)\.$/);
		expect(explanationOf(error)).toBe('');
	});

	it('is not in the item of a failed one, where it would be text', async () => {
		const { outputs } = await runOn({ body: empty }, startCall, CONTINUE);
		expect(outputs[0]?.error).toContain('Insufficient funds');
		expect(JSON.stringify(outputs[0])).not.toContain('<a');
	});
});

describe('nothing secret gets out', () => {
	const echo = `Cannot GET /v1.0/initCall?key=${SECRET_KEY}&phone=${PHONE} for +7 (900) 123-45-67`;
	const location = `${BASE_URL}/?key=${SECRET_KEY}`;

	it.each(
		Object.entries<Reply | undefined>({
			'HTML that repeats the request': { status: 404, body: `<pre>${echo}</pre>` },
			'a refusal that repeats the request': { body: { status: false, error: echo, code: 400 } },
			'a record that repeats the request': { body: { status: true, echo } },
			'a list that repeats the request': { body: [echo] },
			'a redirect that repeats the request': { status: 307, body: '', headers: { location } },
			'a connection that fails': undefined,
		}).flatMap(([what, reply]) =>
			['header', 'body', 'query'].map((scheme) => [what, scheme, reply] as const),
		),
	)('from %s (%s scheme)', async (_what, authScheme, reply) => {
		const parameters = { ...startCall, phone: '={{ $json.number }}' };
		const baseUrl = reply ? BASE_URL : NOWHERE;
		const { run, error } = await runOn(reply ?? [], parameters, {
			items: [{ number: PHONE }],
			credential: credential({ authScheme, baseUrl }),
		});
		const { error: thrown, runData } = run.data.resultData;
		const stored = JSON.stringify([thrown, runData.Verify]);
		expect(error).toBeDefined();
		expect(stored).not.toContain(SECRET_KEY);
		expect(stored.replace(/[^\d]/g, '')).not.toContain(PHONE);
	});

	it.each(['header', 'body', 'query'])(
		'from a result that repeats the request (%s scheme)',
		async (authScheme) => {
			const url = `/v1.0/initCall?key=${encodeURIComponent(SECRET_KEY)}`;
			const request = [{ [url]: `Bearer ${SECRET_KEY}.4711` }, JSON.stringify({ key: SECRET_KEY })];
			const body = { status: true, vendor_id: 1, code: '0042', client: SECRET_KEY, request };
			const { run, json } = await runOn({ body }, startCall, {
				credential: credential({ authScheme }),
			});
			expect(json).toMatchObject({ vendor_id: 1, code: '0042', client: '•••' });
			expect(JSON.stringify(run.data)).not.toContain(SECRET_KEY);
		},
	);
});

/** n8n renders hints and parts of errors as HTML, in which links work. */
describe('what files and services say is never a link', () => {
	const LINK = '<a href="https://evil.test">Log in</a>';
	const AS_TEXT = '<\u2060a href="https://evil.test">Log in<\u2060/a>';
	const header = `${LINK.replaceAll('"', "'")},Phone`;
	const checkFile = {
		resource: 'phoneNumber',
		operation: 'checkFile',
		binaryPropertyName: 'data',
		phoneColumn: '',
		options: {},
	};

	it('in an error of the service', async () => {
		const body = { status: false, error: LINK, code: 400 };
		const { error } = await runOn({ body }, startCall);
		expect(error?.message).toContain(AS_TEXT);
		expect(adviceOf(error)).not.toContain('<a');
		expect(JSON.stringify({ ...error, description: '' })).not.toContain('<a');
	});

	it('in what a response began with', async () => {
		const { error } = await runOn({ body: `${LINK} is not JSON` }, startCall);
		expect(error?.description).toContain(AS_TEXT);
	});

	it('in the name of a column', async () => {
		const files = [{ data: `${header}\nx,79160000000` }];
		const { error } = await runOn([], { ...checkFile, phoneColumn: 'Tel' }, { files });
		expect(error?.description).toContain("<\u2060a href='https://evil.test'>");
		expect(adviceOf(error)).not.toMatch(/<[a/]/);
	});

	it('in the name of a file', async () => {
		const content = Buffer.from('Name,Phone\n\xC8\xE2\xE0\xED,79160000000', 'latin1');
		const files = [{ data: { content, fileName: '<a href=x>.csv' } }];
		const { hints } = await runOn({ body: CHECKED }, checkFile, { files });
		expect(hints[0]).toContain('<\u2060a href=x>-checked.csv: the input is not UTF-8');
		expect(hints.join()).not.toContain('<a');
	});

	it('but in an item it is as it came, because no HTML is made of it', async () => {
		const body = { status: false, error: LINK, code: 400 };
		const { outputs } = await runOn({ body }, startCall, CONTINUE);
		expect(outputs[0]?.error).toContain(LINK);
	});
});
