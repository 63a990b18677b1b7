import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { CallVerification } from '../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../nodes/CallVerification/CallVerificationTrigger.node';
import { problemsOf } from './workflowProblems';

const FOLDER = join(__dirname, '../../examples/recipes');

test.each(readdirSync(FOLDER))('%s suits the nodes', (file) => {
	const recipe: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
	const descriptions = [
		new CallVerification().description,
		new CallVerificationTrigger().description,
	];
	expect(problemsOf(recipe, descriptions)).toEqual([]);
});
