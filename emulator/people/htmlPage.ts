import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const ENTITIES: ReadonlyMap<string, string> = new Map([
	['&', '&amp;'],
	['<', '&lt;'],
	['>', '&gt;'],
	['"', '&quot;'],
	["'", '&#39;'],
]);

/** HTML that is safe to put on a page unchanged. */
export class Html {
	constructor(readonly source: string) {}
}

type Piece = Html | readonly Html[] | string | number;

/** Builds HTML from a template and escapes everything that is not already HTML. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
	return new Html(String.raw({ raw: strings }, ...pieces.map(sourceOf)));
}

function sourceOf(piece: Piece): string {
	if (piece instanceof Html) return piece.source;
	if (typeof piece === 'object') return piece.map(({ source }) => source).join('');
	return String(piece).replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '');
}

const STYLE = new Html(`
:root {
	color-scheme: light dark;
	--ink: light-dark(#1c2430, #e4e8ee);
	--quiet: light-dark(#5d6878, #98a3b3);
	--paper: light-dark(#f5f6f8, #14181e);
	--card: light-dark(#ffffff, #1d232b);
	--line: light-dark(#dde1e7, #313a46);
	--accent: light-dark(#1f6f4a, #58c08d);
	--bad: light-dark(#b3261e, #ff8a80);
}
* { box-sizing: border-box; }
body {
	margin: 0 auto; padding: 1.5rem; max-width: 76rem;
	background: var(--paper); color: var(--ink);
	font: 15px/1.45 system-ui, sans-serif;
}
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1rem; margin: 0 0 .6rem; }
header { display: flex; flex-wrap: wrap; gap: .4rem 2rem; align-items: baseline; }
header p { margin: 0; color: var(--quiet); }
header strong { color: var(--ink); font-variant-numeric: tabular-nums; }
section {
	margin-top: 1.2rem; padding: 1rem; overflow-x: auto;
	background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
}
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; font-size: .8rem; color: var(--quiet); }
th, td { padding: .35rem .8rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; }
td code { font-size: .85rem; overflow-wrap: anywhere; }
.empty { margin: 0; color: var(--quiet); }
.choices { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0; }
.bad { color: var(--bad); }
button {
	padding: .3rem .8rem; border: 0; border-radius: .35rem; cursor: pointer;
	background: var(--accent); color: var(--paper); font: inherit; font-weight: 600;
}
button:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
button:disabled { opacity: .5; cursor: default; }
`);

/** Runs in the browser: keeps the page up to date and makes the calls of its buttons. */
const SCRIPT = new Html(`
const main = document.querySelector('main');
async function refresh() {
	const response = await fetch('/', { headers: { accept: 'text/html' } });
	const page = new DOMParser().parseFromString(await response.text(), 'text/html');
	const fresh = page.querySelector('main').innerHTML;
	// Replacing unchanged content would take the focus from a button.
	if (fresh !== shown) main.innerHTML = shown = fresh;
}
let shown = main.innerHTML;
main.addEventListener('click', async ({ target }) => {
	const { verb, path, body } = target.dataset;
	if (!path) return;
	target.disabled = true;
	const headers = { 'content-type': 'application/json' };
	await fetch(path, { method: verb, headers, body }).finally(refresh);
	target.disabled = false;
});
setInterval(() => document.hidden || refresh().catch(() => {}), 2000);
`);

/** A page that keeps itself up to date, and whose buttons send requests. */
export function htmlPage(title: string, main: Html, reply: FastifyReply): FastifyReply {
	// The page shows text from requests, so only its own script may run.
	const nonce = randomUUID();
	const policy = [
		"default-src 'none'",
		`script-src 'nonce-${nonce}'`,
		// A nonce would not work, because each refresh parses a page with a different one.
		"style-src 'unsafe-inline'",
		"connect-src 'self'",
	];
	const page = html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>${title}</title>
				<style>
					${STYLE}
				</style>
			</head>
			<body>
				<main>${main}</main>
				<script nonce="${nonce}">
					${SCRIPT};
				</script>
			</body>
		</html>`;
	return reply
		.header('content-security-policy', policy.join('; '))
		.header('cache-control', 'no-store')
		.type('text/html; charset=utf-8')
		.send(page.source);
}

/** Sends a request to an endpoint; the page's script does it. */
export function button(label: string, verb: string, path: string, body: object): Html {
	return html`<button
		type="button"
		data-verb="${verb}"
		data-path="${path}"
		data-body="${JSON.stringify(body)}"
	>
		${label}
	</button>`;
}
