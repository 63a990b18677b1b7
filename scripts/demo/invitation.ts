import { join } from 'node:path';
import { filesOf, localOwner } from '../../test/real-n8n';
import { formOf } from './formOf';
import { OWN_LIST } from './ownList';
import { API_HEADER } from './standInCredentials';
import type { Demo } from './startDemo';

/** Where everything is, and what is worth a click. */
export async function invitation(demo: Demo): Promise<string> {
	const { n8n, emulator, workflowIds } = demo;
	const workflow = (name: string) => `${n8n.url}/workflow/${workflowIds.get(name) ?? ''}`;
	return `Editor      ${n8n.url}/home/workflows
Login       ${localOwner.email}
Password    ${localOwner.password}
Stand-in    ${emulator.url} (what the service was asked, and the calls it made)
Secret key  ${emulator.secretKey}
Service ID  ${emulator.serviceId}
Your files  ${filesOf(n8n.userFolder)}

What to try next
1. Check one number: press the + of "Add first step", type "verify", choose Call Verification, open Actions
   and choose "Check phone number"; type a number and press "Execute step"
   ${n8n.url}/workflow/new
2. Check your own list: save it as ${join(filesOf(n8n.userFolder), 'phones.csv')}
   with a column "phone", and execute; phones-checked.csv then lies beside it
   ${workflow(OWN_LIST)}
3. Be a visitor who is called: the code is at ${emulator.url}
   ${await formOf(demo, 'call-and-check-code')}
4. Be a visitor who calls: press "Call now" at ${emulator.url}
   ${await formOf(demo, 'verify-by-inbound-call')}
5. Be a login page: start a call, and send token and code to …/login/check
   curl -H '${API_HEADER.name}: ${API_HEADER.value}' -d phone=79000000001 ${n8n.url}/webhook/login/start

Nothing leaves this machine and no real phone rings. Ctrl-C ends everything; what you made here is there again at the
next "npm start", and "npm start -- --fresh" begins anew.`;
}
