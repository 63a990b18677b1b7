/** A problem outside this project. The message says what is wrong and what to do about it. */
export class SetupProblem extends Error {
	override name = 'SetupProblem';
}
