import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RedisServer } from '../src/stores/redis/testing/redis-server.ts';
import { startTestPostgres } from '../src/stores/shared/testing/postgres.ts';
import { type ChildProcess, LineProcess, startAnnouncingPort } from './child-process.ts';
import type { LoadCommand, LoadPlan, LoadResult } from './load/protocol.ts';
import { POSTGRES_SETTINGS, reportStatements, rowsOf } from './postgres-server.ts';
import { readFamilyUsage } from './process-statistics.ts';
import { formatNumber, renderTable } from './report/table.ts';
import { databaseServerPid } from './reseller/fill.ts';
import { relayRequest } from './scenarios.ts';
import { median } from './statistics.ts';
import { startGatewayTarget } from './targets/targets.ts';

/*
 * The cost of a prepaid request for several nodes that share one PostgreSQL and one Redis: `bun bench/nodes.ts [--nodes 1,2,3] [--rounds 5]
 * [--seconds 3] [--connections 32] [--rate 50] [--against ../other-checkout] [--statements]`. Every group of nodes has its own servers, and
 * the groups take turns. `--connections` is per node; `--rate` is the total rate at which latencies are measured. `--statements` prints the
 * statements on which PostgreSQL spent its time. Linux only.
 */

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1,2,3' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    rate: { type: 'string', default: '50' },
    against: { type: 'string' },
    statements: { type: 'boolean', default: false },
  },
});
const SIZES = values.nodes.split(',').map(Number);
const ROUNDS = Number(values.rounds);
const SECONDS = Number(values.seconds);
const CONNECTIONS = Number(values.connections);
const RATE = Number(values.rate);
const WARM_UP_REQUESTS = 10_000;
const PATIENCE_MS = 120_000;

/** The processes of a group, and how to read the CPU milliseconds of each kind. */
interface Group {
  readonly name: string;
  readonly ports: readonly number[];
  readonly url: string;
  cpuMs(): Cpu;
  stop(): Promise<void>;
  readonly rounds: Round[];
}

interface Cpu {
  readonly nodes: number;
  readonly postgres: number;
  readonly redis: number;
}

