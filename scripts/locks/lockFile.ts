/** What this project needs to know of npm's lock files. */
export interface LockedPackage {
	readonly version?: string;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
	readonly dev?: boolean;
	/** Nobody wants it: npm leaves such entries behind when it has changed its mind about a place in the tree. */
	readonly extraneous?: boolean;
}

/** By path: "" is the project itself, "node_modules/a/node_modules/b" a package. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

export interface LockFile {
	readonly packages: LockedPackages;
}
