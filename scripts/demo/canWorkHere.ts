import { startsByItself, type WorkflowFile } from '../../harness';
import { STAND_IN_TYPES } from './standInCredentials';

/** Sends requests to the outside, but in the demo nothing leaves this machine. */
const REACHES_OUTSIDE = 'n8n-nodes-base.httpRequest';

/** Whether an example can be published here: it starts on its own, and everything it needs is available. */
export function canWorkHere(file: WorkflowFile): boolean {
	return startsByItself(file) && file.nodes.every(isServedHere);
}

function isServedHere({ type, credentials = {} }: WorkflowFile['nodes'][number]): boolean {
	return (
		type !== REACHES_OUTSIDE &&
		Object.keys(credentials).every((type) => STAND_IN_TYPES.includes(type))
	);
}
