import type { Resource } from '../../run/operation';
import { checkCode } from './checkCode';
import { get } from './get';
import { repeat } from './repeat';
import { start } from './start';

export const call: Resource = {
	value: 'call',
	name: 'Call',
	operations: [checkCode, get, repeat, start],
};
