/** What the Test button says on every n8n line: the node's own message, with what to do. */
export const testButtonWords = {
	wrongKey:
		/refused the request: .* Check “Secret Key”, “Service ID” and “Authentication Scheme” in the credential/,
	webPage: /^Unexpected response from the verification service\. Check the base URL/,
	notFound: /responded with HTTP status 404\. Check the base URL in the credential/,
	outOfService:
		/responded with HTTP status 503\. The service itself has a problem\. Try again later/,
	redirect: /redirects to http:.* The key is never sent to another address/,
	nothingListens: /cannot be reached: the connection was refused\. Check the base URL/,
	plainHttp:
		/uses plain HTTP, but its address in the credential starts with https:.* The key was not sent/,
};
