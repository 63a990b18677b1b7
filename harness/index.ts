export { stopAllGuarded } from './process/guardedProcess';
export { freePorts, isPortFree } from './process/freePorts';
export { processesInGroup } from './process/processGroup';
export { type N8nDefaults, QUICK_EXPRESSIONS, wantedDefaults } from './process/n8nDefaults';
export { runN8nCommand } from './process/n8nCommand';
export { filesOf } from './process/n8nSettings';
export { type RunningN8n, startN8n } from './process/startN8n';
export { stopOnSignal } from './process/stopOnSignal';
export { waitUntil } from './process/waitUntil';
export { type Postgres, startPostgres } from './queue/postgres';
export { serverPrograms } from './queue/serverPrograms';
export { QueueMode } from './queue/queueMode';
export { connect, type N8nClient } from './rest/connect';
export type { Credential, CredentialTestResult } from './rest/credentials';
export type { ExecutionItem, RunContext } from './rest/executionData';
export { type Execution, itemsOf } from './rest/executions';
export { localOwner, type Owner } from './rest/owner';
export { RestError } from './rest/restSession';
export { type FieldValue, type FormPage, FormVisitor } from './rest/formVisitor';
export { callWebhook, formUrl, productionUrl, testUrl, type WebhookAnswer } from './rest/webhooks';
export { readWorkflowFiles, startsByItself } from './rest/workflowFile';
export { withParameters } from './rest/withParameters';
export type { Workflow, WorkflowFile } from './rest/workflows';
export { cacheFolder } from './setup/cacheFolder';
export { installPackage } from './setup/installPackage';
export {
	type N8nLine,
	n8nLines,
	type N8nRelease,
	type PinnedLine,
	triedReleases,
} from './setup/n8nLine';
export { type N8nProgram, n8nProgram } from './setup/n8nProgram';
export { packPackage } from './setup/packPackage';
export { packProject } from './setup/packProject';
export { SetupProblem } from './setup/setupProblem';
