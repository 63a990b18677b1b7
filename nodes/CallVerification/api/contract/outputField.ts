export type JsonType = 'array' | 'boolean' | 'number' | 'object' | 'string';

/** A field that comes out of a node. Schemas and documentation are made of these: `npm run generate`. */
export interface OutputField {
	readonly type: JsonType;
	/** Ends a row of the documentation: no capital, no full stop, Markdown allowed. */
	readonly meaning: string;
	/** Of an object, or of each entry of an array. */
	readonly fields?: OutputFields;
}

/** By name, in the order in which they come out. */
export type OutputFields = Readonly<Record<string, OutputField>>;
