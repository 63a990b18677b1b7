import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const FOLDER = join(__dirname, '../../examples');

/** Triggers that strangers can reach once the workflow is published or made public. */
const PUBLIC_TRIGGERS = [
	'n8n-nodes-base.webhook',
	'n8n-nodes-base.formTrigger',
	'@n8n/n8n-nodes-langchain.chatTrigger',
];

const parameters = z.object({
	resource: z.string().optional(),
	operation: z.string().optional(),
	authentication: z.string().optional(),
	uid: z.string().optional(),
	options: z
		.object({
			allowedPrefixes: z.string().default(''),
			cooldown: z.number().default(0),
			hideCode: z.boolean().default(false),
			maxAttempts: z.number().default(5),
			maxCallsPerHour: z.number().default(0),
			requireToken: z.boolean().default(false),
			validFor: z.number().default(10),
		})
		.default({}),
});
const example = z.object({
	nodes: z.array(z.object({ name: z.string(), type: z.string(), parameters })),
});

const examples = readdirSync(FOLDER)
	.map((file) => ({
		file,
		nodes: example.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))).nodes,
	}))
	.filter(({ nodes }) => nodes.some(({ type }) => PUBLIC_TRIGGERS.includes(type)));

describe.each(examples)('$file, which strangers can reach', ({ nodes }) => {
	const operations = (resource: string, operation: string) =>
		nodes.filter(
			({ parameters: given }) => given.resource === resource && given.operation === operation,
		);
	const starts = operations('call', 'start');
	const checks = operations('call', 'checkCode');

	it('limits the countries, the calls per number and the calls per hour', () => {
		for (const { name, type, parameters: given } of starts) {
			const { allowedPrefixes, cooldown, maxCallsPerHour, hideCode } = given.options;
			expect([name, 'Allowed Prefixes', allowedPrefixes]).not.toContain('');
			expect([name, 'Cooldown per Number', cooldown]).not.toContain(0);
			expect([name, 'Max Calls per Hour', maxCallsPerHour]).not.toContain(0);
			// A tool never shows the code.
			expect([name, 'Hide Code', hideCode || type.endsWith('Tool')]).not.toContain(false);
		}
		for (const { name, parameters: given } of operations('inboundCall', 'start')) {
			expect([name, 'Allowed Prefixes', given.options.allowedPrefixes]).not.toContain('');
			expect([name, 'Max Calls per Hour', given.options.maxCallsPerHour]).not.toContain(0);
		}
	});

	it('checks codes by token, at most five times, and for a limited time', () => {
		for (const { name, parameters: given } of checks) {
			const { maxAttempts, requireToken, validFor } = given.options;
			expect([name, 'Require Token', requireToken]).toEqual([name, 'Require Token', true]);
			expect(maxAttempts).toBeGreaterThan(0);
			expect(maxAttempts).toBeLessThanOrEqual(5);
			expect(validFor).toBeGreaterThan(0);
			// A second start in a slot returns the first call, whose code should still be valid.
			for (const start of starts) {
				expect(start.parameters.options.cooldown).toBeLessThanOrEqual(validFor);
			}
		}
	});

	it('asks for authentication at its webhooks', () => {
		const webhooks = nodes.filter(({ type }) => type === 'n8n-nodes-base.webhook');
		expect(webhooks.filter(({ parameters: given }) => given.authentication === undefined)).toEqual(
			[],
		);
	});
});
