import type { Resource } from '../run/operation';
import { account } from './account';
import { call } from './call';
import { inboundCall } from './inboundCall';
import { phoneNumber } from './phoneNumber';
import { service } from './service';

export const resources: readonly Resource[] = [account, call, inboundCall, phoneNumber, service];
