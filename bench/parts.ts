import { measureCpu } from './cpu';
import { measureInN8n } from './inN8n';
import { measureLimits } from './limits/measureLimits';
import { measureLists } from './lists';
import type { Results } from './results';
import type { EmulatorProcess } from './emulatorProcess';
import { SERVICES } from './services';
import { measureSpeed } from './speed';

type Part = (service: EmulatorProcess) => Promise<Partial<Results>>;

/** What can be measured separately. */
export const PARTS: Readonly<Record<string, Part>> = {
	limits: async () => ({ limits: await measureLimits() }),
	n8n: async (service) => ({ inN8n: await measureInN8n(service) }),
	...Object.fromEntries(
		SERVICES.map((each): [string, Part] => [
			each.name,
			async (service) => ({ speed: [await measureSpeed(service, each)] }),
		]),
	),
	cpu: async (service) => ({ cpu: await measureCpu(service) }),
	lists: async (service) => ({ lists: await measureLists(service) }),
};

/** New figures of a part replace the old ones. */
export function merged(before: Results, found: Partial<Results>): Results {
	const speeds = [...before.speed, ...(found.speed ?? [])];
	const bySpeed = new Map(speeds.map((each) => [each.service, each]));
	return {
		...before,
		...found,
		takenOn: { ...before.takenOn, ...found.takenOn },
		speed: SERVICES.flatMap(({ name }) => bySpeed.get(name) ?? []),
	};
}
