import type { IBinaryData, IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';

import { InputError } from '../contract/request';

interface InputFile {
	readonly name: string | undefined;
	readonly bytes: Buffer;
}

interface OutputFile {
	readonly name: string;
	readonly mimeType: string;
	readonly bytes: Buffer;
}

/** The files of one item, wherever this n8n keeps them: in memory, on disk, in a database or bucket. */
export class ItemFiles {
	/** No object, because a field may be called `__proto__`. */
	private readonly added = new Map<string, IBinaryData>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
	) {}

	/** Where the item has files. */
	get names(): string {
		return Object.keys(this.input).join(', ');
	}

	/** Other files of the item stay, as in n8n's own nodes. Undefined if none was added. */
	get output(): IBinaryKeyData | undefined {
		if (this.added.size === 0) return undefined;
		return { ...this.input, ...Object.fromEntries(this.added) };
	}

	/** Undefined if the item has no file of this name. */
	async find(field: string): Promise<InputFile | undefined> {
		const { context, itemIndex } = this;
		const data = this.dataOf(field);
		if (data === undefined) return undefined;
		const bytes = await context.helpers.getBinaryDataBuffer(itemIndex, field);
		return { name: data.fileName, bytes };
	}

	async read(field: string, label: string): Promise<InputFile> {
		const file = await this.find(field);
		if (file !== undefined) return file;
		throw new InputError(
			`The input item has no file in “${field}”`,
			this.names === ''
				? 'It has no file at all. Place a node before this one that outputs a file, such as a form with a file field or “Read/Write Files from Disk”.'
				: `Its files are in: ${this.names}. Enter one of these in “${label}”.`,
		);
	}

	async add(field: string, { bytes, name, mimeType }: OutputFile): Promise<void> {
		const { helpers } = this.context;
		this.added.set(field, await helpers.prepareBinaryData(bytes, name, mimeType));
	}

	private get input(): IBinaryKeyData {
		return this.context.getInputData()[this.itemIndex]?.binary ?? {};
	}

	/** By n8n's helper, because a workflow can have its files among the fields. */
	private dataOf(field: string): IBinaryData | undefined {
		try {
			const data = this.context.helpers.assertBinaryData(this.itemIndex, field);
			// It also finds what every object has, such as `constructor`.
			return typeof data.mimeType === 'string' ? data : undefined;
		} catch {
			return undefined;
		}
	}
}
