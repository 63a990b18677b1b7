import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../api/record';

/**
 * How an action finds the trigger of its own workflow: a published trigger leaves its path in the
 * workflow's static data. Only the path, because the rest of the URL follows n8n's settings, and on
 * n8n 2.x no hook runs that could renew it after they changed.
 */
const KEY = 'callVerificationTriggers';

/** Endpoint, web-hook ID and name: the part of the URL that belongs to the trigger. */
export function triggerPathOf(webhookUrl: string): string {
	return new URL(webhookUrl).pathname.split('/').slice(-3).join('/');
}

export function registerTrigger(staticData: IDataObject, nodeId: string, path: string): void {
	staticData[KEY] = { ...registryOf(staticData), [nodeId]: path };
}

export function unregisterTrigger(staticData: IDataObject, nodeId: string): void {
	staticData[KEY] = Object.fromEntries(
		Object.entries(registryOf(staticData)).filter(([id]) => id !== nodeId),
	);
}

export function isRegistered(staticData: IDataObject, nodeId: string, path: string): boolean {
	return registryOf(staticData)[nodeId] === path;
}

/** All published triggers of the workflow. */
export function registeredPaths(staticData: IDataObject): string[] {
	return Object.values(registryOf(staticData)).filter((path) => typeof path === 'string');
}

function registryOf(staticData: IDataObject): IDataObject {
	const registry = staticData[KEY];
	return isRecord(registry) ? (registry as IDataObject) : {};
}
