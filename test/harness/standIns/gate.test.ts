import type { IncomingMessage } from 'node:http';
import { Gate } from '../../../harness/standIns/gate';

const request = (socket = { destroyed: false }) => ({ socket }) as IncomingMessage;

test('of requests that come at the same moment, it lets no more pass than were wanted', async () => {
	const gate = new Gate();
	const answered: number[] = [];
	const release = gate.holdWhen(() => answered.length >= 2);
	const passing = [1, 2, 3, 4].map(
		async (each) => await gate.pass(request(), () => answered.push(each)),
	);
	await Promise.all(passing.slice(0, 2));
	expect(answered).toEqual([1, 2]);
	expect(gate.waiting).toBe(2);
	release();
	await Promise.all(passing);
	expect(answered).toEqual([1, 2, 3, 4]);
});

test('a request whose sender is gone by the time it may pass is not answered', async () => {
	const gate = new Gate();
	const release = gate.hold();
	const answer = jest.fn();
	const socket = { destroyed: false };
	const passing = gate.pass(request(socket), answer);
	socket.destroyed = true;
	release();
	await passing;
	expect(answer).not.toHaveBeenCalled();
});
