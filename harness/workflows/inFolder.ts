import { withParameters, type WorkflowFile } from '..';

/** The example that reads and writes files, after a user has entered the folder. */
export function inFolder(file: WorkflowFile, folder: string): WorkflowFile {
	const assignment = { id: 'folder', name: 'folder', value: folder, type: 'string' };
	return withParameters(file, 'Folder', { assignments: { assignments: [assignment] } });
}
