import { Html } from './htmlText';

export const controlPageStyle = new Html(`
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
