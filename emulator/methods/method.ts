import type { ArgumentReader } from '../argumentReader';
import type { ServiceState } from '../serviceState';

export interface Method {
	verbs: readonly string[];
	answer(args: ArgumentReader, service: ServiceState): Record<string, unknown>;
}
