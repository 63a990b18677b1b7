/** What the Test button says, on every n8n line: the node's own words, with what to do. */
export const testButtonWords = {
	wrongKey:
		/refused the request: .* Check “Secret Key”, “Service ID” and “Authentication Scheme” in the credential/,
	webPage: /^What came back is not an answer of the verification service\. Check “Base URL”/,
	notFound: /answered with HTTP status 404\. Check “Base URL” in the credential/,
	outOfService:
		/answered with HTTP status 503\. The service has a problem of its own\. Try again later/,
	redirect: /redirects to http:.* The key is never sent to another address/,
	nothingListens:
		/cannot be reached: nothing accepts connections at its address\. Check “Base URL”/,
	plainHttp:
		/speaks plain HTTP, but in the credential it begins with https:.* The key was not sent/,
};
