import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const NODES = join(ROOT, 'nodes', 'CallVerification');

/** The project's top-level folders: each may import only from those before it. */
const ROOMS = ['nodes', 'credentials', 'emulator', 'harness', 'bench', 'scripts', 'test'];

/** The layers of the node, lowest first: each may import only from itself and those below. */
const FLOORS = [
	'pacing',
	'contract',
	'transport',
	'phones',
	'codes',
	'inbound',
	'run',
	'operations',
	'.',
];

const files = readdirSync(NODES, { recursive: true, encoding: 'utf8' }).filter((file) =>
	file.endsWith('.ts'),
);

const floorOf = (file: string): number => {
	const floor = FLOORS.indexOf(file.includes('/') ? (file.split('/')[0] ?? '') : '.');
	if (floor === -1) throw new Error(`${file} stands on no floor`);
	return floor;
};

const importsOf = (file: string): string[] =>
	[...readFileSync(join(NODES, file), 'utf8').matchAll(/from '(\.[^']*)'/g)].map(([, path]) =>
		relative(NODES, resolve(NODES, file, '..', path ?? '')),
	);

describe('the layers of the node', () => {
	it('all exist', () => {
		expect(new Set(files.map(floorOf)).size).toBe(FLOORS.length);
	});

	it('import downwards only', () => {
		const upwards = files.flatMap((file) =>
			importsOf(file)
				.filter((target) => floorOf(target) > floorOf(file))
				.map((target) => `${file} -> ${target}`),
		);
		expect(upwards).toEqual([]);
	});

	it('have no import cycles', () => {
		const circles: string[] = [];
		const visited = new Set<string>();
		const visit = (file: string, trail: string[]): void => {
			if (trail.includes(file)) {
				circles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
				return;
			}
			if (visited.has(file)) return;
			visited.add(file);
			for (const target of importsOf(file)) {
				const next = [`${target}.ts`, `${target}/index.ts`].find((name) => files.includes(name));
				if (next !== undefined) visit(next, [...trail, file]);
			}
		};
		for (const file of files) visit(file, []);
		expect(circles).toEqual([]);
	});

	it('keep n8n out of the lowest layer, and HTTP out of the operations', () => {
		for (const file of files) {
			const source = readFileSync(join(NODES, file), 'utf8');
			if (floorOf(file) === 0) expect(source).not.toMatch(/from 'n8n-workflow'|from 'zod'/);
			if (floorOf(file) > FLOORS.indexOf('transport')) expect(source).not.toMatch(/httpRequest/);
		}
	});
});

describe('the folders of the project', () => {
	const roomOf = (file: string) => ROOMS.indexOf(file.split('/')[0] ?? '');
	const sources = ROOMS.flatMap((room) =>
		readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => join(room, file)),
	);

	it('import only from the folders before them', () => {
		const backwards = sources.flatMap((file) =>
			[...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']*)'/g)]
				.map(([, path]) => relative(ROOT, resolve(ROOT, file, '..', path ?? '')))
				.filter((target) => roomOf(target) > roomOf(file))
				.map((target) => `${file} -> ${target}`),
		);
		expect(backwards).toEqual([]);
	});

	it('keep tests in test/', () => {
		const strays = sources.filter((file) => file.endsWith('.test.ts') && !file.startsWith('test/'));
		expect(strays).toEqual([]);
	});
});
