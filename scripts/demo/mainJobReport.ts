import type { MainJobResult } from './mainJob';
import { table } from './table';

export function proceedings({ numbers, calls, charged, problems }: MainJobResult): string {
	const checked = table(
		['on the list', 'valid', 'number', 'operator', 'country', 'reason'],
		numbers.map(({ source, valid, phone, provider, country_iso, reason }) => [
			source,
			yesOrNo(valid),
			valid ? String(phone) : '',
			provider,
			country_iso,
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
			? `${good} of ${numbers.length} numbers are good, the call's code matched; the emulated service charged ${charged.toFixed(2)}.`
			: `The main job did not give what it should:\n${problems.map((problem) => `- ${problem}`).join('\n')}`;
	return `\nA phone list, checked\n\n${checked}\n\nA call, verified\n\n${called}\n\n${outcome}\n`;
}

function yesOrNo(value: boolean): string {
	return value ? 'yes' : 'no';
}
