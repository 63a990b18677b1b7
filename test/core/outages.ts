import {
	broken,
	checked,
	hanging,
	numbers,
	refusal,
	replying,
	type Service,
	simulate,
	type SimulatedRun,
} from './simulatedRun';

export interface Outage {
	service: Service;
}

/** Scenarios with an unhealthy service or list, by their name in the documentation. */
export const outages: Record<string, Outage> = {
	'The service is down: no connection': { service: broken('ECONNREFUSED') },
	'The service is down: HTTP status 503': {
		service: replying(() => ({ statusCode: 503, body: 'down' })),
	},
	'The service does not answer': { service: hanging },
	'The service breaks off its answers': { service: replying(() => ({ body: '{"sta' })) },
	'The service is slow: 20 seconds for each answer': {
		service: async (request, clock) => {
			await clock.sleep(20_000);
			return checked(request);
		},
	},
	'The service refuses everything as too many requests': {
		service: replying(() => refusal(429, 'Slow down')),
	},
	'The service asks to wait for an hour': {
		service: replying(() => refusal(429, 'Slow down', { 'retry-after': '3600' })),
	},
	'The service refuses the key': { service: replying(() => refusal(401, 'Wrong key')) },
	'The money runs out after 500 checks': { service: afterChecks(500, refusal(1002, 'No money')) },
	'The service goes down after 500 checks': {
		service: afterChecks(500, { statusCode: 503, body: 'down' }),
	},
	'The certificate is wrong': { service: broken('CERT_HAS_EXPIRED') },
};

function afterChecks(count: number, reply: ReturnType<typeof refusal>): Service {
	const paid = new Set<string>();
	return replying((request) => {
		if (paid.size < count) paid.add(request.phone);
		return paid.has(request.phone) ? checked(request) : reply;
	});
}

/** Runs a list of 1,000 numbers in such a scenario. */
export async function checkList(
	{ service }: Outage,
	onError: 'continueRegularOutput' | 'stopWorkflow',
): Promise<SimulatedRun> {
	return await simulate({
		service,
		parameters: {
			resource: 'phoneNumber',
			operation: 'check',
			phone: '={{ $json.phone }}',
			simplify: true,
			options: {},
		},
		items: numbers(1_000),
		onError,
	});
}

/** “5 min 30 s”, to the second. */
export function duration(seconds: number): string {
	const whole = Math.round(seconds);
	return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