interface Round {
  /** CPU µs per request under full load. */
  readonly cpuUs: Cpu;
  readonly perSecond: number;
  /** Transactions and bytes of write-ahead log per request. */
  readonly commits: number;
  readonly walBytes: number;
  /** Milliseconds above those of the upstream, at the low rate. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function startGroup(
  count: number,
  checkout: string | undefined,
  folder: string,
  upstreamPort: number,
): Promise<Group> {
  const postgres = await startTestPostgres('newest', POSTGRES_SETTINGS);
  const redis = await RedisServer.start();
  const url = await postgres.createDatabase();
  const nodes: (ChildProcess & { readonly port: number })[] = [];
  for (let node = 0; node < count; node++) {
    const own = join(folder, `${count}-${checkout === undefined ? 'after' : 'before'}-${node}`);
    mkdirSync(join(own, 'data'), { recursive: true });
    const surroundings = { upstreamPort, prefix: [], folder: own, ...(checkout === undefined ? {} : { checkout }) };
    const environment = { DATABASE_URL: url, REDIS_URL: redis.url, SWITCHYARD_SECRET: 'a secret for the benchmark' };
    nodes.push(await startGatewayTarget('prepaid', surroundings, environment));
  }
  const [postgresPid = 0] = await databaseServerPid(url);
  const redisPid = Number(/^process_id:(\d+)/m.exec(await redis.run('INFO', 'server'))?.[1]);
  const cpuOf = (pid: number) => readFamilyUsage(pid).cpuMs;
  return {
    name: `${count}${checkout === undefined ? '' : ' before'}`,
    ports: nodes.map(({ port }) => port),
    url,
    cpuMs: () => ({
      nodes: nodes.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
      postgres: cpuOf(postgresPid),
      redis: cpuOf(redisPid),
    }),
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await Promise.all([redis.stop(), postgres.stop()]);
    },
    rounds: [],
  };
}

interface Traffic {
  readonly commits: number;
  readonly walBytes: number;
}

async function trafficOf(url: string): Promise<Traffic> {
  const sql = `
    select d.xact_commit::float8 as "commits", w.wal_bytes::float8 as "walBytes"
      from pg_stat_database d, pg_stat_wal w where d.datname = current_database()`;
  const [traffic] = await rowsOf<Traffic>(url, sql);
  return traffic ?? { commits: 0, walBytes: 0 };
}

/** Sends the same load to each port, each from its own generator. */
async function send(loads: readonly LineProcess[], ports: readonly number[], plan: LoadPlan): Promise<LoadResult[]> {
  const results = await Promise.all(
    ports.map(async (port, index): Promise<LoadResult> => {
      const command: LoadCommand = { port, request: relayRequest, plan, patienceMs: PATIENCE_MS };
      return JSON.parse(await (loads[index] as LineProcess).ask(JSON.stringify(command)));
    }),
  );
  for (const { lost, firstProblem } of results) {
    if (lost > 0) console.log(`  note: ${lost} requests failed; the first: ${firstProblem}`);
  }
  return results;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

async function measure(loads: readonly LineProcess[], group: Group, upstreamPort: number): Promise<void> {
  const { ports, url, rounds } = group;
  const durationMs = SECONDS * 1_000;
  const [traffic, before] = [await trafficOf(url), group.cpuMs()];
  const full = await send(loads, ports, { kind: 'closed', connections: CONNECTIONS, durationMs });
  const requests = sum(full.map(({ complete }) => complete));
  // Includes writing the last lines of the request log.
  await Bun.sleep(500);
  const [after, ended] = [group.cpuMs(), await trafficOf(url)];
  const usEach = (kind: keyof Cpu) => ((after[kind] - before[kind]) * 1_000) / requests;

  const slow = { kind: 'open', durationMs } as const;
  const [direct] = await send(loads, [upstreamPort], { ...slow, perSecond: RATE });
  const shared = await send(loads, ports, { ...slow, perSecond: RATE / ports.length });
  const added = (name: 'p50Ms' | 'p99Ms') => median(shared.map((result) => result[name])) - (direct?.[name] ?? 0);
  rounds.push({
    cpuUs: { nodes: usEach('nodes'), postgres: usEach('postgres'), redis: usEach('redis') },
    perSecond: sum(full.map(({ complete, durationMs: tookMs }) => (complete * 1_000) / tookMs)),
    commits: (ended.commits - traffic.commits) / requests,
    walBytes: (ended.walBytes - traffic.walBytes) / requests,
    p50Ms: added('p50Ms'),
    p99Ms: added('p99Ms'),
  });
}

const HEADER = [
  ...['nodes', 'node µs', 'PostgreSQL µs', 'Redis µs', 'requests/s here', 'per core of PostgreSQL'],
  ...['commits', 'WAL bytes', '+p50 ms', '+p99 ms'],
];

function rowOf({ name, rounds }: Group): string[] {
  const middle = (read: (round: Round) => number, digits = 0) => formatNumber(median(rounds.map(read)), digits);
  return [
    name,
    middle(({ cpuUs }) => cpuUs.nodes),
    middle(({ cpuUs }) => cpuUs.postgres),
    middle(({ cpuUs }) => cpuUs.redis),
    middle(({ perSecond }) => perSecond),
    middle(({ cpuUs }) => 1e6 / cpuUs.postgres),
    middle(({ commits }) => commits, 3),
    middle(({ walBytes }) => walBytes),
    middle(({ p50Ms }) => p50Ms, 2),
    middle(({ p99Ms }) => p99Ms, 2),
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-nodes-'));
const bun = process.execPath;
const upstream = await startAnnouncingPort({ command: [bun, join(import.meta.dir, 'load/upstream-server.ts')] });
const loads = Array.from(
  { length: Math.max(...SIZES) },
  () => new LineProcess([bun, join(import.meta.dir, 'load/load-generator.ts')]),
);
const groups: Group[] = [];
try {
  for (const size of SIZES) {
    for (const checkout of values.against === undefined ? [undefined] : [values.against, undefined]) {
      groups.push(await startGroup(size, checkout, folder, upstream.port));
    }
  }
  for (const { ports } of groups) {
    await send(loads, ports, { kind: 'closed', connections: CONNECTIONS, requests: WARM_UP_REQUESTS / ports.length });
  }
  for (let round = 0; round < ROUNDS; round++) for (const group of groups) await measure(loads, group, upstream.port);
  console.log(renderTable(HEADER, groups.map(rowOf), 1));
  for (const { name, url } of values.statements ? groups : []) {
    console.log(`\n${name} nodes: statements by execution time, including those inside functions`);
    await reportStatements(url);
  }
} finally {
  await Promise.all([...groups.map((group) => group.stop()), ...loads.map((load) => load.stop()), upstream.stop()]);
  rmSync(folder, { recursive: true, force: true });
}
