import type { Note } from './notes';

/**
 * What the messages of the examples mean, for docs/errors.md, as in `notes.ts`. What to do is in the messages themselves, so
 * a note has a `todo` only for what they do not say.
 */
export const exampleNotes: readonly Note[] = [
	{
		messages: [
			'freshDays in Settings must be 1 or more. With 0, every part would check and pay for the same numbers again.',
			'maxCostPerRun in Settings must be a number: what each run may cost, or 0 for no limit.',
			'maxCostPerMonth in Settings must be a number above 0: what all runs of a month may cost.',
			'maxNumbers in Settings must be a number above 0: how many numbers a run may pay for.',
			'defaultCountryCode in Settings is empty. Enter your country code, e.g. 7: numbers written without one are read with it.',
			'defaultCountryCode in Your Sheet is empty. Enter your country code, e.g. 7: numbers written without one are read with it.',
			'defaultCountryCode in Your Table is empty. Enter your country code, e.g. 7: numbers written without one are read with it.',
		],
		means:
			'A value in the node **Settings**, **Your Sheet** or **Your Table** is missing or of the wrong kind. Nothing was sent or paid for.',
	},
	{
		messages: [
			'Another run is checking a list in this folder: its last part began at …. Wait until it has ended. If it was stopped, or n8n crashed, start again … minutes after that time, or now with busyMinutes set to 0 in Settings.',
			'Another run is checking a list in this folder, since …. Wait until it has ended. If it was stopped, or n8n crashed, start again … minutes after that time, or now with busyMinutes set to 0 in Settings.',
			'Another list is being checked, and its results may save you money. Send your list again in a few minutes.',
			'The other run began at …. If n8n crashed meanwhile, the person who looks after this form can set busyMinutes to 0 in Settings until one list is checked.',
		],
		means:
			'One list is checked at a time, because two runs would overwrite each other’s results. A run that was stopped or has crashed cannot say that it has ended, so others wait for [`busyMinutes`](limits.md#settings-of-the-examples).',
		todo: 'Set `busyMinutes` back afterwards.',
	},
	{
		messages: [
			'Another run has just ended, or …/phones-run.json was changed by something else. Start again.',
		],
		means:
			'Since this run began, `phones-run.json` has changed, which says where the latest results are. Nothing was paid for.',
	},
	{
		messages: [
			'There is no phones.csv in …. Save your list there, or change folder in Settings.',
			'There is no … in …. Save your list there, or change folder in Settings.',
			'… in … is empty. Save your list again.',
		],
		means:
			'The list to check is missing or empty. In Docker, the folder is [`files`](installation.md) beside your `compose.yaml`.',
	},
	{
		messages: [
			'… in … is empty. Nothing was paid for. Replace it with a backup.',
			'… in … is empty, so its numbers would be paid for again. Replace it with a backup.',
			'… in … is empty, so known numbers would be paid for again. Replace it with a backup. To begin anew, delete it together with phones-run.json.',
			'… is missing in …, so its numbers would be paid for again. Put it back. To begin anew, delete phones-run.json there.',
			'… is missing in …, so known numbers would be paid for again. Put it back. To begin anew, delete phones-run.json there.',
		],
		means:
			'A file with results of earlier runs is gone or damaged. Nothing was paid for. If you begin anew, all numbers are paid for again: [Known numbers](check-a-list.md#known-numbers).',
	},
	{
		messages: [
			'There is no known-numbers.csv in …, so every number would be paid for. If this is the first run, set firstRun to true in Settings.',
		],
		means:
			'The run has found no earlier results. It asks because after the first run, their absence would be a costly mistake. Nothing was paid for.',
		todo: 'Set `firstRun` back to false afterwards.',
	},
	{
		messages: [
			'… of … cells are left: …. This run has cost …. phones-report.html shows why. To continue, start the workflow again.',
			'… This run has cost …, and the results of its earlier parts are saved. To continue, start the workflow again.',
		],
		means:
			'The run ended before every row had a result: the limit was reached, the account is empty, or the service is down. What was paid for is saved, and is not paid for again.',
	},
	{
		messages: [
			'… of … cells could not be checked. The column “reason” of … says why. Run the workflow again to check them.',
			'… of … numbers could not be checked. The error output of Check Number says why. Run the workflow again to check them.',
		],
		means: 'All other results are saved, and are not paid for again.',
	},
	{
		messages: ['Nothing was paid for.'],
		means: 'It follows the reason for which a list was not checked.',
	},
	{
		messages: [
			'The runs of … have cost …, and maxCostPerMonth in Settings is …. Nothing was checked. Raise it, or wait for the next month.',
		],
		means: 'The money for this month is spent.',
	},
	{
		messages: [
			'The list cannot be read. Check the file name in Read List, and the options of Rows. …',
			'The list has no rows. Check the file in Read List.',
			'The list has no column "phone". It has: …. Change the name in Phone Column and in Check Number. If these are several names in one, set the delimiter in Rows.',
			'The list is not UTF-8. Set its encoding under Options in Rows, e.g. windows-1251.',
		],
		means:
			'The CSV file is missing or empty, or is written in another way than the node **Rows** expects. Nothing was paid for.',
	},
	{
		messages: [
			'Send JSON: {"phone": "+7…", "visitor": "203.0.113.7", "way": "call"} to start (the way may be call, voice or inbound), {"verification_token": "v1…", "code": "0042"} to check, each as text, with a JWT that expires within five minutes',
		],
		means:
			'400 to your server: the request is not complete, and nobody was called. All causes: [Requests](login-page.md#requests).',
	},
	{
		messages: [
			'Send JSON: {"phone": "+7…", "contact": "…"}, with a JWT that expires within five minutes',
		],
		means: '400 to your server: the request is not complete, and no number was requested.',
		todo: 'Sign the token as in [A login page](login-page.md#the-token).',
	},
	{
		messages: [
			'Your balance with the verification service is … RUB, and your largest list may cost … RUB. Please top it up.',
		],
		means: 'The alert of low-balance-alert: the next list may end before all rows are checked.',
	},
	{
		messages: ['Your balance with the verification service could not be read. …'],
		means:
			'The service did not answer, or refused the key. The error follows: look it up on this page.',
	},
	{
		messages: [
			'… of … contacts were not written. Of contact …, the CRM says: …. Run the workflow again: no number that has a result is paid for again.',
		],
		means:
			'The numbers are checked, and the results kept, but the CRM did not accept some of them.',
	},
	{
		messages: [
			'Replace YOUR-SECRET in Path of Contact Added by a long random text.',
			'Replace YOUR-SECRET in Path of Tilda Form by a long random text.',
		],
		means:
			'The address of this webhook is its only protection, so the workflow does nothing as long as it can be guessed. Nothing was paid for.',
	},
	{
		messages: ['Tilda has posted a form without tranid.'],
		means:
			'`tranid` is Tilda’s number of the lead. Tilda always sends it, so the request probably came from something else. Nothing was paid for.',
	},
	{
		messages: [
			'Enter the ID of a contact, or a phone.',
			'There is no contact ….…',
			'Contact … has no phone.',
			'Contact … has … phones. Enter the one that the person will call from, too.',
			'Contact … does not have this phone. Add it in Bitrix24 first.',
			'No contact has this phone.…',
			'… contacts have this phone. Enter the ID of one, too.',
		],
		means:
			'It is not clear which contact is to be verified, or by which phone. No number was requested: [Bitrix24](bitrix24.md).',
	},
	{
		messages: [
			'No row has anything in "phone". Enter the name of your column at the top of this code.',
		],
		means: 'Your table calls the column with the numbers something else. Nothing was paid for.',
	},
	{
		messages: [
			'…, …: only … of … verifications were confirmed in … days (none, your limit is …%). Offer another way first to people with this operator.',
			'…, …: only … of … verifications were confirmed in … days (…%, your limit is …%). Offer another way first to people with this operator.',
		],
		means:
			'The alert of verification-report: this operator probably filters the calls of this example. [Know your rate](know-your-rate.md)',
	},
];
