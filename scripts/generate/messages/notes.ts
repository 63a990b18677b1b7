/**
 * What the messages mean, for docs/errors.md. Messages stand as in the sources, with a “…” for what varies; a “…” may
 * also stand for words of the sources, so that one note explains a family of messages. What to do is taken from the
 * sources, where the node says it itself. It stands here only if the node says nothing, or different things.
 */
export interface Note {
	readonly messages: readonly string[];
	readonly means: string;
	readonly todo?: string;
}

/** By section of the page. */
export const notes: Readonly<Record<string, readonly Note[]>> = {
	credential: [
		{
			messages: ['“…” in the credential is not a complete URL'],
			means: '**Base URL** or **Alternate Base URL** is empty, or lacks `https://`.',
		},
		{
			messages: ['“…” in the credential has a “…” after the address'],
			means: 'The address was pasted with a query string, which may contain the key.',
		},
		{
			messages: ['The key of this credential is only sent to the address in the credential'],
			means:
				'n8n’s HTTP Request node uses the credential with the URL of another server: [HTTP Request node](credential.md#in-n8ns-http-request-node).',
		},
		{
			messages: ['The key of this credential is not sent through a proxy set in the node'],
			means:
				'The same node has the option **Proxy**, and whoever runs that proxy could read the key.',
		},
		{
			messages: ['The key of this credential is not sent without n8n’s own certificate checks'],
			means: 'The same node does not check who answers.',
		},
		{
			messages: ['The key of this credential is not sent with a “Host” header set in the node'],
			means: 'The same node names another host, which could get the key.',
		},
		{
			messages: ['The key of this credential is not sent with TRACE, which would return it'],
			means: 'The same node uses a method that returns the whole request.',
		},
		{
			messages: ['With the authentication scheme “JSON Body”, the body must be a JSON object'],
			means: 'n8n’s HTTP Request node sends a form, a file or text, where the key cannot be added.',
		},
	],
	requests: [
		{
			messages: [
				'The verification service refused the request: …',
				'The verification service refused the request: … (code …)',
			],
			means:
				'The service has answered, and said no. Its own words follow, or ours if it sent none, and its code.',
			todo: 'Look up the code: [Codes of the service](#codes-of-the-service). Without a known code, the advice follows the HTTP status: 402 check your balance, 403 check what your service allows, 404 check the base URL and the call ID, 5xx try again later.',
		},
		{
			messages: ['The verification service responded with HTTP status …'],
			means:
				'The answer is not that of the service, but of a proxy or web server in front of it. The description shows how it begins.',
			todo: 'With 404, check the base URL. With 5xx, try again later: the key was not checked. With 401 or 403, check whether a proxy or firewall asks for something.',
		},
		{
			messages: [
				'The verification service cannot be reached',
				'The verification service cannot be reached: the connection was refused',
				'The verification service cannot be reached: its host name was not found',
			],
			means:
				'No connection was made, so nothing was sent. “The connection was refused”: nothing listens at this address and port. “Its host name was not found”: a typo, or no DNS where n8n runs.',
		},
		{
			messages: ['The connection to the verification service was lost'],
			means:
				'The connection broke after the request may have been sent. A call may have been made, and a check charged.',
		},
		{
			messages: ['The request to the verification service timed out'],
			means: 'No answer came within **Timeout**. A call may have been made, and a check charged.',
		},
		{
			messages: [
				'The address of the verification service redirects',
				'The address of the verification service redirects to …',
			],
			means: 'The server at this address sends everyone to another address.',
		},
		{
			messages: [
				'The server uses plain HTTP, but its address in the credential starts with https://',
			],
			means: 'The port or the host belongs to a server without encryption.',
		},
		{
			messages: ['Could not establish a secure connection to the verification service'],
			means:
				'The certificate has expired, is for another host, or was issued by someone n8n does not trust.',
		},
		{
			messages: ['n8n does not allow requests to the address of the service'],
			means:
				'n8n’s protection against requests to internal networks (SSRF) is on. Nothing was sent.',
		},
		{
			messages: ['Unexpected response from the verification service'],
			means:
				'The answer is no JSON object: a website, a proxy’s page, half an answer or nothing. The description shows how it begins.',
			todo: 'Check the base URL in the credential: it must point to the service itself, not to a website or a proxy.',
		},
		{
			messages: ['Incomplete response from the verification service: …'],
			means:
				'The answer lacks a field that the node needs, such as “vendor_id”, or a number in it is too large to be exact. A call may have been made.',
			todo: 'Check the base URL in the credential. If it is correct, the interface of the service has changed: report it.',
		},
		{
			messages: [
				'No usable response from the verification service since … UTC, so the run gave up',
			],
			means:
				'For the whole time of **Give Up After**, no request got an answer, or the service asked to wait longer than that. Items that were not sent failed at once.',
			todo: 'Read “Last error” in the description. Run the failed items again when the service is back, or after the time it asks for. If it asks for fewer requests, set **Requests per Second**. To wait longer, raise **Give Up After**.',
		},
		{
			messages: ['…: … requests in a row were refused, so no more were sent'],
			means:
				'Ten refusals in a row that concern everything, such as a refused key or an empty account, end the run. The words in front say which.',
			todo: 'Remove the cause, then run the failed items again: [Codes of the service](#codes-of-the-service).',
		},
		{
			messages: ['The service no longer supports repeating a call: …'],
			means: '**Call: Repeat** is deprecated: the service answers with code 405.',
		},
		{
			messages: ['The verification service did not return a code for this call'],
			means: '**Check Code**: the ID is that of an inbound call, which has no code.',
		},
		{
			messages: ['The verification service returned no usable start time for this call'],
			means: '**Check Code**: the node cannot tell how old the code is, so it does not accept it.',
		},
	],
	fields: [
		{
			messages: ['The selected operation does not exist'],
			means:
				'An expression, an import or another program has set a resource or operation that the node does not have.',
		},
		{
			messages: ['“…” has an invalid value: …'],
			means: 'An expression returns a value that is not in the field’s list, or of another type.',
		},
		{
			messages: ['“…” is not text'],
			means: 'An expression returns an object or a list where text belongs.',
		},
		{
			messages: ['“…” is neither true nor false'],
			means: 'An expression in a toggle returns something else.',
		},
		{
			messages: [
				'“…” must be a whole number from … to …',
				'“…” must be a number from … to …',
				'“…” must be more than 0 and at most …',
			],
			means: 'The value is no number, or beyond the limits of the field.',
		},
		{
			messages: ['“…” is longer than 64 characters'],
			means: 'The service accepts no more in **Customer ID** and **Idempotency Key**.',
		},
		{
			messages: ['The expression in “…” returned nothing'],
			means:
				'An option that limits something has an expression that found no value. The trigger then rejects all events.',
		},
		{
			messages: [
				'“…” applies to the whole run, so its value for the first item was used. For other items, the expression returns another value.',
			],
			means: 'Request options and **Max Total Cost** hold for all items together.',
			todo: 'Use an expression that returns the same for all items, or run the items separately.',
		},
		{
			messages: ['The run was stopped before this could start'],
			means: 'Someone pressed Stop, or n8n ended the execution. Nothing was sent for this number.',
			todo: 'Run it again.',
		},
	],
	numbers: [
		{
			messages: ['The phone number is empty'],
			means: 'The item has no number, or the expression points to another field.',
		},
		{
			messages: ['Not a phone number'],
			means: 'There is no digit in it, or the expression returns an object, a list, true or false.',
		},
		{
			messages: [
				'The phone number has … digits instead of …',
				'A digit of the phone number is missing',
				'The phone number has a digit too many',
			],
			means:
				'The length does not fit the country. With country code 7 or 1, a number has eleven digits; anywhere, it has 7 to 15.',
		},
		{
			messages: ['The phone number may lack its country code'],
			means:
				'Ten digits, an area code in parentheses, or a leading 8, as in local numbers. A call could reach a stranger abroad: without its country code, `8 (495) …` would be +84 95…, in Vietnam.',
		},
		{
			messages: ['The phone number starts with 0 instead of a country code'],
			means: 'It is written as inside its country.',
		},
		{
			messages: ['A spreadsheet has rounded the phone number'],
			means: 'The cell has a number such as `7.9E+10`.',
		},
		{
			messages: ['The phone number contains two numbers'],
			means: 'Such as `8 (495) 000-00-00/01`.',
		},
		{
			messages: [
				'The phone number contains “…”',
				'The phone number contains a plus sign in the wrong place',
				'The phone number contains an invisible character (U+…)',
			],
			means:
				'Something that no number has. An invisible character is named by its code point, such as `U+0007`.',
		},
		{
			messages: ['The phone number contains “…” instead of a digit from 0 to 9'],
			means:
				'It is written with other digits, such as Arabic ones: [Mend a list](phone-numbers.md#mend-a-list).',
		},
		{
			messages: ['“Default Country Code” is not a country code'],
			means: 'It is something like `RU` or `8`.',
		},
		{
			messages: [
				'Some numbers have eleven digits and begin with 8. They were sent as written. If they are from Russia or Kazakhstan, add “Default Country Code” under Options and set it to 7.',
			],
			means: 'In Russia and Kazakhstan, people write 8 instead of +7.',
			todo: 'Set **Default Country Code** to 7, if they are from there.',
		},
	],
	calls: [
		{
			messages: ['The phone number does not start with any of the allowed prefixes'],
			means:
				'**Allowed Prefixes** does not have the country or operator of this number. Nobody was called.',
		},
		{
			messages: ['“Allowed Prefixes” contains an invalid prefix'],
			means: 'A prefix has other characters than digits, or begins with 0.',
		},
		{
			messages: [
				'“Spoken Code” is available only for numbers in Russia and Kazakhstan',
				'“Both” is available only for numbers in Russia',
			],
			means: 'The service cannot speak a code in other countries.',
		},
		{
			messages: ['The code must be four digits from 0001 to 9999'],
			means: 'The option **Code** of Start. As a number, `0042` becomes 42.',
		},
		{
			messages: ['“Idempotency Key” and “Cooldown per Number” cannot be used together'],
			means: 'A cooldown chooses the key itself.',
		},
		{
			messages: [
				'The call ID is empty',
				'The call ID is not a whole number',
				'The call ID is above … and would be rounded when sent to the service',
			],
			means: 'The expression in **Call ID** found nothing, or something else than an ID.',
		},
		{
			messages: [
				'Where “exists” is true, no phone rang now: the call was made before, at “called_at”. With “Cooldown per Number”, the number can be called again from “next_call_at”.',
			],
			means: 'The cooldown or the idempotency key has prevented a second call to the same number.',
			todo: 'Nothing. To call again at once, shorten the cooldown.',
		},
		{
			messages: ['Every input item starts a separate call, so one phone rings per item.'],
			means: 'Before a run: the phone number is an expression, so there may be several.',
			todo: 'Pin or limit the items if you only want to try it.',
		},
		{
			messages: ['Stopped waiting for a call’s result: …'],
			means:
				'With **Wait for Result**, a request for the result failed. The call was made, and the item comes out with what is known.',
			todo: 'Ask again later with **Call: Get**.',
		},
	],
	checking: [
		{
			messages: ['The code is empty'],
			means:
				'The expression in **Code** found nothing. That is a mistake in the workflow, and uses up no attempt.',
		},
		{
			messages: ['This node requires a verification token, but got a call ID'],
			means: '**Require Token** is on, because call IDs can be guessed.',
		},
		{
			messages: ['The verification token is not valid'],
			means: 'It was changed or cut off, or was issued with another secret key.',
		},
		{
			messages: ['The verification token has expired'],
			means: 'It is older than 24 hours.',
		},
		{
			messages: ['wrongCode'],
			means: 'Another code was typed, or something that is no code.',
			todo: 'Let the person try again, while `attempts_left` is above 0.',
		},
		{
			messages: ['alreadyUsed'],
			means: 'A code has matched this call before.',
			todo: 'Go on if it was the same person; otherwise start a new call.',
		},
		{
			messages: ['callFailed'],
			means: 'The person could not be reached, so nobody can know the code.',
			todo: 'Check the number, and start a new call.',
		},
		{
			messages: ['expired'],
			means:
				'The call was started longer ago than **Valid For**, or before n8n was restarted while its record of attempts was full.',
			todo: 'Start a new call.',
		},
	],
	limits: [
		{
			messages: ['… has reached its limit of calls within …, so the call was not started'],
			means:
				'“This node has reached its limit of calls within an hour”: **Max Calls per Hour**. “This limit key has reached its limit of calls within an hour”: **Max Calls per Hour and Key**. “This number has reached its limit of calls within a day”: **Max Calls per Number and Day**, until midnight (UTC). Nobody was called, and nothing was paid.',
		},
		{
			messages: ['tooManyAttempts'],
			means: '`reason` of Check Code: **Max Attempts** codes were compared with that of this call.',
			todo: 'Start a new call.',
		},
		{
			messages: ['tooManyToday'],
			means:
				'`reason` of Check Code: **Max Wrong Codes per Number and Day** wrong codes were typed for this number since midnight (UTC).',
			todo: 'Let the person try again tomorrow.',
		},
		{
			messages: ['The checks of this run have cost …, so this number was not checked'],
			means: '**Max Total Cost** is used up.',
		},
		{
			messages: [
				'The checks of this run may have cost …, so no further request was sent for this number',
			],
			means: '**Max Total Cost** may be used up: some answers were lost, or had no readable price.',
		},
		{
			messages: ['No check of this run has returned a price, so this number was not checked'],
			means:
				'There is nothing to count toward **Max Total Cost**, so the run stops before it costs more.',
		},
		{
			messages: [
				'“Max Total Cost” ended the run, because no response had a readable price to count. See “cost” in the output.',
			],
			means: 'The hint beside the error above.',
			todo: 'Try again later. If the service never names a price, set **Max Total Cost** to 0 and check fewer numbers at a time.',
		},
		{
			messages: ['“Max Checks” is …, so this number was not checked'],
			means: 'The file has more numbers than one run may check.',
		},
		{
			messages: ['“Max Checks” cannot be used while “Reuse Results For (Days)” is 0'],
			means: 'With 0, results in the file do not count.',
		},
		{
			messages: [
				'Every input item is checked. For a long list, add “Max Total Cost” under Options to cap the cost.',
				'Every different number in the file is checked. For a long list, add “Max Total Cost” under Options to cap the cost.',
			],
			means: 'Before a run: nothing limits what it costs.',
			todo: 'Add **Max Total Cost**.',
		},
		{
			messages: [
				'… could not be stored in n8n’s database. Until this works again, each n8n process counts separately.',
			],
			means:
				'“Calls” or “Code attempts”: with several processes, more calls or codes than the limit may get through. “Used codes”: in other processes, the cooldown of such a call lasts its time.',
			todo: 'Look for problems of n8n’s database in the same log.',
		},
	],
	lists: [
		{
			messages: ['The input item has no file in “…”'],
			means: 'The file is in another field, or the node before outputs none.',
			todo: 'The description lists the fields that have files: enter one of them in **Input Data Field Name**. If there is none, place a node before that outputs a file, such as a form or “Read/Write Files from Disk”.',
		},
		{
			messages: ['The file is empty', 'The file has a header, but no rows'],
			means: 'The node before has read or received nothing.',
		},
		{
			messages: ['The file is …, not CSV'],
			means:
				'Check File reads CSV only. This is a spreadsheet (XLSX, ODS, XLS), a ZIP or GZIP archive, a PDF, RTF, a web page, XML or JSON.',
		},
		{
			messages: ['The first row of the file is not a header: it has data instead of column names'],
			means: 'Without names, the node cannot tell which column has the numbers.',
		},
		{
			messages: ['The column with the phone numbers could not be found'],
			means:
				'No column has a usual name, such as “Phone”, and none is full of international numbers.',
		},
		{
			messages: ['Several columns may hold the phone numbers: …'],
			means: 'None of them has a usual name.',
		},
		{
			messages: ['The file has no column “…”'],
			means:
				'**Phone Column** has a name that is not in the header. The description lists the names.',
		},
		{
			messages: ['The file has … columns called “…”'],
			means: 'Two columns share a name. `Phone (1)` is the first, `Phone (2)` the second.',
		},
		{
			messages: ['The file has … phone columns, more than the 50 that one run can check'],
			means: 'Each phone column gets eight columns of results.',
		},
		{
			messages: ['The file has more than 5 million rows'],
			means: 'More would fill n8n’s memory.',
		},
		{
			messages: ['The encoding of the file is unknown'],
			means: 'It is neither UTF-8, UTF-16, windows-1251 nor windows-1252.',
		},
		{
			messages: [
				'Line … of the file has a character that is not valid UTF-…',
				'Line … of the file has a character that is valid neither in UTF-8 nor in …',
				'Line … of the file has a character that does not belong in text: the file is not CSV, or its encoding is not supported',
			],
			means:
				'A few bytes cannot be read as text. Two files with different encodings may have been joined.',
		},
		{
			messages: [
				'Line … of the file has … cells, far more than the others',
				'Line … of the file has more than 16384 cells',
				'Line … of the file has a cell of more than a million characters',
			],
			means: 'A delimiter or quotation mark is in the wrong place, or it is no CSV file.',
			todo: 'Correct that line.',
		},
		{
			messages: ['The quotation mark that opens a cell in line … of the file is never closed'],
			means: 'All rows after it would become a single cell.',
		},
		{
			messages: ['The input item has no file in “…”, so every number would be paid for'],
			means:
				'**Earlier Results Field Name** names a file that is missing, and nothing limits the cost.',
		},
		{
			messages: ['The input item has no file in “…”, so no earlier results from there were used.'],
			means: 'The same, but the cost is limited, so the run went on.',
			todo: 'Nothing in the first run. Later, check the node that reads the file.',
		},
		{
			messages: ['The file in “…” has no results: it is not a file that Check File returned'],
			means:
				'Another file is in the field of **Earlier Results Field Name**, such as the list itself.',
		},
		{
			messages: [
				'“Put Output File in Field” is “report”, where the HTML report goes',
				'“Put Known Numbers in Field” is “…”, where another file goes',
			],
			means: 'One file would replace the other.',
		},
		{
			messages: [
				'…: … phone columns were found and checked: …. To check fewer, enter their names in “Phone Column”.',
			],
			means: '**Phone Column** is empty, and several columns have numbers. Each was paid for.',
			todo: 'To check fewer, enter their names in **Phone Column**.',
		},
		{
			messages: [
				'…: the input is not UTF-8, so it was read as …. If letters look wrong in the output, save the input as “CSV UTF-8” and check it again.',
			],
			means: 'Nothing in a file says which code page of Windows it has.',
			todo: 'Look at names with accents or Cyrillic letters in the output.',
		},
		{
			messages: [
				'… is not complete: …. Check the output file again to continue; what has a valid result is not paid for again.',
			],
			means:
				'Some cells have no result, because of a limit or a failure, or keep an old one. `complete` is false.',
			todo: 'Pass the output file to Check File again.',
		},
		{
			messages: ['not_checked: …'],
			means:
				'Nothing was sent for this number, and nothing was paid. The message that follows says why.',
			todo: 'Look up that message. Then check the output file again.',
		},
		{
			messages: ['failed: …'],
			means:
				'The check was sent and failed. It may have been charged. The message that follows says why.',
			todo: 'Look up that message. Then check the output file again.',
		},
		{
			messages: ['ok'],
			means: '`reason` of a valid number.',
			todo: 'Nothing.',
		},
		{
			messages: ['empty'],
			means: 'The cell or field has no number. Nothing was sent.',
			todo: 'Fill it in, or leave it.',
		},
		{
			messages: [
				'unreadable: no number',
				'unreadable: two numbers',
				'unreadable: a digit is missing',
				'unreadable: a digit too many',
				'unreadable: the country code is missing',
			],
			means:
				'The cell cannot be read as one complete number. Nothing was sent, and nothing was paid: [What cannot be read](phone-numbers.md#what-cannot-be-read).',
			todo: 'Correct the cell, or set **Default Country Code**. Then check the list again.',
		},
		{
			messages: ['unreadable: rounded by a spreadsheet (format the column as text)'],
			means: 'The cell has a number such as `7.9E+10`, whose last digits are lost.',
			todo: 'Format the column as text where the list comes from, and export it again.',
		},
	],
	inbound: [
		{
			messages: ['No published trigger was found in this workflow'],
			means: '**Callback URL** is empty, and this workflow has no trigger that is published.',
			todo: 'Publish the workflow with a Call Verification Trigger in it, or paste the production URL of a trigger into **Callback URL**. If it is published, a Code node may have overwritten the workflow’s static data: unpublish and publish it again.',
		},
		{
			messages: ['This run cannot see whether the trigger is published'],
			means:
				'In a run of the editor, n8n does not say so. The node asked at the trigger’s own address, and that could not be reached from here.',
		},
		{
			messages: ['This workflow has more than one Call Verification Trigger'],
			means: 'The node does not choose between them.',
		},
		{
			messages: ['“Callback URL” is a test URL, which does not work in production executions'],
			means: 'It contains `/webhook-test/`, and works only while the editor listens.',
		},
		{
			messages: ['“Callback URL” is not a complete URL'],
			means: 'It is empty, or lacks `https://`.',
		},
		{
			messages: [
				'The service will report the call to …, which cannot be reached from the internet. …',
			],
			means: 'The address is that of your own network, so no event will arrive.',
			todo: 'Set n8n’s environment variable `N8N_WEBHOOK_URL` to its public address. With **Notify Any URL**, enter a URL that the service can reach.',
		},
		{
			messages: [
				'Without a “Callback URL”, this only works in a published workflow that has a Call Verification Trigger. Until then, paste the URL of a trigger.',
			],
			means: 'Before a run: **Callback URL** is empty.',
			todo: 'Publish the workflow, or paste the URL of a trigger.',
		},
		{
			messages: ['“Reference” is longer than 500 characters'],
			means: 'The reference travels in the callback URL.',
		},
		{
			messages: ['“Reference” contains an incomplete character'],
			means: 'Half of an emoji cannot be sent.',
		},
		{
			messages: ['The callback cannot be protected because the secret key is empty'],
			means: 'The signature of the callback URL is made with the secret key.',
		},
		{
			messages: ['… items were received, but an execution can wait for only one call'],
			means: '**Wait** got several items. n8n continues an execution only once.',
		},
		{
			messages: ['This execution has not requested the call, so it cannot wait for it'],
			means:
				'**Get Number to Call** did not run before **Wait**, used another target, or the call ID is that of another call.',
		},
		{
			messages: [
				'The trigger has no webhook ID, so n8n uses its name, which contains a space or a special character',
			],
			means:
				'When publishing: the workflow was made by another program. n8n would not find its own webhook.',
		},
		{
			messages: ['“…” in “IP Allowlist” is not an IP address or range'],
			means: 'When publishing: an entry is a host name or has a typo.',
		},
	],
	events: [
		{
			messages: [
				'An event about an inbound call was rejected (workflow “…”, ID …): …',
				'An event about an inbound call was rejected (workflow “…”, ID …): … (… more since the last such line)',
			],
			means:
				'The warning in n8n’s log, with one of the reasons below, at most once a minute for each workflow and reason. No workflow has run.',
			todo: 'Look up the reason.',
		},
		{
			messages: ['The callback URL was not issued for this event, or is no longer valid'],
			means: '401. The sender is not told more; the log has one of the reasons below.',
			todo: 'Read the log of n8n.',
		},
		{
			messages: ['The URL has no signature, or only part of one'],
			means: 'Someone called the bare URL of the trigger, or a proxy has removed the query string.',
			todo: 'Request calls with **Get Number to Call**, and let proxies pass the query string.',
		},
		{
			messages: [
				'The signature does not fit the event: it is forged, changed, or for another number, trigger, execution or key',
			],
			means:
				'Someone else has made the event; or the secret key was changed after the number was requested.',
			todo: 'Check that **Get Number to Call** and the trigger have the same credential. Request a new number after a change of the key.',
		},
		{
			messages: ['The signature or the phone number cannot be read'],
			means: 'The event is not as the service sends it.',
			todo: 'Nothing, if the service did not send it.',
		},
		{
			messages: ['The signature has expired'],
			means: 'The person called later than **Expires After** allows.',
			todo: 'Let the person request a new number, or raise **Expires After**.',
		},
		{
			messages: ['The signature has already been used for another call'],
			means: 'Each callback URL works for one call only.',
			todo: 'Nothing: someone has used a callback URL a second time.',
		},
		{
			messages: ['The workflow that requested the call is not in “Allowed Workflows”'],
			means: 'Another workflow with the same credential has requested the call.',
			todo: 'Add the ID of that workflow to **Allowed Workflows** of the trigger, if it may start this one.',
		},
		{
			messages: ['The credential has no secret key to check the signature with'],
			means: '**Secret Key** is empty.',
			todo: 'Enter it in the credential.',
		},
		{
			messages: ['It could not be checked: …', 'The event could not be checked'],
			means:
				'500. The credential or an option of the trigger cannot be read; the log says which. The event is lost unless the service sends it again.',
			todo: 'Look up the message that follows in the log.',
		},
		{
			messages: ['Events from this address are not accepted'],
			means: '403. The address of the sender is not in **IP Allowlist**.',
			todo: 'If it is that of the service, add it. Behind a reverse proxy, set `N8N_PROXY_HOPS`, so that n8n sees the real address.',
		},
		{
			messages: [
				'The request has no body',
				'The body is not a JSON object',
				'The field "…" is missing or of the wrong type',
				'The field "…" is too long',
			],
			means: '400. The event is not as the service sends it.',
			todo: 'Nothing, if the service did not send it. To try the trigger, use [real calls](let-someone-call.md).',
		},
		{
			messages: [
				'The execution is waiting for another call',
				'The execution is waiting for a call to another number',
				'The execution has already continued',
			],
			means:
				'409, from **Wait**. The event is genuine, but this execution does not wait for it, or no longer.',
			todo: 'Nothing: the execution goes on waiting, or has continued.',
		},
	],
	tools: [
		{
			messages: ['“…” limits the model, so the model cannot set it'],
			means:
				'The option has an expression that a model can influence, such as `$fromAI` or `$json`.',
		},
		{
			messages: ['“…” is one expression, with which a model could set limits'],
			means: 'All options come from one expression, so nobody can see which are set.',
		},
		{
			messages: ['A tool cannot check a file'],
			means: 'A model passes text, not files.',
		},
		{
			messages: ['A tool cannot wait for an inbound call'],
			means: 'The agent would hang until the person calls.',
		},
		{
			messages: ['A tool’s execution cannot wait for an inbound call'],
			means: 'The tool asks for **Continue This Execution**, which is that of the agent.',
		},
	],
	descriptions: [
		{
			messages: ['Before you repeat a call manually, check whether it was made. …'],
			means: 'The request may have arrived, although no usable answer came back.',
			todo: 'Look for the call in your account, or ask the person.',
		},
		{
			messages: ['Nothing was sent, because all items are validated first.'],
			means: 'One item is wrong, and **On Error** is Stop. No item was sent, and nothing was paid.',
			todo: 'Correct the item, or set **On Error** to Continue.',
		},
		{
			messages: ['… of … items had already succeeded…', '… of … numbers had already succeeded…'],
			means:
				'The run ended early. “Retrying this execution does not pay for them again”: n8n’s **Retry** reuses these results; a new run pays again.',
			todo: 'Retry the execution in n8n’s list of executions: [Paid results](outages.md#paid-results).',
		},
	],
	package: [
		{
			messages: [
				'n8n-nodes-call-verification needs n8n 1.70 or newer. Update n8n, then install the package again.',
			],
			means: 'In n8n’s log, when it loads the package.',
			todo: 'Update n8n, then install the package again.',
		},
		{
			messages: ['There is no such place', 'The last step did not send the request'],
			means: 'A fault of this package. It should never appear.',
			todo: 'Report it with the steps that lead to it.',
		},
	],
};
