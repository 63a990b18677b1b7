import { localOwner } from '../../harness';
import { API_HEADER } from './standInCredentials';

export interface Invited {
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

/** The form that most users want: a list in, the checked list out. */
export const LIST_FORM = 'check-list-form';

/** Where everything is, and what to try. */
export function invitation(invited: Invited): string {
	const { n8nUrl, standIn, filesFolder, published } = invited;
	const form = published.get(LIST_FORM);
	const ideas = ideasFor(invited).map(
		(lines, position) => `${position + 1}. ${lines.join('\n   ')}`,
	);
	return `${form ? `Drop a CSV here: ${form}\n\n` : ''}Editor      ${n8nUrl}/home/workflows
Login       ${localOwner.email}
Password    ${localOwner.password}
Emulator    ${standIn.url} (requests to the service, and the calls it made)
Secret key  ${standIn.secretKey}
Service ID  ${standIn.serviceId}
Your files  ${filesFolder}

What to try next
${ideas.join('\n')}

Nothing leaves this machine, and no real phone rings. Press Ctrl+C to stop. Your workflows are kept for the next
"npm start"; "npm start -- --fresh" starts from scratch.`;
}

function ideasFor({ n8nUrl, standIn, published }: Invited): string[][] {
	const form = (name: string) => published.get(name) ?? '';
	const post = (path: string, body: Record<string, string>) => {
		// In double quotes, which also work in the shells of Windows.
		const quoted = JSON.stringify(JSON.stringify(body));
		return `curl -H "${API_HEADER.name}: ${API_HEADER.value}" -H "Content-Type: application/json" -d ${quoted} ${n8nUrl}/webhook/${path}`;
	};
	const ofPublished: Array<readonly [example: string, ...lines: string[]]> = [
		[
			'call-and-check-code',
			`Get called as a visitor: enter ${VISITOR}; the code is shown at ${standIn.url}`,
			form('call-and-check-code'),
		],
		[
			'verify-by-inbound-call',
			`Call as a visitor: enter ${VISITOR}, then click "Call now" at ${standIn.url}`,
			form('verify-by-inbound-call'),
		],
		[
			'login-api',
			`Log in by phone: start a call, then send the token from the response and the code from ${standIn.url}`,
			post('login/start', { phone: VISITOR, visitor: '203.0.113.7' }),
			post('login/check', { verification_token: 'TOKEN', code: 'CODE' }),
		],
		[
			'on-inbound-call',
			`Verify a CRM contact: request a call, click "Call now" at ${standIn.url}, ask with the reference from the response whether it came, and find the contact in "verified_contacts"`,
			post('request-call', { phone: VISITOR, contact: 'ann' }),
			`curl -H "${API_HEADER.name}: ${API_HEADER.value}" -G --data-urlencode "reference=REFERENCE" ${n8nUrl}/webhook/call-status`,
			`${n8nUrl}/home/datatables`,
		],
	];
	return [
		[
			'Check one number: click "Add first step", type "verify", choose Call Verification, open Actions',
			'and choose "Check phone number"; enter a number and click "Execute step"',
			`${n8nUrl}/workflow/new`,
		],
		...ofPublished.filter(([example]) => published.has(example)).map(([, ...lines]) => lines),
	];
}
