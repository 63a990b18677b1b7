import { settingsFromFlags } from '../../emulator/cliFlags';

describe('command-line flags', () => {
	it('become settings', () => {
		const argv = [
			'--port',
			'8080',
			'--key',
			'k',
			'--service-id',
			'7',
			'--latency=250',
			'--as',
			'ucaller',
		];
		expect(settingsFromFlags(argv)).toEqual({
			port: 8080,
			secretKey: 'k',
			serviceId: '7',
			latencyMs: 250,
			as: 'ucaller',
		});
	});

	it('leave the defaults alone when not given', () => {
		expect(settingsFromFlags([])).toEqual({});
	});

	it.each([
		[['--port', 'x']],
		[['--port', '70000']],
		[['--latency', '1.5']],
		[['--speed', '1']],
		[['--as', 'other']],
	])('are refused when wrong: %j', (argv) => {
		expect(() => settingsFromFlags(argv)).toThrow(/--/);
	});
});
