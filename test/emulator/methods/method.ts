import type { ArgumentReader } from '../argument-reader';
import type { ServiceState } from '../service-state';

export interface Method {
	verbs: readonly string[];
	answer(args: ArgumentReader, service: ServiceState): Record<string, unknown>;
}
