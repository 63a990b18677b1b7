import { n8nProgram, packProject, serverPrograms } from '../../harness';
import { packed, PACKED_VARIABLE } from './packedProject';

/** Installs n8n and packs the project before any test timeout starts. */
export default async function globalSetup(): Promise<void> {
	if (!serverPrograms) {
		console.log(
			'PostgreSQL or Redis is not available: the queue mode tests are skipped. Get them with "apt install postgresql redis-server".',
		);
		return;
	}
	await n8nProgram('2.x');
	packed.project = await packProject();
	process.env[PACKED_VARIABLE] = packed.project.tarball;
}
