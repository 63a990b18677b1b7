import { z } from 'zod';

import { type Execution, FormVisitor, itemsOf } from '../../harness';
import { CHECKS_A_LIST } from './importExamples';
import { type Demo, formOf } from './startDemo';
import { textTable } from '../../bench/table';

const checkedNumber = z.object({
	source: z.string(),
	/** Null if the number could not be read. */
	valid: z.boolean().nullable(),
	reason: z.string(),
	phone_e164: z.string(),
	operator: z.string(),
	country: z.string(),
});
const call = z.object({ vendor_id: z.number(), phone: z.string() });
const typed = z.object({ code: z.string() });
const checkedCode = z.object({ vendor_id: z.number(), matched: z.boolean() });

interface MainJobResult {
	readonly numbers: Array<z.infer<typeof checkedNumber>>;
	readonly calls: Array<{ phone: string; typed: string; matched: boolean }>;
	readonly charged: number;
	/** Where the results differ from what the service has seen. */
	readonly problems: string[];
}

/** Not the number that the user is told to try next, because a number is not called twice in a minute. */
const VISITOR = '79000000003';

/** Runs the examples in n8n: checks a phone list, makes a call and checks its code. */
export async function runMainJob(demo: Demo): Promise<MainJobResult> {
	const { ledger } = demo.emulator;
	const balanceBefore = ledger.balance;

	const list = await runExample(demo, CHECKS_A_LIST);
	const given = itemsOf(list, 'Rows').length;
	const numbers = z.array(checkedNumber).parse(itemsOf(list, 'Check Number'));

	const verification = await visitForm(demo, 'call-and-check-code');
	const [started] = z.array(call).nonempty().parse(itemsOf(verification, 'Call'));
	const [code] = z.array(typed).nonempty().parse(itemsOf(verification, 'Answer'));
	const [answer] = z.array(checkedCode).nonempty().parse(itemsOf(verification, 'Check Code'));

	const validByService = new Map(ledger.checks.map(({ source, valid }) => [digits(source), valid]));
	// What cannot be read is not sent to the service, and is neither valid nor invalid.
	const problems = [
		...(numbers.length === given
			? []
			: [`${given} numbers were on the list, but there are ${numbers.length} results`]),
		...numbers
			.filter(({ source, valid }) => (validByService.get(digits(source)) ?? null) !== valid)
			.map(({ source }) => `"${source}": the result is not what the service returned`),
		...(ledger.calls.some(({ vendorId }) => vendorId === started.vendor_id)
			? []
			: ['the service has no record of the call']),
		...(answer.matched ? [] : ['the code did not match']),
	];
	return {
		numbers,
		calls: [
			{
				phone: started.phone,
				typed: code.code,
				matched: answer.matched,
			},
		],
		charged: balanceBefore - ledger.balance,
		problems,
	};
}

async function runExample(demo: Demo, name: string): Promise<Execution> {
	return successful(name, await demo.client.run(idOf(demo, name)));
}

/** Plays the visitor of the example's form, who types the code of the call. */
async function visitForm(demo: Demo, name: string): Promise<Execution> {
	const { client, emulator } = demo;
	const { execution } = await client.executions.startedBy(
		idOf(demo, name),
		async () => {
			const visitor = await FormVisitor.start(await formOf(demo, name), VISITOR);
			await visitor.nextPage();
			await visitor.submit(emulator.ledger.calls.at(-1)?.code ?? '');
			await visitor.nextPage();
		},
		{ ran: 'Check Code' },
	);
	return successful(name, execution);
}

function idOf({ workflowIds }: Demo, name: string): string {
	const id = workflowIds.get(name);
	if (id === undefined) throw new Error(`examples/${name}.json is missing`);
	return id;
}

function successful(name: string, execution: Execution): Execution {
	if (execution.status === 'success') return execution;
	throw new Error(`"${name}" ended with ${execution.status}: ${JSON.stringify(execution.error)}`);
}

/** Equal numbers are sent once, in the first spelling. */
function digits(source: string): string {
	return source.replace(/\D/g, '') || source;
}

export function proceedings({ numbers, calls, charged, problems }: MainJobResult): string {
	const checked = textTable({
		head: ['phone', 'valid', 'number', 'operator', 'country', 'reason'],
		rows: numbers.map(({ source, valid, phone_e164, operator, country, reason }) => [
			source,
			valid === null ? '' : yesOrNo(valid),
			phone_e164,
			operator,
			country,
			reason,
		]),
	});
	const called = textTable({
		head: ['called', 'code typed', 'code matched'],
		rows: calls.map(({ phone, typed, matched }) => [phone, typed, yesOrNo(matched)]),
	});
	const good = numbers.filter(({ valid }) => valid).length;
	const outcome =
		problems.length === 0
			? `${good} of ${numbers.length} numbers are valid, and the code of the call matched. The emulated service charged ${charged.toFixed(2)}.`
			: `The results are not right:\n${problems.map((problem) => `- ${problem}`).join('\n')}`;
	return `\nThe phone list\n\n${checked}\n\nThe call\n\n${called}\n\n${outcome}\n`;
}

function yesOrNo(value: boolean): string {
	return value ? 'yes' : 'no';
}
