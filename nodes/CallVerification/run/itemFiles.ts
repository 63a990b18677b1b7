import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { InputError } from '../contract/request';

/** The files of one item, wherever this n8n keeps them: in memory, on disk, in a database or bucket. */
export function itemFiles(context: IExecuteFunctions, itemIndex: number) {
	const { helpers } = context;
	/** No object, because a field may be called `__proto__`. */
	const added = new Map<string, IBinaryData>();
	const input = () => context.getInputData()[itemIndex]?.binary ?? {};
	return {
		get names() {
			return Object.keys(input()).join(', ');
		},
		/** Undefined if none was added. Other files of the item stay, as in n8n's own nodes. */
		get output() {
			return added.size === 0 ? undefined : { ...input(), ...Object.fromEntries(added) };
		},
		/** By n8n's helper, because a workflow can have its files among the fields. */
		async find(field: string) {
			let data: IBinaryData | null;
			try {
				data = helpers.assertBinaryData(itemIndex, field);
			} catch {
				return undefined;
			}
			// It also finds null, and what every object has, such as `constructor`.
			if (typeof data?.mimeType !== 'string') return undefined;
			return { name: data.fileName, bytes: await helpers.getBinaryDataBuffer(itemIndex, field) };
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
		async add(field: string, bytes: Buffer, name: string, mimeType: string) {
			added.set(field, await helpers.prepareBinaryData(bytes, name, mimeType));
		},
	};
}
