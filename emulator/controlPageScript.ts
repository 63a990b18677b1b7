import { Html } from './htmlText';

/** Runs in the browser: keeps the page up to date and makes the calls of its buttons. */
export const controlPageScript = new Html(`
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
