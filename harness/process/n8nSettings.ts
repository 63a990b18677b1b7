import { delimiter, dirname, join } from 'node:path';
import { isAtLeast } from '../setup/n8nLine';
import type { N8nProgram } from '../setup/n8nProgram';
import { defaultSettings, type N8nDefaults } from './n8nDefaults';

type Settings = Readonly<Record<string, string>>;

interface OwnSettings {
	readonly ports: { readonly port: number; readonly brokerPort: number };
	readonly defaults: N8nDefaults;
	/** Win over all others. */
	readonly settings: Settings;
}

/**
 * The whole environment of an n8n process. It inherits little of ours: an N8N_ variable, a database address or a proxy
 * that happens to be set here must not change what a test sees.
 */
export function n8nSettings(
	program: N8nProgram,
	userFolder: string,
	{ ports: { port, brokerPort }, defaults, settings }: OwnSettings,
): NodeJS.ProcessEnv {
	const url = `http://127.0.0.1:${port}/`;
	return inNamesOf(program.version, {
		// n8n starts its task runner as plain "node".
		PATH: [dirname(program.node), process.env.PATH].join(delimiter),
		LANG: 'C.UTF-8',
		HOME: userFolder,
		TMPDIR: temporaryFilesOf(userFolder),
		...(process.platform === 'win32' && windowsSettings(userFolder)),

		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: 'only-for-a-local-n8n-on-loopback',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',

		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_EDITOR_BASE_URL: url,
		N8N_WEBHOOK_URL: url,
		N8N_SECURE_COOKIE: 'false',

		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',

		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_AI_ENABLED: 'false',

		// When the machine stands still for 5 s, n8n ends an expression, and takes its database for lost.
		N8N_EXPRESSION_ENGINE_TIMEOUT: '60000',
		DB_PING_INTERVAL_SECONDS: '3600',

		...defaultSettings(defaults, settings),
		...program.settings,
		...settings,
	});
}

/** Before 2.30, n8n knew its public address by another name. */
function inNamesOf(version: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	if (isAtLeast(version, '2.30')) return env;
	const { N8N_WEBHOOK_URL, ...others } = env;
	return { ...others, WEBHOOK_URL: N8N_WEBHOOK_URL };
}

/** There, home and temporary folders have other names, and nothing starts without the system folder. */
function windowsSettings(userFolder: string): NodeJS.ProcessEnv {
	const { SystemRoot, ComSpec, PATHEXT } = process.env;
	const temporary = temporaryFilesOf(userFolder);
	return { SystemRoot, ComSpec, PATHEXT, USERPROFILE: userFolder, TEMP: temporary, TMP: temporary };
}

/** The only folder where n8n 2.x lets a workflow read and write files. */
export function filesOf(userFolder: string): string {
	return join(userFolder, '.n8n-files');
}

/** Inside the user folder, so that n8n's temporary files are removed with it. */
export function temporaryFilesOf(userFolder: string): string {
	return join(userFolder, 'tmp');
}
