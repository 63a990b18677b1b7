import type { Resource } from '../run/operation';
import { get as getAccount } from './account/get';
import { getBalance } from './account/getBalance';
import { checkCode } from './call/checkCode';
import { get as getCall } from './call/get';
import { repeat } from './call/repeat';
import { start as startCall } from './call/start';
import { start as getNumberToCall } from './inboundCall/start';
import { wait } from './inboundCall/wait';
import { check } from './phoneNumber/check';
import { checkFile } from './phoneNumber/checkFile';
import { get as getService } from './service/get';

/** In this order in n8n's node picker and lists: what most people want first. The first operation is the default. */
export const resources: readonly Resource[] = [
	{ value: 'phoneNumber', name: 'Phone Number', operations: [check, checkFile] },
	{ value: 'call', name: 'Call', operations: [startCall, checkCode, getCall, repeat] },
	{ value: 'inboundCall', name: 'Inbound Call', operations: [getNumberToCall, wait] },
	{ value: 'account', name: 'Account', operations: [getAccount, getBalance] },
	{ value: 'service', name: 'Service Settings', operations: [getService] },
];
