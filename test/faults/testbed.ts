import type { INodeParameters } from 'n8n-workflow';

import {
	credential,
	type NodeRunResult,
	type RunContext,
	runNode,
} from '../../harness/engine/n8nCore';
import type { Emulator } from '../../emulator/emulator';
import { startService } from '../../harness/emulatedService';
import type { EmulatorSettings } from '../../emulator/settings';
import { checkPhone, startCall } from '../core/parameters';
import { Door } from './door';
import type { MishapPlan } from './mishap';

export interface Testbed {
	emulator: Emulator;
	door: Door;
	close: () => Promise<void>;
}

/** A service with a sufficient balance, behind a door. */
export async function openTestbed(
	plan: MishapPlan = () => undefined,
	settings: Partial<EmulatorSettings> = {},
): Promise<Testbed> {
	const emulator = await startService({
		startingBalance: 1_000_000,
		withdrawnMethods: [],
		...settings,
	});
	const door = await Door.open(emulator.url, plan);
	const close = async () => {
		await door.close();
		await emulator.close();
	};
	return { emulator, door, close };
}

let executions = 0;

/** Runs the built node on a list, in n8n's engine, in an execution of its own. By default, n8n goes through the door. */
export async function runList(
	{ emulator, door }: Testbed,
	run: Omit<RunContext, 'credential' | 'executionId'>,
	baseUrl = door.url,
): Promise<NodeRunResult> {
	const { secretKey, serviceId } = emulator;
	return await runNode({
		...run,
		credential: credential({ baseUrl, secretKey, serviceId }),
		executionId: String(++executions),
	});
}

export function phones(count: number): Array<{ phone: string }> {
	return Array.from({ length: count }, (_none, index) => ({ phone: String(79160000000 + index) }));
}

export function startCalls(requestOptions: INodeParameters): INodeParameters {
	return startCall({ phone: '={{ $json.phone }}', requestOptions });
}

export function checkPhones(requestOptions: INodeParameters): INodeParameters {
	return checkPhone({ requestOptions });
}

export function placesOf(items: NodeRunResult['success']): unknown[] {
	return items.map(({ pairedItem }) => pairedItem);
}

export function places(indexes: Iterable<number>): Array<{ item: number }> {
	return Array.from(indexes, (item) => ({ item }));
}

/** How often each value occurs. */
export function tally<T>(values: Iterable<T>): Map<T, number> {
	const counts = new Map<T, number>();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	return counts;
}
