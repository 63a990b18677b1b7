import { bringsItsOwnNode, fitsRunningNode } from './fittingNode';
import { type N8nLine, n8nLines } from './n8nLine';

/** The newest n8n for which there is a Node: any on Linux, elsewhere what the user's own Node can run. */
export function startableLine(): N8nLine {
	const fits = bringsItsOwnNode() || fitsRunningNode(n8nLines['2.x']);
	return fits || !fitsRunningNode(n8nLines['1.x']) ? '2.x' : '1.x';
}
