import type { INodeParameters } from 'n8n-workflow';
import { formUrl, FormVisitor, type N8nClient, waitUntil, type WorkflowFile } from '../../harness';
import { startCrmStandIn } from './crmStandIn';
import { publishExample } from '../../harness/workflows/examples';
import type { InN8n } from './inN8n';

const AT_ONCE = 16;
/** Divides the examples' Max Calls per Hour, so that a test reaches the limit quickly. */
export const FEWER_CALLS = 5;

/** Where the examples' notes tell owners to add their own step, and the phone that is verified there. */
const OWN_STEP = {
	after: 'Verified',
	before: 'Thank You',
	phone: "$('Verified').last().json.verified_phone",
};

type FormExampleName = 'call-and-check-code' | 'verify-by-inbound-call';

/** A published form example that reports verified visitors to a CRM. */
export class FormExample {
	private constructor(
		readonly workflowId: string,
		readonly form: string,
		private readonly client: N8nClient,
		private readonly crm: Awaited<ReturnType<typeof startCrmStandIn>>,
	) {}

	/** The prefix is unique, because test files share an n8n. */
	static async publish(
		name: FormExampleName,
		n8n: InN8n,
		prefix: string,
		change = (file: WorkflowFile) => file,
	): Promise<FormExample> {
		const crm = await startCrmStandIn();
		const { id, file } = await publishExample(name, prefix, n8n, {}, (example) =>
			change(withFewerCalls(withStep(example, crm.url))),
		);
		return new FormExample(id, formUrl(n8n.url, file), n8n.client, crm);
	}

	/** From this address, if a reverse proxy reports one. */
	async visit(phone: string, address?: string): Promise<FormVisitor> {
		const headers = { ...(address !== undefined && { 'x-forwarded-for': address }) };
		return await FormVisitor.startWith(headers, this.form, phone);
	}

	/** One visit per number. Resolves once every visitor has a page. */
	async visitAll(phones: readonly string[], address?: string): Promise<void> {
		for (let first = 0; first < phones.length; first += AT_ONCE) {
			const together = phones.slice(first, first + AT_ONCE);
			await Promise.all(together.map(async (phone) => await this.visit(phone, address)));
		}
		const { executions } = this.client;
		let seen = 0;
		await waitUntil(
			async () => {
				const newest = (await executions.list(this.workflowId)).slice(0, phones.length);
				seen = newest.filter(({ status }) => status === 'waiting').length;
				return seen === phones.length || undefined;
			},
			{ what: `${phones.length} visitors have a page`, seen: () => String(seen) },
		);
	}

	/** The verified phones, in order. */
	get verified(): string[] {
		return this.crm.updates.map(({ contact }) => contact);
	}

	async close(): Promise<void> {
		await this.client.workflows.unpublish(this.workflowId);
		await this.crm.close();
	}
}

/** A missing limit stays missing. */
export function withFewerCalls(file: WorkflowFile): WorkflowFile {
	const nodes = file.nodes.map((node) => {
		const options = Object(node.parameters?.options) as INodeParameters;
		const most = options.maxCallsPerHour;
		if (most === undefined) return node;
		const fewer = { ...options, maxCallsPerHour: Number(most) / FEWER_CALLS };
		return { ...node, parameters: { ...node.parameters, options: fewer } };
	});
	return { ...file, nodes };
}

/** Inserts a step between two nodes, as a user would. */
function withStep(file: WorkflowFile, url: string) {
	const { after, before, phone } = OWN_STEP;
	const name = 'Update Contact';
	const step: WorkflowFile['nodes'][number] = {
		id: name,
		name,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		position: [1_680, -160],
		parameters: {
			method: 'PATCH',
			url: `=${url}/contacts/{{ ${phone} }}`,
			options: {},
		},
	};
	const to = (node: string) => ({ node, type: 'main' as const, index: 0 });
	const main = file.connections[after]?.main?.[0] ?? [];
	return {
		...file,
		nodes: [...file.nodes, step],
		connections: {
			...file.connections,
			[after]: { main: [main.map((target) => (target.node === before ? to(name) : target))] },
			[name]: { main: [[to(before)]] },
		},
	};
}
