export type JsonType = 'array' | 'boolean' | 'number' | 'object' | 'string';

/** A field of a node's output. Schemas and documentation are generated from these: `npm run generate`. */
export interface OutputField {
	readonly type: JsonType;
	/** Ends a row of the documentation: no capital, no full stop, Markdown allowed. */
	readonly meaning: string;
	/** Of an object, or of each entry of an array. */
	readonly fields?: OutputFields;
}

/** By name, in the order of the output. */
export type OutputFields = Readonly<Record<string, OutputField>>;
