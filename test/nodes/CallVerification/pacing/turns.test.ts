import { Turns } from '../../../../nodes/CallVerification/pacing/turns';

describe('turns', () => {
	it('run tasks of one name one after the other, and others beside them', async () => {
		const turns = new Turns();
		const log: string[] = [];
		const task = (name: string) => async () => {
			log.push(`${name} begins`);
			await Promise.resolve();
			await Promise.resolve();
			log.push(`${name} ends`);
			return name;
		};
		const done = [
			turns.take('row', task('a')),
			turns.take('row', task('b')),
			turns.take('other', task('c')),
		];
		expect(await Promise.all(done)).toEqual(['a', 'b', 'c']);
		expect(log.indexOf('a ends')).toBeLessThan(log.indexOf('b begins'));
		expect(log.indexOf('c begins')).toBeLessThan(log.indexOf('a ends'));
	});

	it('go on after a task that failed', async () => {
		const turns = new Turns();
		const failed = turns.take('row', async () => await Promise.reject(new Error('no')));
		const next = turns.take('row', async () => await Promise.resolve('yes'));
		await expect(failed).rejects.toThrow('no');
		expect(await next).toBe('yes');
	});
});
