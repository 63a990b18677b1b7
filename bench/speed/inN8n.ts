import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type N8nClient, n8nProgram, packProject, type RunningN8n } from '../../harness';
import { ownCertificate } from '../../harness/process/loopback';
import { NODE } from '../../harness/workflows/nodeRunner';
import { type EmulatorBehaviour, type EmulatorProcess, UNLIMITED } from '../services';
import {
	AT_ONCE,
	AT_ONCE_WITHOUT_CREDENTIAL,
	type ListContender,
	OURS,
	phones,
	PostedList,
} from '../load/lists';
import { N8nInFolder } from '../load/stages';
import { median } from '../statistics';
import type { InN8n } from './results';

const ROUNDS = 7;
const WARM_UP = 300;
const FIRST_PHONE = 79_000_000_000;

const CONTENDERS = { ours: OURS, plain: AT_ONCE_WITHOUT_CREDENTIAL, withCredential: AT_ONCE };
type Name = keyof typeof CONTENDERS;
type Run = { seconds: number; lost: number; peakInFlight: number };
type Scheme = InN8n['schemes'][number];

/**
 * The whole package in a complete n8n with default settings, so that database, credential store and expressions cost
 * what they cost users. All take turns in the same n8n.
 */
export async function measureInN8n(service: EmulatorProcess): Promise<InN8n> {
	const program = await n8nProgram('2.x');
	const packed = await packProject();
	const folder = await N8nInFolder.prepare(program, packed.tarball);
	const certificate = ownCertificate();
	const trusted = join(tmpdir(), `call-verification-bench-${process.pid}.pem`);
	writeFileSync(trusted, certificate.cert);
	process.on('exit', () => rmSync(trusted, { force: true }));
	const schemes: Scheme[] = [];
	const measure = async (n8n: RunningN8n, client: N8nClient) => {
		const race = new Race(n8n, client, service);
		for (const [scheme, behaviour] of [
			['HTTP', UNLIMITED.behaviour],
			['HTTPS', { ...UNLIMITED.behaviour, certificate }],
		] as const) {
			console.log(`  ${scheme}`);
			schemes.push({ scheme, ...(await race.run(behaviour)) });
		}
	};
	try {
		await folder.during(measure, { NODE_EXTRA_CA_CERTS: trusted });
		return { n8n: program.version, rounds: ROUNDS, numbers: UNLIMITED.count, schemes };
	} finally {
		folder.remove();
		await packed.remove();
	}
}

class Race {
	private runs = 0;

	constructor(
		private readonly n8n: RunningN8n,
		private readonly client: N8nClient,
		private readonly service: EmulatorProcess,
	) {}

	async run(behaviour: EmulatorBehaviour): Promise<Omit<Scheme, 'scheme'>> {
		const names = Object.keys(CONTENDERS) as Name[];
		for (const name of names) await this.one(CONTENDERS[name], behaviour, WARM_UP);
		const rounds: Array<Record<Name, Run>> = [];
		for (let round = 0; round < ROUNDS; round++) {
			const found: Partial<Record<Name, Run>> = {};
			for (const name of round % 2 === 0 ? names : [...names].reverse()) {
				const run = await this.one(CONTENDERS[name], behaviour, UNLIMITED.count);
				console.log(`  round ${round + 1}, ${CONTENDERS[name].name}: ${run.seconds.toFixed(2)} s`);
				found[name] = run;
			}
			rounds.push(found as Record<Name, Run>);
		}
		const standing = (name: Name) => ({
			name: CONTENDERS[name].name,
			seconds: median(rounds.map((round) => round[name].seconds)),
			lost: Math.max(...rounds.map((round) => round[name].lost)),
			peakInFlight: Math.max(...rounds.map((round) => round[name].peakInFlight)),
		});
		const oursOver = (name: Name) =>
			median(rounds.map((round) => round.ours.seconds / round[name].seconds));
		return {
			ours: standing('ours'),
			plain: standing('plain'),
			withCredential: standing('withCredential'),
			oursOverPlain: oursOver('plain'),
			oursOverWithCredential: oursOver('withCredential'),
		};
	}

	/** Measures the node's own time, because what n8n does before and after is the same for all. */
	private async one(
		{ node, isResult }: ListContender,
		behaviour: EmulatorBehaviour,
		numbers: number,
	): Promise<Run> {
		const path = `race-${this.n8n.pid}-${this.runs++}`;
		const { traffic, ...run } = await this.service.during(behaviour, async (access) => {
			const list = await PostedList.publish(
				this.n8n,
				this.client,
				path,
				await node(this.client, access),
			);
			const { executionId } = await list.run(phones(numbers, FIRST_PHONE));
			const { nodes } = await this.client.executions.get(executionId);
			const last = nodes[NODE]?.at(-1);
			const items = last?.outputs[0] ?? [];
			return {
				seconds: (last?.milliseconds ?? Infinity) / 1000,
				lost: numbers - items.filter(({ json }) => isResult(json)).length,
			};
		});
		return { ...run, peakInFlight: traffic.peakInFlight };
	}
}
