import { pages } from './docs/pages';
import { filesIn, manifest, read } from './project';

/** Points of docs/maintainers/verification.md that no other test covers. */

const sources = ['nodes', 'credentials']
	.flatMap((folder) => filesIn(folder, /\.(?:ts|json)$/))
	.map((path) => ({ path, text: read(path) }));
describe('what n8n requires of a verified package', () => {
	it('name, keyword and licence', () => {
		expect(manifest.name).toMatch(/^n8n-nodes-/);
		expect(manifest.keywords).toContain('n8n-community-node-package');
		expect(manifest.license).toBe('MIT');
		expect(read('LICENSE')).toMatch(/^MIT License/);
	});

	it('an author', () => {
		expect(manifest.author).toEqual({
			name: expect.stringMatching(/./),
			email: expect.stringMatching(/@/),
		});
	});

	it('no environment variables and no files', () => {
		const reaching = sources.filter(({ text }) =>
			/process\.env|from '(?:node:)?(?:fs|fs\/promises|child_process)'|require\(/.test(text),
		);
		expect(reaching.map(({ path }) => path)).toEqual([]);
	});

	it('English only, apart from what is read in the lists of users', () => {
		const foreign = [
			...sources.filter(({ path }) => !path.includes('/phones/')),
			...pages.map(({ path, text }) => ({ path, text: text.replace(/`[^`]*`/g, '') })),
		].filter(({ text }) => /(?!\p{Script=Latin})\p{L}/u.test(text));
		expect(foreign.map(({ path }) => path)).toEqual([]);
	});

	it('square icons, light and dark', () => {
		for (const icon of ['icons/callVerification.svg', 'icons/callVerification.dark.svg']) {
			expect(read(icon)).toMatch(/viewBox="0 0 (\d+) \1"/);
		}
	});
});
