import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contract } from '../played/contract';
import { errorObject, refuse, ServiceError } from '../service/refusals';
import { isServiceName, type PlayedService, SERVICE_NAMES } from '../played/services';
import { faultFromJson, type Faults } from '../wire/faults';
import { receive } from '../wire/request';
import type { InboundCalls } from './inboundCalls';

interface Controlled {
	readonly played: PlayedService;
	readonly inboundCalls: InboundCalls;
	readonly faults: Faults;
	readonly ledger: object;
}

/** Endpoints that control the emulator. They are not part of the service and leave no ledger line. */
export function addControlRoutes(
	app: FastifyInstance,
	{ played, inboundCalls, faults, ledger }: Controlled,
): void {
	app.get('/_control/ledger', () => ({ ...ledger }));

	app.get('/_control/faults', () => faults.list());

	app.post('/_control/faults', (request, reply) =>
		answering(reply, () => {
			const fields = bodyFields(request);
			const listed = fields.get('faults');
			const values = Array.isArray(listed) ? listed : [Object.fromEntries(fields)];
			// All rules are read before the first is armed, so an invalid list arms nothing.
			const rules = values.map((value: unknown) => faultFromJson(value));
			return { ids: rules.map((rule) => faults.add(rule)) };
		}),
	);

	app.delete('/_control/faults', () => {
		faults.clear();
		return faults.list();
	});

	app.post('/_control/as', (request, reply) =>
		answering(reply, () => {
			const as = bodyFields(request).get('as');
			if (!isServiceName(as)) {
				return refuse('parameter', `as must be ${SERVICE_NAMES.join(' or ')}`);
			}
			played.playAs(as);
			return { as };
		}),
	);

	app.post('/_control/inbound-calls', (request, reply) =>
		answering(reply, async () => {
			const fields = bodyFields(request);
			const vendorId = fields.get('vendor_id');
			const phone = fields.get('phone');
			if (typeof vendorId === 'number') return deliver(inboundCalls, vendorId);
			if (typeof phone !== 'string') return refuse('parameter', 'vendor_id or phone is required');
			return (
				(await inboundCalls.from(phone)) ?? refuse('unknownCall', 'Nobody waits for that phone')
			);
		}),
	);
}

async function deliver(inboundCalls: InboundCalls, vendorId: number): Promise<unknown> {
	try {
		return await inboundCalls.deliver(vendorId);
	} catch (error) {
		return refuse('unknownCall', error instanceof Error ? error.message : String(error));
	}
}

function bodyFields(request: FastifyRequest): ReadonlyMap<string, unknown> {
	const { body } = receive(request);
	if (body.kind === 'json') return body.fields;
	if (body.kind === 'unreadable') throw body.error;
	return new Map();
}

async function answering(reply: FastifyReply, work: () => unknown): Promise<unknown> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		const code = contract.refusalCodes[error.refusal];
		reply.code(code);
		return errorObject(code, error.message);
	}
}
