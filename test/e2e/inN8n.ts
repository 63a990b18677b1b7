import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmulatorOptions } from '../../emulator/played/services';
import {
	connect,
	type N8nClient,
	type N8nDefaults,
	n8nProgram,
	QUICK_EXPRESSIONS,
	type RunningN8n,
	startN8n,
} from '../../harness';
import { type EmulatedService, startEmulatedService } from '../../harness/emulatedService';
import { type Instance, instances } from './instances';

/** An n8n with an emulated service and its credential. All of it exists once the suite has begun. */
export interface InN8n extends Instance, EmulatedService {
	readonly client: N8nClient;
}

/** The n8n of one suite alone, which may stop, kill and restart it. */
export interface InOwnN8n extends InN8n {
	readonly running: RunningN8n;
	/** With the settings of the suite, or with these instead. */
	boot(settings?: Readonly<Record<string, string>>): Promise<void>;
}

interface Surroundings {
	/** Added to n8n's own. */
	readonly settings?: Readonly<Record<string, string>>;
	readonly defaults?: N8nDefaults;
	readonly service?: EmulatorOptions;
	readonly close?: () => Promise<void>;
}

/** Where suites run that take minutes, unless E2E_LINE asks for a line, or for both. */
const NEWEST: ReadonlyArray<Instance['line']> = ['2.x'];
const linesOfLong = process.env.E2E_LINE ? undefined : NEWEST;

/** Skipped where the environment asks for another line alone. */
function describeEach(lines: ReadonlyArray<Instance['line']> = ['1.x', '2.x']) {
	const wanted = instances.filter(({ line }) => lines.includes(line));
	return wanted.length > 0 ? describe.each(wanted) : describe.skip.each(instances);
}

/** A suite in the n8n that all suites share, of each line or only of these. */
export function describeInN8n(
	title: string,
	settings: EmulatorOptions,
	tests: (n8n: InN8n) => void,
	lines?: ReadonlyArray<Instance['line']>,
): void {
	describeEach(lines)(`${title} in n8n $version`, (instance) => {
		const n8n = { ...instance } as InN8n;
		beforeAll(async () => {
			const client = await connect(instance);
			Object.assign(n8n, { client }, await startEmulatedService(client, settings));
		});
		afterAll(async () => await n8n.emulator?.close());
		tests(n8n);
	});
}

/** A suite in an n8n of its own, of each line or only of these. */
export function describeInOwnN8n(
	title: string,
	prepare: () => Surroundings | Promise<Surroundings>,
	tests: (n8n: InOwnN8n) => void,
	lines?: ReadonlyArray<Instance['line']>,
): void {
	describeEach(lines)(`${title} in n8n $version`, (instance) => {
		let surroundings: Surroundings | undefined;
		const n8n = { ...instance } as InOwnN8n;
		const boot: InOwnN8n['boot'] = async (own = surroundings?.settings) => {
			const { userFolder } = n8n;
			const defaults = surroundings?.defaults;
			const settings = { ...QUICK_EXPRESSIONS, ...own };
			const program = await n8nProgram(n8n.line);
			// After a restart, people and services find it where it was.
			const port = n8n.running ? Number(new URL(n8n.running.url).port) : undefined;
			const running = await startN8n(program, { userFolder, port, settings, defaults });
			Object.assign(n8n, { running, url: running.url, client: await connect(running) });
		};
		beforeAll(async () => {
			const userFolder = await mkdtemp(join(tmpdir(), 'call-verification-own-'));
			Object.assign(n8n, { boot, userFolder });
			// The packed package, as the setup installed it.
			const nodes = join('.n8n', 'nodes');
			await cp(join(instance.userFolder, nodes), join(userFolder, nodes), { recursive: true });
			surroundings = await prepare();
			await boot();
			Object.assign(n8n, await startEmulatedService(n8n.client, surroundings.service));
		});
		afterAll(async () => {
			await n8n.running?.stop();
			await n8n.emulator?.close();
			await surroundings?.close?.();
			if (n8n.userFolder !== instance.userFolder) {
				await rm(n8n.userFolder, { recursive: true, force: true, maxRetries: 3 });
			}
		});
		tests(n8n);
	});
}

/** A suite that takes minutes. */
export const describeLongInN8n: typeof describeInN8n = (title, settings, tests) =>
	describeInN8n(title, settings, tests, linesOfLong);

/** A suite that takes minutes, in an n8n of its own. */
export const describeLongInOwnN8n: typeof describeInOwnN8n = (title, prepare, tests) =>
	describeInOwnN8n(title, prepare, tests, linesOfLong);
