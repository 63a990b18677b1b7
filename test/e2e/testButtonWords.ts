import type { N8nLine } from '../real-n8n';

interface Words {
	readonly wrongKey: RegExp;
	readonly notFound: RegExp;
	readonly outOfService: RegExp;
	readonly redirect: RegExp;
	readonly nothingListens: RegExp;
	readonly plainHttp: RegExp;
}

/**
 * What the Test button says when the HTTP status tells what is wrong. 2.x shows the credential's own words; 1.x does not
 * look at them and has its own. Both have their own where no answer comes at all.
 */
export const testButtonWords: Readonly<Record<N8nLine, Words>> = {
	'1.x': {
		wrongKey: /^Authorization failed - please check your credentials$/,
		notFound: /^The resource you are requesting could not be found$/,
		outOfService: /^Service unavailable - try again later/,
		redirect: /^Request failed with status code 302$/,
		nothingListens: /^The service refused the connection - perhaps it is offline$/,
		plainHttp: /^write EPROTO .*wrong version number/,
	},
	'2.x': {
		wrongKey: /refused the key.*Secret Key.*Service ID.*Authentication Scheme/,
		notFound: /does not belong to the verification service.*Base URL/,
		outOfService: /The service is down.*The key was not checked/,
		redirect: /redirects to another one.*The key is not sent there/,
		nothingListens: /^ECONNREFUSED$/,
		plainHttp: /^EPROTO$/,
	},
};
