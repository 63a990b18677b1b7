import {
	readResultCell,
	writeResultCell,
} from '../../../../nodes/CallVerification/phones/rowResult';

describe('a result cell', () => {
	it.each([
		['=1+1', "'=1+1"],
		['+7 (900)', "'+7 (900)"],
		['-1', "'-1"],
		['@SUM(A1)', "'@SUM(A1)"],
		['\t=1', "'=1"],
		['\r\n =1', "'=1"],
		['\u200B=1', "'\u200B=1"],
		['＝1', "'＝1"],
		['＋1', "'＋1"],
		['MTS = good', 'MTS = good'],
		['', ''],
		['ПАО «МТС»', 'ПАО «МТС»'],
		['a;b', '"a;b"'],
		['a,b', 'a,b'],
		['say "hi"', '"say ""hi"""'],
		['=a;"b"', `"'=a;""b"""`],
		['two\r\nlines\0of', 'two lines of'],
		[' x ', 'x'],
		['half \uD800', 'half'],
	])('of %j is %j, and no formula', (value, cell) => {
		expect(writeResultCell('operator', value, ';')).toBe(cell);
	});

	it('keeps the plus of a number, and of nothing else', () => {
		expect(writeResultCell('phone_e164', '+79000000001', ';')).toBe('+79000000001');
		expect(writeResultCell('phone_e164', '+7+1', ';')).toBe("'+7+1");
		expect(writeResultCell('reason', '+79000000001', ';')).toBe("'+79000000001");
	});

	it.each([
		['valid', 'true', 'TRUE'],
		['valid', 'ЛОЖЬ', 'FALSE'],
		['mobile', ' Wahr ', 'TRUE'],
		['valid', 'ІСТИНА', 'TRUE'],
		['valid', 'Fałsz', 'FALSE'],
		['valid', 'maybe', 'maybe'],
		['phone_e164', "'+79000000001", '+79000000001'],
		['phone_e164', '79000000001', '+79000000001'],
		['phone_e164', '7.9E+10', '7.9E+10'],
		['operator', "'=MTS", '=MTS'],
		['operator', "'s-Gravenhage", "'s-Gravenhage"],
	] as const)('%s is read: %j is %j', (name, cell, value) => {
		expect(readResultCell(name, cell)).toBe(value);
	});
});
