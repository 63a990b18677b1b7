import { localOwner } from '../../test/real-n8n';
import type { Demo } from './startDemo';

/** Where everything is, and what is worth a click. */
export function invitation({ n8n, emulator, workflowIds }: Demo): string {
	const workflow = (name: string) => `${n8n.url}/workflow/${workflowIds.get(name) ?? ''}`;
	return `Editor    ${n8n.url}/home/workflows
Login     ${localOwner.email}
Password  ${localOwner.password}
Service   ${emulator.url} (emulated: what it was asked, and the calls it made)

What to try next
1. Check one number: press "Add first step", type "verify", choose Call Verification and, under Actions,
   "Check phone number"; type a number and press "Execute step"
   ${n8n.url}/workflow/new
2. Check your own list: change "Phone List" and execute
   ${workflow('check-phone-list')}
3. Type a wrong code: change "Code the Person Typed" and execute
   ${workflow('call-and-check-code')}
4. Be the person who calls: execute, then press "Call now" at ${emulator.url}
   ${workflow('verify-by-inbound-call')}

Nothing leaves this machine and no real phone rings. Ctrl-C ends everything and removes it.`;
}
