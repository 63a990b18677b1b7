import { z } from 'zod';
import { chain, manualTrigger, nodeOf } from '../../harness/rest/workflowFile';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import { runNode } from '../../harness/workflows/nodeRunner';
import { REPORT_TABLE } from '../../harness/workflows/verificationReport';
import { operations } from '../../scripts/generate/rows';
import { createExample, tryExamples, workflowFiles } from '../versions/tryExamples';
import { tryN8n } from '../versions/tryN8n';
import { describeInOwnN8n, type InOwnN8n } from './inN8n';

const results = z.array(z.object({ ruleId: z.string() }));
const report = z.object({
	report: z.object({ instanceResults: results, workflowResults: results }),
});
const issue = z.object({ title: z.string(), description: z.string() });
const rule = z.object({
	affectedWorkflows: z.array(z.object({ id: z.string(), issues: z.array(issue) })),
});

/** What n8n's report also says about an instance, but no setting can change. */
const NO_SETTINGS = ['docker-only-deployment-v3', 'workflow-import-url-removed-v3'];

/** 3.0 exists as a Docker image only, so this is the newest 2.x with everything that 3.0 sets by default. */
const likeN8n3 = () => {
	// All methods, whichever service is played.
	const service = { withdrawnMethods: [] };
	return { defaults: '3.0', service } as const;
};

describeInOwnN8n('with the defaults of 3.0,', likeN8n3, tests, ['2.x']);

function tests(n8n: InOwnN8n): void {
	/** What n8n itself says about an upgrade to 3.0. */
	const reportOf3 = async () => {
		const path = '/breaking-changes/report/refresh?version=v3';
		return (await n8n.client.session.post(path, {}, report)).report;
	};

	/** Each finding in n8n's words, by the ID of its workflow. */
	const findings = async () => {
		const found = new Map<string, string[]>();
		for (const { ruleId } of (await reportOf3()).workflowResults) {
			const { affectedWorkflows } = await n8n.client.session.get(
				`/breaking-changes/report/${ruleId}`,
				rule,
			);
			for (const { id, issues } of affectedWorkflows) {
				const texts = issues.map(({ title, description }) => `${title}. ${description}`);
				found.set(id, [...(found.get(id) ?? []), ...texts]);
			}
		}
		return found;
	};

	test('n8n’s report on 3.0 finds no setting that would change', async () => {
		const rules = (await reportOf3()).instanceResults.map(({ ruleId }) => ruleId);
		const missing = rules.filter((ruleId) => !NO_SETTINGS.includes(ruleId));
		const addTo = 'harness/process/n8nSettings.ts';
		expect({ addTo, missing }).toEqual({ addTo, missing: [] });
	});

	test('n8n’s report on 3.0 finds nothing to change in an example or recipe', async () => {
		// Shows that the report would find something.
		const old = nodeOf('Old', 'n8n-nodes-base.function', 1);
		const { id } = await n8n.client.workflows.create(chain('Removed', manualTrigger, old));
		const paths = new Map<string, string>();
		for (const [path, file] of await workflowFiles()) {
			paths.set(await createExample(n8n, file), path);
		}

		const found = await findings();

		expect(found.get(id)).toHaveLength(1);
		const toChange = [...paths].flatMap(([workflowId, path]) =>
			(found.get(workflowId) ?? []).map((text) => `${path}: ${text}`),
		);
		expect(toChange).toEqual([]);
	});

	test('each operation, a trigger event and Wait work', async () => {
		const tried = await tryN8n(n8n);
		expect(tried.problems).toEqual([]);
		expect(tried.operations.sort()).toEqual(operations.map(({ name }) => name).sort());
	});

	test('each example and recipe can be created, and those with a form or an API work', async () => {
		expect(await tryExamples(n8n)).toEqual([]);
		const { dataTables } = n8n.client;
		const reports = async () =>
			(await dataTables.names()).filter((name) => name.startsWith(REPORT_TABLE));
		expect(await reports()).toHaveLength(1);
		// As `npm run test:versions` does in the end, in an n8n that somebody uses.
		await dataTables.deleteCreated();
		expect(await reports()).toEqual([]);
	});

	/** 3.0 blocks more addresses than 2.x; people turn the protection itself on. */
	describe('and protection against requests to internal networks,', () => {
		beforeAll(async () => {
			await n8n.running.stop();
			await n8n.boot({
				N8N_SSRF_PROTECTION_ENABLED: 'true',
				N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32',
				// Has a line for each attempt.
				N8N_LOG_LEVEL: 'debug',
			});
		});

		const check = { resource: 'phoneNumber', operation: 'check', phone: '={{ $json.phone }}' };
		const items = [{ phone: '79161234501' }, { phone: '79161234502' }];

		test('a service at an allowed address is reached', async () => {
			const { error } = await runNode(n8n.client, n8n.credential, check, { items });
			expect(error).toBeUndefined();
		});

		test('a blocked address is tried once, and the error names the settings that allow it', async () => {
			const baseUrl = n8n.data.baseUrl?.replace('127.0.0.1', '127.0.0.2') ?? '';
			const blocked = await n8n.client.credentials.create('Blocked', CREDENTIAL_TYPE, {
				...n8n.data,
				baseUrl,
			});
			const parameters = { ...check, requestOptions: { concurrency: 1 } };
			const { error } = await runNode(n8n.client, blocked, parameters, { items });
			expect(error?.message).toBe('n8n does not allow requests to the address of the service');
			expect(error?.description).toContain('N8N_SSRF_ALLOWED_HOSTNAMES');
			expect(error?.description).toContain('N8N_SSRF_ALLOWED_IP_RANGES');
			const attempts = n8n.running.log().match(/checkPhone: blocked/g);
			expect(attempts).toHaveLength(1);
		});
	});
}
