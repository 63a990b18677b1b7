import { join } from 'node:path';

/** The example that "npm start" runs on a sample. */
export const CHECKS_A_LIST = 'check-phone-list';

/** Five good numbers, one of them twice, an invalid one, a cell without a number and an empty row. */
export const SAMPLE_LIST = `name,phone,email
Ann,+7 (900) 000-00-01,ann@example.com
Ben,79000000002,ben@example.com
Cara,+44 7700 900123,cara@example.com
,,
Dev,+1 202 555 0123,dev@example.com
Ann (work),79000000001,ann@example.com
Eve,+7 000 000-00-01,eve@example.com
Finn,no phone yet,finn@example.com
`;

/** Where the sample is, in a folder of its own, because the files folder itself is the user's. */
export function sampleIn(filesFolder: string): string {
	return join(filesFolder, 'sample', 'phones.csv');
}
