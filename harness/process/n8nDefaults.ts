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
