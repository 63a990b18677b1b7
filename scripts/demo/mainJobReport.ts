import type { MainJobResult } from './mainJob';
import { table } from './table';

export function proceedings({ numbers, calls, charged, problems }: MainJobResult): string {
	const checked = table(
		['phone', 'valid', 'number', 'operator', 'country', 'reason'],
		numbers.map(({ source, valid, phone_e164, operator, country, reason }) => [
			source,
			valid === null ? '' : yesOrNo(valid),
			phone_e164,
			operator,
			country,
			reason,
		]),
	);
	const called = table(
		['called', 'code typed', 'code matched'],
		calls.map(({ phone, typed, matched }) => [phone, typed, yesOrNo(matched)]),
	);
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
