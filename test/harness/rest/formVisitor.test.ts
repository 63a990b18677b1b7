import Fastify, { type FastifyInstance } from 'fastify';
import { FormVisitor } from '../../../harness';

const NEVER_ANSWERED = undefined;
const page = (title: string, text: string) =>
	`<form id='n8n-form'><h1>${title}</h1><p>${text}</p></form>`;
const called = (ago: string) => page('We called you a moment ago', `That was ${ago} minutes ago.`);
const wrong = (left: number) => page('That was not the code', `Tries left: ${left}.`);

/** What n8n shows, one after another. */
let pages: Array<string | undefined>;
let n8n: FastifyInstance;
let visitor: FormVisitor;

beforeEach(async () => {
	n8n = Fastify({ forceCloseConnections: true });
	n8n.addContentTypeParser('multipart/form-data', (_request, payload, done) => {
		payload.resume().on('end', () => done(null));
	});
	n8n.post('/form', async () => ({ formWaitingUrl: `${n8n.listeningOrigin}/form-waiting/1` }));
	n8n.get('/form-waiting/1/n8n-execution-status', async () => 'form-waiting');
	n8n.get('/form-waiting/1', async (_request, reply) => {
		const html = pages.shift();
		if (html === NEVER_ANSWERED) reply.hijack();
		return html;
	});
	n8n.post('/form-waiting/1', async () => '');
	const address = await n8n.listen({ port: 0, host: '127.0.0.1' });
	visitor = await FormVisitor.start(`${address}/form`, '+7 900 000-00-01');
});

afterEach(async () => await n8n.close());

test('a visitor asks again for a page that n8n never answers', async () => {
	pages = [NEVER_ANSWERED, wrong(4)];
	expect(await visitor.nextPage()).toMatchObject({ text: 'Tries left: 4.' });
});

test('a visitor who has submitted a page waits for another, however long n8n shows the old one', async () => {
	pages = [called('0:59'), called('0:59'), called('1:00'), wrong(4), wrong(4), wrong(3)];
	for (const text of ['That was 0:59 minutes ago.', 'Tries left: 4.', 'Tries left: 3.']) {
		expect(await visitor.nextPage()).toMatchObject({ text });
		await visitor.submit('0000');
	}
});
