/**
 * Counts what one Phone Number: Check goes through (`npm run frames`), with the built package in n8n's engine and the
 * emulated service:
 *
 * - frames: the async functions of the package on the stack when the node calls n8n's request helper, those that are
 *   running and those that wait for them (`Error.stackTraceLimit = Infinity`). A function that is not async only passes
 *   a promise on, and is gone from the stack after the next `await`.
 * - functions: those of the package that were called from the start of the node's `execute` to its end (V8's precise
 *   coverage), so without what runs when n8n loads the package
 * - files: those that contain these functions
 */
import '../bench/speed/n8nEnvironment';

import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { IExecuteFunctions } from 'n8n-workflow';

import { CallVerification } from '../harness/engine/builtPackage';
import { credential, runNode } from '../harness/engine/n8nCore';
import { credentialData, startService } from '../harness/emulatedService';

const PACKAGE = join(__dirname, '..', 'dist');
const SHOWN_FROM = join(PACKAGE, 'nodes', 'CallVerification');

interface Frame {
	readonly file: string;
	readonly name: string;
	readonly line: number;
	readonly column: number;
}

/** Of the package. */
function framesOnStack(): { ours: Frame[]; total: number } {
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = Infinity;
	Error.prepareStackTrace = (_error, sites): Frame[] =>
		sites.map((site) => ({
			file: site.getFileName() ?? '',
			name: site.getFunctionName() ?? '(anonymous)',
			line: site.getLineNumber() ?? 0,
			column: site.getColumnNumber() ?? 0,
		}));
	const holder: { stack?: Frame[] } = {};
	Error.captureStackTrace(holder, framesOnStack);
	const frames = holder.stack ?? [];
	Object.assign(Error, { prepareStackTrace: undefined, stackTraceLimit });
	return { ours: frames.filter(({ file }) => file.startsWith(PACKAGE)), total: frames.length };
}

/** The functions of the package that were called since the last time, by file. */
async function functionsCalled(
	session: Session,
): Promise<Map<string, Profiler.FunctionCoverage[]>> {
	const { result } = await session.post('Profiler.takePreciseCoverage');
	const folder = pathToFileURL(PACKAGE).href;
	const files = result
		.filter(({ url }) => url.startsWith(folder))
		.map(({ url, functions }): [string, Profiler.FunctionCoverage[]] => [
			join(PACKAGE, decodeURI(url.slice(folder.length))),
			functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0),
		]);
	return new Map(files.filter(([, functions]) => functions.length > 0));
}

async function runOneCheck() {
	const emulator = await startService();
	const session = new Session();
	session.connect();
	const node = new CallVerification();
	let stack = framesOnStack();
	let called = new Map<string, Profiler.FunctionCoverage[]>();
	const { error, success } = await runNode({
		parameters: { resource: 'phoneNumber', operation: 'check', phone: '+79000000001' },
		credential: credential(credentialData(emulator)),
		implementation: {
			description: node.description,
			async execute(this: IExecuteFunctions) {
				const { helpers } = this;
				type Helper = typeof helpers.httpRequestWithAuthentication;
				const watched = {
					...helpers,
					httpRequestWithAuthentication(this: never, ...values: Parameters<Helper>) {
						stack = framesOnStack();
						return helpers.httpRequestWithAuthentication.apply(this, values);
					},
				};
				const context = Object.create(this, { helpers: { value: watched } }) as IExecuteFunctions;
				await session.post('Profiler.enable');
				await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
				await functionsCalled(session);
				const output = await node.execute.call(context);
				called = await functionsCalled(session);
				return output;
			},
		},
	});
	session.disconnect();
	await emulator.close();
	if (error !== undefined || success.length !== 1) throw error ?? new Error('Nothing was checked');
	return { stack, called };
}

/** Whether the innermost function at this place is async, by its source. */
function isAsync({ file, line, column }: Frame, functions: Profiler.FunctionCoverage[]): boolean {
	const source = readFileSync(file, 'utf8');
	const before = source.split('\n').slice(0, line - 1);
	const offset = before.reduce((sum, { length }) => sum + length + 1, column - 1);
	const starts = functions.flatMap(({ ranges: [whole] }) =>
		whole !== undefined && whole.startOffset <= offset && offset < whole.endOffset
			? [whole.startOffset]
			: [],
	);
	return source.startsWith('async', Math.max(...starts));
}

async function main(): Promise<void> {
	const { stack, called } = await runOneCheck();
	const frames = stack.ours.filter((frame) => isAsync(frame, called.get(frame.file) ?? []));
	const functions = [...called.values()].flat();
	const shown = (file: string) => relative(SHOWN_FROM, file);
	const lines = [
		`${frames.length} async frames of the package (of ${stack.total} frames of any kind, with n8n's):`,
		...frames.map(({ file, name, line }) => `  ${shown(file)}:${line} ${name}`),
		`${called.size} files with ${functions.length} functions that were called:`,
		...[...called.entries()]
			.map(([file, { length }]) => `  ${shown(file)}: ${length}`)
			.sort((a, b) => a.localeCompare(b)),
	];
	console.log(lines.join('\n'));
}

void main();
