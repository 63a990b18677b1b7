import { KeptResults } from '../../../../nodes/CallVerification/pacing/budget';
import { PhoneChecks } from '../../../../nodes/CallVerification/phones/phoneChecks';
import type { ItemContext, Operation } from '../../../../nodes/CallVerification/run/operation';
import { defaultsOf } from '../../../../nodes/CallVerification/run/options';
import { RunReport } from '../../../../nodes/CallVerification/run/output';
import { VirtualClock } from '../../../virtualClock';

type Fields = Readonly<Record<string, unknown>>;
type Answer = (request: Fields, method: string) => unknown;

interface Fake {
	/** By field of the input item. */
	readonly files?: Readonly<Record<string, { readonly name?: string; readonly text: string }>>;
	readonly clock?: VirtualClock;
	/** Instead of those of an item, or beside them. */
	readonly more?: object;
}

/** What an operation can use of a run, without n8n: a service that answers at once, and a clock without waiting. */
export function fakeItem(
	answer: Answer,
	{ files = {}, clock = new VirtualClock(), more }: Fake = {},
) {
	const sent: Fields[] = [];
	const hints: Array<[message: string, type?: string]> = [];
	const added = new Map<string, { text: string; name: string; mimeType: string }>();
	const find = async (field: string) => {
		const file = files[field];
		return await Promise.resolve(file && { name: file.name, bytes: Buffer.from(file.text) });
	};
	const item = {
		itemIndex: 0,
		itemCount: 1,
		isTool: false,
		width: 1,
		clock,
		stop: new AbortController().signal,
		report: new RunReport(1),
		phoneChecks: new PhoneChecks(new KeptResults({}, {}, false), clock),
		hasGivenUp: () => false,
		hint: (...hint: [message: string, type?: string]) => hints.push(hint),
		inTurn: async (work: () => Promise<unknown>) => await work(),
		once: async (_values: unknown, _validity: unknown, request: () => Promise<unknown>) =>
			await request(),
		async send({ name }: { name: string }, request: Fields) {
			sent.push(request);
			return await Promise.resolve(answer(request, name));
		},
		files: {
			names: Object.keys(files).join(', '),
			find,
			read: find,
			add: async (field: string, bytes: Buffer, name: string, mimeType: string) => {
				added.set(field, { text: bytes.toString().replace(/^\uFEFF/, ''), name, mimeType });
				await Promise.resolve();
			},
		},
		...more,
	} as unknown as ItemContext;
	return { item, sent, hints, added, clock };
}

/** The parameters as a run has them, with the defaults of what is not entered. */
export function read({ fields, parameters }: Operation, values: Fields, entered: Fields = {}) {
	const byDefault = fields.map((field): [string, unknown] =>
		field.type === 'collection'
			? [field.name, { ...defaultsOf(field), ...entered }]
			: [field.name, field.default],
	);
	return parameters.parse({ ...Object.fromEntries(byDefault), ...values }) as unknown;
}

/** Checks the values, and runs the operation. */
export async function run(
	operation: Operation,
	item: ItemContext,
	values: Fields,
	options: Fields = {},
) {
	const parameters = read(operation, values, options);
	operation.check?.(parameters, item);
	return await operation.run(parameters, item);
}
