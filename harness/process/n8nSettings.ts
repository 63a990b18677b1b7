import { delimiter, dirname, join } from 'node:path';
import type { N8nProgram } from '../setup/n8nProgram';
import { isAtLeast } from '../setup/n8nReleases';

/** Those of the n8n that is started, or those that n8n 3.0 has, as far as an earlier n8n can be given them. */
export type N8nDefaults = 'own' | '3.0';

/** N8N_DEFAULTS=3.0 gives every n8n that is started the defaults of 3.0. */
export function wantedDefaults(): N8nDefaults {
	const { N8N_DEFAULTS: wanted = 'own' } = process.env;
	if (wanted === 'own' || wanted === '3.0') return wanted;
	throw new Error(`N8N_DEFAULTS is ${wanted}. Set it to 3.0, or leave it out.`);
}

type Settings = Readonly<Record<string, string>>;

/**
 * For tests; measurements keep n8n's own. By default n8n compiles the engine of its expressions anew for each execution,
 * which is a quarter of what n8n computes in test/e2e/attackTable.
 */
export const QUICK_EXPRESSIONS: Settings = {
	N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'true',
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
};

/** @param given What the n8n is started with. Some defaults depend on it. */
export function defaultSettings(defaults: N8nDefaults, given: Settings): Settings {
	if (defaults === 'own') return {};
	const isQueueMode = given.EXECUTIONS_MODE === 'queue';
	return {
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		N8N_RUNNERS_TASK_TIMEOUT: '60',
		N8N_DEFAULT_BINARY_DATA_MODE: isQueueMode ? 'database' : 'filesystem',
		N8N_ENV_FEAT_ENCRYPTION_KEY_ROTATION: 'true',
		N8N_COMPRESSION_NODE_MAX_DECOMPRESSED_SIZE_BYTES: '268435456',
		N8N_COMPRESSION_NODE_MAX_ZIP_ENTRIES: '1000',
		NODES_EXCLUDE: JSON.stringify([...EXCLUDED_BY_2, ...REMOVED_IN_3]),
	};
}

/** n8n's own default, which a list of ours replaces. */
const EXCLUDED_BY_2 = ['n8n-nodes-base.executeCommand', 'n8n-nodes-base.localFileTrigger'];

const REMOVED_IN_3 = [
	...[
		'aiTransform',
		'cron',
		'function',
		'functionItem',
		'htmlExtract',
		'iCal',
		'interval',
		'itemLists',
		'moveBinaryData',
		'openAi',
		'orbit',
		'readBinaryFile',
		'readBinaryFiles',
		'readPDF',
		'workflowTrigger',
		'writeBinaryFile',
	].map((name) => `n8n-nodes-base.${name}`),
	...[
		'documentBinaryInputLoader',
		'documentGithubLoader',
		'documentJsonInputLoader',
		'lmOpenAi',
		'manualChatTrigger',
		'memoryChatRetriever',
		'memoryMotorhead',
		'memoryZep',
		'openAiAssistant',
		'toolHttpRequest',
		'toolSerpApi',
		'vectorStoreInMemoryInsert',
		'vectorStoreInMemoryLoad',
		'vectorStorePineconeInsert',
		'vectorStorePineconeLoad',
		'vectorStoreSupabaseInsert',
		'vectorStoreSupabaseLoad',
		'vectorStoreZep',
		'vectorStoreZepInsert',
		'vectorStoreZepLoad',
	].map((name) => `@n8n/n8n-nodes-langchain.${name}`),
];

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

/** In queue mode, n8n spreads its work over three kinds of processes; in regular mode, the main one does it all. */
export type N8nRole = 'main' | 'webhook' | 'worker';

interface N8nRoleFacts {
	readonly args: readonly string[];
	/** All respond with 200 when the process is ready. 1.x reports readiness before the REST routes exist. */
	readonly readyPaths: readonly string[];
	/** A worker only has a port for health checks, and its own settings for it. */
	readonly settings: (port: number) => Readonly<Record<string, string>>;
}

export const n8nRoles: Readonly<Record<N8nRole, N8nRoleFacts>> = {
	main: {
		args: ['start'],
		readyPaths: ['/healthz/readiness', '/rest/settings'],
		settings: () => ({}),
	},
	webhook: {
		args: ['webhook'],
		readyPaths: ['/healthz/readiness'],
		settings: () => ({}),
	},
	worker: {
		args: ['worker', '--concurrency=10'],
		readyPaths: ['/healthz/readiness'],
		settings: (port) => ({
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		}),
	},
};
