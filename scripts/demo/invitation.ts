import { localOwner } from '../../test/real-n8n';
import type { Demo } from './startDemo';

/** Where everything is, and what is worth a click. */
export function invitation({ n8n, emulator, workflowIds }: Demo): string {
	const workflow = (name: string) => `${n8n.url}/workflow/${workflowIds.get(name) ?? ''}`;
	return `Editor    ${n8n.url}
Login     ${localOwner.email}
Password  ${localOwner.password}
Service   ${emulator.url} (emulated: what it was asked, and the calls it made)

What to try next
1. Check your own list: change "Phone List" and execute
   ${workflow('check-phone-list')}
2. Type a wrong code: change "Code the Person Typed" and execute
   ${workflow('call-and-check-code')}
3. Be the person who calls: execute, then press "Call now" at ${emulator.url}
   ${workflow('verify-by-inbound-call')}
4. Start a workflow of your own: press +, type "verify", choose an action.

Nothing leaves this machine and no real phone rings. Ctrl-C ends everything and removes it.`;
}
