import { z } from 'zod';

import { pick } from '../../contract/fields';
import { getAccount } from '../../contract/methods';
import { defineOperation } from '../../run/operation';
import { simplifyField } from '../sharedFields';

const SIMPLIFIED = ['id', 'email', 'telegram_id', 'two_auth', 'updated', 'created'];

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get account',
	description: 'Get your account details and recent activity',
	costs: 'no',
	fields: [simplifyField],
	parameters: getAccount.request.extend({ simplify: z.boolean() }),
	output: pick(getAccount.response.fields, SIMPLIFIED),
	run: async (_parameters, item) => await item.send(getAccount, {}),
});
