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
