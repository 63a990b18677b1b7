import { startedN8ns } from './startedN8ns';

export default async function globalTeardown(): Promise<void> {
	await Promise.all(startedN8ns.map(async (n8n) => await n8n.stop()));
}
