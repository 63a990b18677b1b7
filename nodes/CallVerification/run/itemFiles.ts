import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { InputError } from '../contract/request';

/** The files of one item, wherever this n8n keeps them: in memory, on disk, in a database or bucket. */
export function itemFiles(context: IExecuteFunctions, itemIndex: number) {
	const { helpers } = context;
	/** No object, because a field may be called `__proto__`. */
	const added = new Map<string, IBinaryData>();
	const input = () => context.getInputData()[itemIndex]?.binary ?? {};
	return {
		/** Where the item has files. */
		get names() {
			return Object.keys(input()).join(', ');
		},
		/** Undefined if none was added. Other files of the item stay, as in n8n's own nodes. */
		get output() {
			return added.size === 0 ? undefined : { ...input(), ...Object.fromEntries(added) };
		},
		/** Undefined if the item has no file of this name. */
		async find(field: string) {
			const data = fileData(context, itemIndex, field);
			if (data === undefined) return undefined;
			const bytes = await helpers.getBinaryDataBuffer(itemIndex, field);
			return { name: data.fileName, bytes };
		},
		async read(field: string, label: string) {
			const file = await this.find(field);
			if (file !== undefined) return file;
			throw new InputError(
				`The input item has no file in “${field}”`,
				this.names === ''
					? 'It has no file at all. Place a node before this one that outputs a file, such as a form with a file field or “Read/Write Files from Disk”.'
					: `Its files are in: ${this.names}. Enter one of these in “${label}”.`,
			);
		},
		async add(field: string, file: { name: string; mimeType: string; bytes: Buffer }) {
			const { bytes, name, mimeType } = file;
			added.set(field, await helpers.prepareBinaryData(bytes, name, mimeType));
		},
	};
}

/** By n8n's helper, because a workflow can have its files among the fields. */
function fileData(
	{ helpers }: IExecuteFunctions,
	itemIndex: number,
	field: string,
): IBinaryData | undefined {
	try {
		const data = helpers.assertBinaryData(itemIndex, field);
		// It also finds what every object has, such as `constructor`.
		return typeof data.mimeType === 'string' ? data : undefined;
	} catch {
		return undefined;
	}
}
