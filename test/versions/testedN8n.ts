import type { N8nClient } from '../../harness';
import type { EmulatedService } from '../../harness/emulatedService';

/** A running n8n that has loaded the package, and an emulated service that it can reach. */
export interface TestedN8n extends EmulatedService {
	/** Without a trailing slash. */
	readonly url: string;
	readonly client: N8nClient;
}
