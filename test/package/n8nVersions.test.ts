import { defaultSettings, n8nSettings, wantedDefaults } from '../../harness/process/n8nSettings';
import { isSupportedVersion, lineOf, n8nLines } from '../../harness/setup/n8nReleases';

describe('the line of an n8n', () => {
	it.each([
		['1.70.0', '1.x'],
		['2.41.1', '2.x'],
		['3.0.0', '3.x'],
		['3.12.4', '3.x'],
	])('%s is of %s', (version, line) => {
		expect(lineOf(version)).toBe(line);
	});

	it('is not guessed', () => {
		expect(() => lineOf('4.0.0')).toThrow('n8n 4.0.0 is of no known line');
	});
});

describe('an n8n on the PATH', () => {
	it.each([
		['2.41.1', true],
		['2.41.0', true],
		['2.42.0', true],
		['2.40.9', false],
		['1.123.81', false],
		['3.0.0', false],
		['3.50.0', false],
	])('%s replaces 2.41.1: %s', (version, replaces) => {
		expect(isSupportedVersion('2.41.1', version)).toBe(replaces);
	});
});

describe('the settings of an n8n', () => {
	const program = { ...n8nLines['2.x'], node: '/bin/node', script: 'n8n' };
	const own = { ports: { port: 5678, brokerPort: 5679 }, settings: {}, defaults: 'own' } as const;
	const url = 'http://127.0.0.1:5678/';

	it.each([
		['2.41.1', { N8N_WEBHOOK_URL: url }],
		['2.30.0', { N8N_WEBHOOK_URL: url }],
		['2.29.9', { WEBHOOK_URL: url }],
		['1.123.81', { WEBHOOK_URL: url }],
	])('give %s its public address under the name that it knows', (version, expected) => {
		const { N8N_WEBHOOK_URL, WEBHOOK_URL } = n8nSettings({ ...program, version }, '/home', own);
		expect({ N8N_WEBHOOK_URL, WEBHOOK_URL }).toEqual(expected);
	});

	it('have what 3.0 sets by default only if asked for', () => {
		expect(n8nSettings(program, '/home', own)).not.toHaveProperty('NODES_EXCLUDE');
		const { NODES_EXCLUDE } = n8nSettings(program, '/home', { ...own, defaults: '3.0' });
		expect(NODES_EXCLUDE).toContain('"n8n-nodes-base.function"');
	});

	it.each([
		[{}, 'filesystem'],
		[{ EXECUTIONS_MODE: 'queue' }, 'database'],
	])('with %j, keep files in 3.0’s place for them: %s', (given, mode) => {
		expect(defaultSettings('3.0', given).N8N_DEFAULT_BINARY_DATA_MODE).toBe(mode);
	});
});

describe('N8N_DEFAULTS', () => {
	const before = process.env.N8N_DEFAULTS;
	afterEach(() => {
		if (before === undefined) delete process.env.N8N_DEFAULTS;
		else process.env.N8N_DEFAULTS = before;
	});

	it('is 3.0 or nothing', () => {
		delete process.env.N8N_DEFAULTS;
		expect(wantedDefaults()).toBe('own');
		process.env.N8N_DEFAULTS = '3.0';
		expect(wantedDefaults()).toBe('3.0');
		process.env.N8N_DEFAULTS = '3';
		expect(wantedDefaults).toThrow('N8N_DEFAULTS is 3. Set it to 3.0');
	});
});
