/** The part of npm's lock files that this project uses. */
export interface LockedPackage {
	readonly version?: string;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
	readonly dev?: boolean;
	/** No package needs it: npm leaves such entries behind when it moves a package in the tree. */
	readonly extraneous?: boolean;
}

/** By path: "" is the project itself, "node_modules/a/node_modules/b" a package. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

export interface LockFile {
	readonly packages: LockedPackages;
}
