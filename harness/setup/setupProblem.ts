/** Something outside this project is missing or in the way. The message says what, and what to do about it. */
export class SetupProblem extends Error {
	override name = 'SetupProblem';
}
