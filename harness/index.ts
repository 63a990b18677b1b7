export { stopAllGuarded, processesInGroup, stopOnSignal } from './process/guardedProcess';
export { freePorts, isPortFree } from './process/loopback';
export {
	type N8nDefaults,
	QUICK_EXPRESSIONS,
	wantedDefaults,
	filesOf,
} from './process/n8nSettings';
export { runN8nCommand, type RunningN8n, startN8n } from './process/startN8n';
export { waitUntil } from './process/waitUntil';
export { type Postgres, startPostgres, serverPrograms } from './queue/servers';
export { QueueMode } from './queue/queueMode';
export { connect, type N8nClient, type Credential, type CredentialTestResult } from './rest/client';
export { type ExecutionItem, type RunContext, type Execution, itemsOf } from './rest/executions';
export { localOwner, type Owner, RestError } from './rest/restSession';
export {
	type FieldValue,
	type FormPage,
	FormVisitor,
	callWebhook,
	formUrl,
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
export { installPackage, packPackage, packProject } from './setup/packages';
export {
	type N8nLine,
	n8nLines,
	type N8nRelease,
	type PinnedLine,
	triedReleases,
} from './setup/n8nReleases';
export { type N8nProgram, n8nProgram } from './setup/n8nProgram';
export { SetupProblem } from './setup/report';
