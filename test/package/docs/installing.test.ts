import { parse } from 'yaml';
import { z } from 'zod';

import { filesOf } from '../../../harness';
import { examplesAs } from '../project';
import { codeBlocks, pages } from './pages';

const HOME = '/home/node';

const composeFiles = codeBlocks
	.filter(({ language }) => language === 'yaml')
	.map(({ page, code }) => ({ page, code }));
const composeFile = z.object({
	services: z.object({
		n8n: z
			.object({
				image: z.string(),
				environment: z.record(z.string()),
				ports: z.array(z.string()),
				restart: z.string(),
				volumes: z.array(z.string()),
			})
			.strict(),
	}),
	volumes: z.record(z.null()),
});

describe('the compose file', () => {
	it('is the same in README and Installation', () => {
		expect(composeFiles.map(({ page }) => page)).toEqual(['README.md', 'docs/installation.md']);
		expect(new Set(composeFiles.map(({ code }) => code)).size).toBe(1);
	});

	describe.each(composeFiles)('in $page', ({ code }) => {
		const read = () => composeFile.parse(parse(code));
		const n8n = () => read().services.n8n;
		/** What the file puts at a path in the container: a volume, or a folder beside the file. */
		const sourceOf = (path: string) =>
			n8n()
				.volumes.map((volume) => volume.split(':'))
				.find(([, target]) => target === path)?.[0] ?? 'nothing';

		it('names one version of n8n, so that a new one does not come unasked', () => {
			expect(n8n().image).toMatch(/^docker\.n8n\.io\/n8nio\/n8n:\d+\.\d+\.\d+$/);
		});

		// n8n 3 loads the package only with this.
		it('allows packages that n8n has not verified', () => {
			expect(n8n().environment).toMatchObject({ N8N_UNVERIFIED_PACKAGES_ENABLED: 'true' });
		});

		it('keeps workflows, credentials and the package in a volume that it declares', () => {
			expect(Object.keys(read().volumes)).toContain(sourceOf(`${HOME}/.n8n`));
		});

		// n8n's image does not have this folder, so Docker would create a volume that only root can write to.
		it('keeps the files of lists in a folder beside it, not in a volume', () => {
			expect(sourceOf(filesOf(HOME))).toMatch(/^\.\//);
		});
	});
});

describe('the way to import a workflow', () => {
	const workflow = z.object({
		nodes: z.array(z.object({ parameters: z.object({ content: z.string().optional() }) })),
	});
	const texts = [
		...pages,
		...examplesAs((json) => workflow.parse(json)).map(({ file, nodes }) => ({
			path: `examples/${file}`,
			text: nodes.map(({ parameters }) => parameters.content ?? '').join('\n'),
		})),
	];

	it('is not one that n8n 3 has removed', () => {
		expect(texts.length).toBeGreaterThan(40);
		const stale = texts.filter(({ text }) => /\bfrom URL\b/i.test(text));
		expect({ 'have people copy and paste instead': stale.map(({ path }) => path) }).toEqual({
			'have people copy and paste instead': [],
		});
	});

	it('is the same in every first step, and says where the other ways are', () => {
		const steps = pages.flatMap(({ path, text }) =>
			[...text.matchAll(/^\d\. .*(?:select all|click the canvas|Ctrl\+V).*$/gm)].map(([step]) => ({
				path,
				step,
			})),
		);
		expect(steps.length).toBeGreaterThan(3);
		const other = steps.filter(
			({ step }) =>
				!step.includes(
					', select all and copy (Ctrl+A, Ctrl+C). In n8n, open an empty workflow, click the canvas, and paste (Ctrl+V) ([other ways](../README.md#examples)).',
				),
		);
		expect(other).toEqual([]);
	});
});

describe('the variable for addresses from outside', () => {
	it('has its new name everywhere, and its older one once', () => {
		const older = pages.flatMap(({ path, text }) =>
			[...text.matchAll(/(?<!N8N_)\bWEBHOOK_URL\b/g)].map(() => path),
		);
		expect(older).toEqual(['docs/installation.md']);
	});
});
