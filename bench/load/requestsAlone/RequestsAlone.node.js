/** As many as Check File has in flight at most. */
const AT_ONCE = 64;
const CREDENTIAL = 'callVerificationApi';

/**
 * The least that a node can do to check the numbers of a file: n8n's request helper, with the options that Check File
 * uses. It keeps no response and passes the file on as it is, so the memory it takes is n8n's own.
 */
class RequestsAlone {
	constructor() {
		this.description = {
			displayName: 'Requests Alone',
			name: 'requestsAlone',
			group: ['transform'],
			version: 1,
			description: 'Sends a request for each number of a file',
			defaults: { name: 'Requests Alone' },
			inputs: ['main'],
			outputs: ['main'],
			credentials: [{ name: CREDENTIAL, required: true }],
			properties: [],
		};
	}

	async execute() {
		const file = await this.helpers.getBinaryDataBuffer(0, 'data');
		const phones = file.toString().match(/\+\d+/g);
		const data = await this.getCredentials(CREDENTIAL);
		const { id, name } = this.getNode().credentials[CREDENTIAL];
		const credentialsDecrypted = { id, name, type: CREDENTIAL, data };
		const lane = async () => {
			for (let phone = phones.pop(); phone !== undefined; phone = phones.pop()) {
				const request = {
					method: 'POST',
					url: `${data.baseUrl}/v1.0/checkPhone`,
					body: { phone },
					timeout: 30_000,
					json: true,
					arrayFormat: 'repeat',
					returnFullResponse: true,
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
				};
				await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, request, {
					credentialsDecrypted,
				});
			}
		};
		await Promise.all(Array.from({ length: AT_ONCE }, lane));
		return [this.getInputData()];
	}
}

module.exports = { RequestsAlone };
