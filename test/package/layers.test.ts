import { join } from 'node:path';

import { filesIn, isThere, read } from './project';

const NODES = 'nodes/CallVerification/';
const LAYERS = 'pacing contract transport phones codes inbound run operations'.split(' ');
const TOP = ['credentials', 'emulator', 'harness', 'bench', 'scripts', 'test'];
const IN_EMULATOR =
	`seededRandom.ts settings.ts clock.ts played/ service/ wire/ people/ emulator.ts`.split(/\s+/);

/** Each folder, or file, may import only from itself and from those before it. */
const ORDER = [
	...LAYERS.map((layer) => `${NODES}${layer}/`),
	NODES,
	...TOP.flatMap((name) =>
		name === 'emulator' ? IN_EMULATOR.map((room) => `${name}/${room}`) : `${name}/`,
	),
];

const placeOf = (file: string): number => {
	const place = ORDER.findIndex((folder) => file.startsWith(folder));
	if (place === -1) throw new Error(`${file} is in no known folder`);
	return place;
};

const files = ['nodes', ...TOP].flatMap((folder) => filesIn(folder, /\.ts$/));
const importsOf = (file: string): string[] =>
	[...read(file).matchAll(/(?:from|import\(?) ?'(\.[^']*)(?<!\.json)'/g)].map(([, path = '']) => {
		const target = join(file, '..', path);
		return isThere(`${target}.ts`) ? `${target}.ts` : join(target, 'index.ts');
	});

/** The layers of imports in a folder, from the lowest; left are files in circles, and those above them. */
function layersOf(folder: string): { layers: string[][]; left: string[] } {
	const layers: string[][] = [];
	let left = files.filter((file) => file.startsWith(folder));
	for (;;) {
		const lowest = left.filter((file) => !importsOf(file).some((target) => left.includes(target)));
		if (lowest.length === 0) return { layers, left };
		layers.push(lowest);
		left = left.filter((file) => !lowest.includes(file));
	}
}

describe('the folders of the project', () => {
	it('import only from the folders before them', () => {
		const backwards = files.flatMap((file) =>
			importsOf(file)
				.filter((target) => placeOf(target) > placeOf(file))
				.map((target) => `${file} -> ${target}`),
		);
		expect(backwards).toEqual([]);
	});

	it.each([NODES, 'emulator/', 'harness/', 'bench/', 'scripts/'])(
		'have no import cycles in %s',
		(folder) => {
			expect(layersOf(folder).left).toEqual([]);
		},
	);

	it('are six layers at most in the emulator', () => {
		const { layers } = layersOf('emulator/');
		expect(layers.length).toBeLessThanOrEqual(6);
	});

	it('keep n8n out of the lowest layer, and HTTP out of the operations', () => {
		for (const file of files.filter((name) => name.startsWith(NODES))) {
			if (placeOf(file) === 0) expect(read(file)).not.toMatch(/from 'n8n-workflow'|from 'zod'/);
			if (placeOf(file) > LAYERS.indexOf('transport')) {
				expect(read(file)).not.toMatch(/httpRequest/);
			}
		}
	});
});
