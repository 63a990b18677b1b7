import { filesOf, formUrl, localOwner } from '../../harness';
import { LIST_FORM, sampleIn } from './importExamples';
import type { Demo } from './startDemo';

interface Invited {
	readonly n8nUrl: string;
	readonly standIn: {
		readonly url: string;
		readonly secretKey: string;
		readonly serviceId: string;
	};
	readonly filesFolder: string;
	/** Published examples by name, with the URL of the form if there is one. */
	readonly published: ReadonlyMap<string, string | undefined>;
}

/** A test number of the service: it always answers, and is free. */
const VISITOR = '79000000001';

/** Signs a request as the server of a site would. Works in the shells of Windows, too. */
const REQUEST = 'npm run -s request --';

/** The tasks of most users first, then where everything is, then what developers may try. */
export function invitation(invited: Invited): string {
	const { n8nUrl, standIn, filesFolder, published } = invited;
	const form = published.get(LIST_FORM);
	const tasks = ofPublished(published, tasksFor(invited));
	const ideas = ofPublished(published, ideasFor(invited));
	return [
		form && `Drop a CSV here: ${form}`,
		numbered(tasks, 1),
		`Editor      ${n8nUrl}/home/workflows
Login       ${localOwner.email}
Password    ${localOwner.password}
Emulator    ${standIn.url} (requests to the service, and the calls it made)
Secret key  ${standIn.secretKey}
Service ID  ${standIn.serviceId}
Your files  ${filesFolder}`,
		`What else to try\n${numbered(ideas, tasks.length + 1)}`,
		`Nothing leaves this machine, and no real phone rings. Press Ctrl+C to stop. Your workflows are kept for the next
"npm start"; "npm start -- --fresh" starts from scratch.`,
	]
		.filter(Boolean)
		.join('\n\n');
}

/** What to do, in lines, and the example that must be published for it. */
type Idea = readonly [example: string | undefined, ...lines: string[]];

function ofPublished(published: Invited['published'], ideas: readonly Idea[]): string[][] {
	return ideas
		.filter(([example]) => example === undefined || published.has(example))
		.map(([, ...lines]) => lines);
}

function numbered(ideas: readonly string[][], first: number): string {
	return ideas.map((lines, index) => `${first + index}. ${lines.join('\n   ')}`).join('\n');
}

function tasksFor({ standIn, filesFolder, published }: Invited): Idea[] {
	const form = (name: string) => published.get(name) ?? '';
	return [
		[
			LIST_FORM,
			'Check a list: drop a CSV with phone numbers there, and get it back with the results; for instance',
			sampleIn(filesFolder),
		],
		[
			'call-and-check-code',
			`Call someone with a code: enter ${VISITOR}; the code is shown at ${standIn.url}`,
			form('call-and-check-code'),
		],
		[
			'verify-by-inbound-call',
			`Let someone call you: enter ${VISITOR}, then click "Call now" at ${standIn.url}`,
			form('verify-by-inbound-call'),
		],
	];
}

function ideasFor({ n8nUrl, standIn }: Invited): Idea[] {
	const webhook = `${n8nUrl}/webhook`;
	return [
		[
			undefined,
			'Check one number: click "Add first step", type "verify", choose Call Verification, open Actions',
			'and choose "Check phone number"; enter a number and click "Execute step"',
			`${n8nUrl}/workflow/new`,
		],
		[
			'login-api',
			`Log in by phone: start a call, then send the token from the response and the code from ${standIn.url}`,
			`${REQUEST} ${webhook}/login/start phone=${VISITOR} visitor=203.0.113.7`,
			`${REQUEST} ${webhook}/login/check verification_token=TOKEN code=CODE`,
		],
		[
			'on-inbound-call',
			`Verify a CRM contact: request a call, click "Call now" at ${standIn.url}, ask with the reference from the response whether it came, and find the contact in "verified_contacts"`,
			`${REQUEST} ${webhook}/request-call phone=${VISITOR} contact=ann`,
			`${REQUEST} --get ${webhook}/call-status reference=REFERENCE`,
			`${n8nUrl}/home/datatables`,
		],
	];
}

/** The current state: before a later start, the user may have unpublished an example. */
export async function invited({ client, n8n, emulator, workflowIds }: Demo): Promise<Invited> {
	const active = (await client.workflows.list()).filter(({ active }) => active);
	const published = new Map<string, string | undefined>();
	for (const [name, id] of workflowIds) {
		if (!active.some((workflow) => workflow.id === id)) continue;
		const workflow = await client.workflows.get(id);
		published.set(name, hasForm(workflow) ? formUrl(n8n.url, workflow) : undefined);
	}
	return {
		n8nUrl: n8n.url,
		standIn: emulator,
		filesFolder: filesOf(n8n.userFolder),
		published,
	};
}

function hasForm({ nodes }: { readonly nodes: ReadonlyArray<{ readonly type: string }> }): boolean {
	return nodes.some(({ type }) => type === 'n8n-nodes-base.formTrigger');
}
