import { isPrivateHost } from '../../../../nodes/CallVerification/inbound/privateHost';

describe('a host that cannot be reached from the internet', () => {
	it.each([
		'http://localhost:5678/x',
		'http://n8n:5678',
		'http://127.0.0.1',
		'http://10.1.2.3',
		'http://172.16.0.1',
		'http://172.31.255.255',
		'http://192.168.1.1',
		'http://169.254.1.1',
		'http://100.64.0.1',
		'http://0.0.0.0',
		'http://[::1]:5678',
		'http://[fd00::1]',
		'http://[fe80::1]',
		'http://[::ffff:10.0.0.1]',
		'http://nas.local',
		'http://n8n.internal',
		'http://app.localhost',
		'http://router.lan',
	])('is %s', (url) => {
		expect(isPrivateHost(url)).toBe(true);
	});

	it.each([
		'https://n8n.example.com',
		'http://8.8.8.8',
		'http://172.32.0.1',
		'http://11.0.0.1',
		'http://100.128.0.1',
		'http://[2001:db8::1]',
		'https://localhost.example.com',
		'https://mylocal.com',
	])('is not %s', (url) => {
		expect(isPrivateHost(url)).toBe(false);
	});
});
