import { packed } from './packedProject';

export default async function globalTeardown(): Promise<void> {
	await packed.project?.remove();
}
