import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A problem outside this project. The message says what is wrong and what to do about it. */
export class SetupProblem extends Error {
	override name = 'SetupProblem';
}

/** Shows one line of progress to the user. */
export type Report = (line: string) => void;

export function formatBytes(bytes: number): string {
	return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}

export function formatDuration(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const PROGRESS_INTERVAL = 10_000;

/** `du` fails if files disappear while it counts; what it has counted by then is good enough. */
async function sizeOf(folder: string): Promise<number> {
	const counted = await promisify(execFile)('du', ['-sk', folder]).catch(
		(error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
	);
	return (Number.parseInt(counted.stdout, 10) || 0) * 1024;
}

interface Growth {
	readonly title: string;
	/** Omitted if the size says nothing about the progress; then only the time is reported. */
	readonly expectedBytes?: number;
	readonly report: Report;
}

/** Reports how large a folder is while `work` fills it, so that minutes of silence do not look like a hang. */
export async function reportingGrowth<T>(
	folder: string,
	{ title, expectedBytes, report }: Growth,
	work: () => Promise<T>,
): Promise<T> {
	const started = Date.now();
	const timer = setInterval(() => {
		void (async () => {
			const size = expectedBytes ? `${await progressBySize(folder, expectedBytes)}, ` : '';
			report(`${title}: ${size}${formatDuration(Date.now() - started)}`);
		})();
	}, PROGRESS_INTERVAL);
	try {
		return await work();
	} finally {
		clearInterval(timer);
	}
}

async function progressBySize(folder: string, expectedBytes: number): Promise<string> {
	const bytes = await sizeOf(folder);
	// npm starts with a plan, and hardly anything is on the disk yet. Windows has no `du`.
	if (bytes < 5e6) return 'working';
	return `${formatBytes(bytes)} of about ${formatBytes(expectedBytes)}`;
}
