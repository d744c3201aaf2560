import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ChildProcess, LineProcess, startAnnouncingPort } from './child-process.ts';
import type { LoadCommand, LoadResult } from './load/protocol.ts';
import { readFamily, readFamilyUsage, readThreadTimes } from './process-statistics.ts';
import { relayRequest } from './scenarios.ts';
import { startGatewayTarget } from './targets/targets.ts';

/*
 * The cost of a request in a group of processes compared with a single process, by part: `bun bench/workers.ts [--workers 1,2] [--rounds 5]
 * [--seconds 3] [--connections 32 | --rate 1000]`: as fast as possible with this number of connections per worker, or at this total rate.
 * The groups run side by side and take turns. The throughput on dedicated cores follows from the CPU time, since load and upstream share
 * the cores here. Linux only.
 */

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    rate: { type: 'string' },
  },
});
const SIZES = values.workers.split(',').map(Number);
const [ROUNDS, SECONDS, CONNECTIONS] = [values.rounds, values.seconds, values.connections].map(Number) as [
  number,
  number,
  number,
];
const RATE = values.rate === undefined ? undefined : Number(values.rate);
const WARM_UP_REQUESTS = 40_000;

interface Group {
  readonly workers: number;
  readonly port: number;
  readonly process: ChildProcess;
  /** CPU µs per request, by part, for each round. */
  readonly rounds: { readonly total: number; readonly parts: ReadonlyMap<string, number> }[];
}

/** Returns CPU milliseconds by part: the threads of each process. */
function cpuByPart(root: number): Map<string, number> {
  const parts = new Map<string, number>();
  const family = readFamily(root);
  family.forEach(({ pid }, index) => {
    const role = family.length === 1 ? 'process' : index === 0 ? 'owner' : 'workers';
    for (const [name, ms] of readThreadTimes(pid)) {
      const part = `${role}: ${name}`;
      parts.set(part, (parts.get(part) ?? 0) + ms);
    }
  });
  return parts;
}

async function ask(load: LineProcess, group: Group, plan: LoadCommand['plan']): Promise<LoadResult> {
  const command: LoadCommand = { port: group.port, request: relayRequest, plan, patienceMs: 120_000 };
  const result: LoadResult = JSON.parse(await load.ask(JSON.stringify(command)));
  if (result.lost > 0) console.log(`  note: ${result.lost} requests failed; the first: ${result.firstProblem}`);
  return result;
}

async function measure(load: LineProcess, group: Group): Promise<void> {
  const [before, beforeMs] = [cpuByPart(group.process.pid), readFamilyUsage(group.process.pid).cpuMs];
  const durationMs = SECONDS * 1_000;
  const { complete } = await ask(
    load,
    group,
    RATE === undefined
      ? { kind: 'closed', connections: CONNECTIONS * group.workers, durationMs }
      : { kind: 'open', perSecond: RATE, durationMs },
  );
  const total = ((readFamilyUsage(group.process.pid).cpuMs - beforeMs) * 1_000) / complete;
  const parts = [...cpuByPart(group.process.pid)].map(
    ([part, ms]) => [part, ((ms - (before.get(part) ?? 0)) * 1_000) / complete] as const,
  );
  group.rounds.push({ total, parts: new Map(parts) });
}

const median = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0;

function report(groups: readonly Group[]): void {
  const [first] = groups;
  for (const { workers, rounds } of groups) {
    const total = median(rounds.map((round) => round.total));
    const alone = median(first?.rounds.map((round) => round.total) ?? []);
    const times = (workers * alone) / total / (first?.workers ?? 1);
    console.log(
      `\n${workers} workers: ${total.toFixed(0)} µs of CPU per request; ${times.toFixed(2)} times the throughput of ${first?.workers}, one core each`,
    );
    const names = new Set(rounds.flatMap(({ parts }) => [...parts.keys()]));
    const shares = [...names].map((name) => [name, median(rounds.map(({ parts }) => parts.get(name) ?? 0))] as const);
    for (const [name, us] of shares.toSorted(([, one], [, other]) => other - one)) {
      if (us >= 1) console.log(`  ${name.padEnd(32)} ${us.toFixed(0)} µs`);
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-workers-'));
const bun = process.execPath;
const upstream = await startAnnouncingPort({ command: [bun, join(import.meta.dir, 'load/upstream-server.ts')] });
const load = new LineProcess([bun, join(import.meta.dir, 'load/load-generator.ts')]);
const groups: Group[] = [];
try {
  for (const workers of SIZES) {
    const own = join(folder, String(workers));
    mkdirSync(join(own, 'data'), { recursive: true });
    const surroundings = { upstreamPort: upstream.port, prefix: [], folder: own };
    const target = await startGatewayTarget('prepaid', surroundings, { SWITCHYARD_WORKERS: String(workers) });
    groups.push({ workers, port: target.port, process: target, rounds: [] });
  }
  // A group is ready as soon as its first worker is.
  await Bun.sleep(5_000);
  for (const group of groups) await ask(load, group, { kind: 'closed', connections: 64, requests: WARM_UP_REQUESTS });
  for (let round = 0; round < ROUNDS; round++) for (const group of groups) await measure(load, group);
  report(groups);
} finally {
  await Promise.all([...groups.map(({ process }) => process.stop()), load.stop(), upstream.stop()]);
  rmSync(folder, { recursive: true, force: true });
}
