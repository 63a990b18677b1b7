import { init } from 'echarts';

import { bestFixed, type Results, type Speed, type Standing } from './results';

const WIDTH = 860;
const PANEL_HEIGHT = 190;
const TOP = 40;
const LEFT = 190;
const OURS = '#2f6fde';
const OTHERS = '#a9b4c2';
const LOSING = '#d9534f';

/** Numbers per second, one panel per service. Has its own background, so that it is readable on a dark page. */
export function drawChart({ speed }: Results): string {
	const chart = init(null, null, {
		renderer: 'svg',
		ssr: true,
		width: WIDTH,
		height: TOP + speed.length * PANEL_HEIGHT,
	});
	const panels = speed.map((panel) => barsOf(panel));
	chart.setOption({
		animation: false,
		backgroundColor: '#ffffff',
		textStyle: { fontFamily: 'system-ui, sans-serif', color: '#1f2328' },
		title: [
			{ text: 'Numbers checked per second (longer is better)', left: 16, top: 10 },
			...speed.map(({ title, automatic }, index) => ({
				text: `${title} · ${automatic.numbers.toLocaleString('en-US')} numbers`,
				left: LEFT,
				top: TOP + index * PANEL_HEIGHT + 8,
				textStyle: { fontSize: 13, fontWeight: 'normal' as const },
			})),
		],
		grid: speed.map((_, index) => ({
			left: LEFT,
			right: 130,
			top: TOP + index * PANEL_HEIGHT + 32,
			height: PANEL_HEIGHT - 50,
		})),
		xAxis: speed.map((_, gridIndex) => ({
			gridIndex,
			type: 'value' as const,
			axisLabel: { show: false },
			splitLine: { show: false },
		})),
		yAxis: panels.map((bars, gridIndex) => ({
			gridIndex,
			type: 'category' as const,
			inverse: true,
			data: bars.map(({ name }) => name),
			axisTick: { show: false },
			axisLabel: { color: '#1f2328', fontSize: 12 },
		})),
		series: panels.map((bars, index) => ({
			type: 'bar' as const,
			xAxisIndex: index,
			yAxisIndex: index,
			barWidth: '62%',
			data: bars.map(({ perSecond, label, color }) => ({
				value: perSecond,
				itemStyle: { color },
				label: { show: true, position: 'right' as const, formatter: label, color: '#1f2328' },
			})),
		})),
	});
	const svg = chart.renderToSVGString();
	chart.dispose();
	return svg;
}

interface Bar {
	name: string;
	perSecond: number;
	label: string;
	color: string;
}

function barsOf(speed: Speed): Bar[] {
	const best = bestFixed(speed);
	return [
		bar('automatic', speed.automatic, OURS),
		bar(`best fixed: ${best.name}`, best, OTHERS),
		bar('bare helper, 64 at once', speed.bareHelper, OTHERS),
		bar('one by one', speed.oneByOne, OTHERS),
		bar('floor: undici', speed.floor, OTHERS),
	];
}

/** Counts only numbers with a result. */
function bar(name: string, { seconds, numbers, lost }: Standing, color: string): Bar {
	const perSecond = (numbers - lost) / seconds;
	const rate = perSecond.toFixed(0);
	return lost > 0
		? { name, perSecond, label: `${rate}, ${lost} of ${numbers} lost`, color: LOSING }
		: { name, perSecond, label: rate, color };
}
