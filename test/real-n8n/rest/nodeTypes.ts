import { z } from 'zod';
import type { RestSession } from './restSession';

const nodeType = z
	.object({ name: z.string(), displayName: z.string(), version: z.unknown() })
	.passthrough();
const credentialType = z.object({ name: z.string(), displayName: z.string() }).passthrough();

export type NodeType = z.infer<typeof nodeType>;
export type CredentialType = z.infer<typeof credentialType>;

/** What n8n has loaded, as it tells its editor. Names of nodes start with their package's name. */
export class NodeTypes {
	constructor(private readonly session: RestSession) {}

	async ofPackage(packageName: string): Promise<NodeType[]> {
		const all = z.array(nodeType).parse(await this.session.file('/types/nodes.json'));
		return all.filter(({ name }) => name.startsWith(`${packageName}.`));
	}

	async credential(name: string): Promise<CredentialType | undefined> {
		const all = z.array(credentialType).parse(await this.session.file('/types/credentials.json'));
		return all.find((type) => type.name === name);
	}
}
