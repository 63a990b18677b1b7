import { z } from 'zod';
import type { RestSession } from './restSession';

export interface Owner {
	readonly email: string;
	readonly password: string;
	readonly firstName: string;
	readonly lastName: string;
}

export const localOwner: Owner = {
	email: 'owner@example.com',
	password: 'Call-Verification-1',
	firstName: 'Local',
	lastName: 'Owner',
};

const settings = z.object({ userManagement: z.object({ showSetupOnFirstLoad: z.boolean() }) });

/** Signs the session in; an n8n that has no owner yet gets this one. */
export async function signIn(session: RestSession, owner: Owner): Promise<void> {
	const { userManagement } = await session.get('/settings', settings);
	if (userManagement.showSetupOnFirstLoad) {
		await session.post('/owner/setup', owner, z.unknown());
	} else {
		const { email, password } = owner;
		await session.post('/login', { emailOrLdapLoginId: email, password }, z.unknown());
	}
}
