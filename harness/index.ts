export { processesInGroup, stopAllGuarded, stopOnSignal } from './process/guardedProcess';
export { freePorts, isPortFree } from './process/loopback';
export {
	filesOf,
	type N8nDefaults,
	QUICK_EXPRESSIONS,
	wantedDefaults,
} from './process/n8nSettings';
export { type RunningN8n, runN8nCommand, startN8n } from './process/startN8n';
export { waitUntil } from './process/waitUntil';
export { QueueMode } from './queue/queueMode';
export { type Postgres, serverPrograms, startPostgres } from './queue/servers';
export { connect, type Credential, type N8nClient } from './rest/client';
export { type Execution, itemsOf } from './rest/executions';
export { localOwner, type Owner, RestError } from './rest/restSession';
export {
	callWebhook,
	type FieldValue,
	formUrl,
	FormVisitor,
	productionUrl,
	testUrl,
	type WebhookAnswer,
} from './rest/webhooks';
export {
	readWorkflowFiles,
	startsByItself,
	withParameters,
	type WorkflowFile,
	type WorkflowNode,
} from './rest/workflowFile';
export type { Workflow } from './rest/workflows';
export { cacheFolder } from './setup/installFolder';
export { type N8nProgram, n8nProgram } from './setup/n8nProgram';
export {
	type N8nLine,
	n8nLines,
	type N8nRelease,
	type PinnedLine,
	triedReleases,
} from './setup/n8nReleases';
export { packPackage, packProject } from './setup/packages';
export { SetupProblem } from './setup/report';
