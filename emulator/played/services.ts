import { contract } from './contract';
import type { Clock, EmulatorSettings } from '../settings';
import { ucaller } from './ucaller';

/** Whose answers the emulator gives: those of the contract, or those of the public service with this interface. */
export const SERVICE_NAMES = ['contract', 'ucaller'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

const differences: Readonly<Record<ServiceName, Partial<EmulatorSettings>>> = {
	contract: {},
	ucaller,
};

interface PlayOptions extends Partial<EmulatorSettings> {
	/** Decides the default of the settings. */
	as?: ServiceName;
}

export interface EmulatorOptions extends PlayOptions {
	/** The system's, unless a test has another one. */
	clock?: Clock;
}

export function isServiceName(value: unknown): value is ServiceName {
	return SERVICE_NAMES.some((name) => name === value);
}

/** The given settings, and for all others the defaults of the service that is played. */
export function completeSettings({ as = 'contract', ...given }: PlayOptions): EmulatorSettings {
	return { ...contract, ...differences[as], ...given };
}

/** The service that is played now. */
export class PlayedService {
	as: ServiceName;
	settings: EmulatorSettings;

	constructor(private readonly given: PlayOptions) {
		this.as = given.as ?? 'contract';
		this.settings = completeSettings(given);
	}

	/** Plays another service from now on; what has happened and what was set stays. */
	playAs(as: ServiceName): void {
		this.as = as;
		this.settings = completeSettings({ ...this.given, as });
	}
}
