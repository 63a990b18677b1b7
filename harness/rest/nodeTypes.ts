import { z } from 'zod';
import { waitUntil } from '../process/waitUntil';
import type { RestSession } from './restSession';

const nodeType = z
	.object({
		name: z.string(),
		displayName: z.string(),
		version: z.union([z.number(), z.array(z.number())]),
	})
	.passthrough();
const credentialType = z.object({ name: z.string(), displayName: z.string() }).passthrough();

export type NodeType = z.infer<typeof nodeType>;
export type CredentialType = z.infer<typeof credentialType>;

/** How long n8n may take to write a file for its editor. */
const WRITE_LIMIT = 30_000;

/** The node types that n8n has loaded, as its editor gets them. Their names start with the package name. */
export class NodeTypes {
	constructor(private readonly session: RestSession) {}

	async ofPackage(packageName: string): Promise<NodeType[]> {
		return (await this.all()).filter(({ name }) => name.startsWith(`${packageName}.`));
	}

	/** Different versions of a node may come as different types of the same name. */
	async all(): Promise<NodeType[]> {
		return z.array(nodeType).parse(await this.whole('/types/nodes.json'));
	}

	async credential(name: string): Promise<CredentialType | undefined> {
		const all = z.array(credentialType).parse(await this.whole('/types/credentials.json'));
		return all.find((type) => type.name === name);
	}

	/** n8n serves these files before it has finished writing them, so one may be incomplete. */
	private async whole(path: string): Promise<unknown> {
		return await waitUntil(
			async () => {
				try {
					return await this.session.file(path);
				} catch (error) {
					if (error instanceof SyntaxError) return undefined;
					throw error;
				}
			},
			{ what: `n8n has written ${path}`, limit: WRITE_LIMIT },
		);
	}
}
