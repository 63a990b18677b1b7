import { resources } from '../../../../nodes/CallVerification/operations';
import { get as getService } from '../../../../nodes/CallVerification/operations/service/get';
import { repeat } from '../../../../nodes/CallVerification/operations/call/repeat';
import { InputFields } from '../../../../nodes/CallVerification/run/output';
import { fakeItem, run } from './fakeItem';

const operations = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({
		name: `${resource.value}.${operation.value}`,
		operation,
		names: [
			...Object.keys(operation.output),
			...(operation.moreOutput ?? []),
			...operation.fields.map((field) => field.name),
		],
	})),
);

describe('an input field “code”', () => {
	const canInclude = operations.filter(({ operation: { fields } }) =>
		fields.some(({ options = [] }) => options.some(({ name }) => name === 'includeInputFields')),
	);
	const hasCode = canInclude.filter(({ names }) => names.includes('code'));

	it.each(hasCode)('never comes out of $name, under any name', ({ operation }) => {
		const input = new InputFields([{ json: { code: '0042', name: 'Ann' } }]);
		expect(input.beside({}, 0, operation)).toEqual({ name: 'Ann' });
	});

	it('is in question for all operations that deal with codes', () => {
		expect(hasCode.map(({ name }) => name)).toEqual(['call.start', 'call.checkCode', 'call.get']);
	});
});

it('the settings of the service come as it sends them', async () => {
	const record = { service_status: 1, name: 'Shop' };
	const { item } = fakeItem(() => record);
	expect(await run(getService, item, {})).toEqual(record);
});

it('the repeat of a call is never taken for that of another one', async () => {
	const kept = new Map<string, Promise<unknown>>();
	const once = async (values: unknown, _validity: unknown, request: () => Promise<unknown>) => {
		const key = JSON.stringify(values);
		const known = kept.get(key) ?? request();
		kept.set(key, known);
		return await known;
	};
	const { item, sent } = fakeItem(({ uid }) => ({ vendor_id: uid }), { more: { once } });
	expect(await run(repeat, item, { uid: 1 })).toEqual({ vendor_id: 1 });
	expect(await run(repeat, item, { uid: 2 })).toEqual({ vendor_id: 2 });
	expect(await run(repeat, item, { uid: 1 })).toEqual({ vendor_id: 1 });
	expect(sent).toEqual([{ uid: 1 }, { uid: 2 }]);
});
