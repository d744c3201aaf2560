import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startTestPostgres } from '../src/stores/shared/testing/postgres.ts';
import { answersOk, freePort, startLogging } from './child-process.ts';
import { planCores, readFamilyUsage } from './process-statistics.ts';
import { CHANNELS, databaseServerPid, fill, MODELS, tableSizes } from './reseller/fill.ts';
import { type Read, readsOf } from './reseller/reads.ts';
import { percentile } from './statistics.ts';

/*
 * The latency of a reseller's gateway on PostgreSQL: every list, sum, overview and statement of the management API, and its start. `npm run
 * bench:reseller -- [--accounts 50000] [--keys 4] [--requests 10000000] [--charges 6000000] [--rounds 100]`. It starts the tests'
 * PostgreSQL and fills it, or uses `--database URL`, whose tables are already filled with `--filled`.
 */

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '50000' },
    keys: { type: 'string', default: '4' },
    requests: { type: 'string', default: '10000000' },
    charges: { type: 'string', default: '6000000' },
    rounds: { type: 'string', default: '100' },
    database: { type: 'string' },
    filled: { type: 'boolean', default: false },
    /** Measures only reads whose name contains this text. */
    only: { type: 'string', default: '' },
  },
});
const [ACCOUNTS, KEYS, REQUESTS, CHARGES, ROUNDS] = [
  ...[values.accounts, values.keys, values.requests, values.charges, values.rounds].map(Number),
] as [number, number, number, number, number];

const SECRET = 'a secret only for the benchmark';
const TOKEN = `mt-bench${'0'.repeat(40)}`;
const WARM_UP_ROUNDS = 3;
/** The goals of docs/sizing.md. */
const GOAL_MS = 300;
const GOAL_START_MS = 3_000;
const PATIENCE_MS = 120_000;
const MIB = 1024 * 1024;
const NEW_LINE = 10;

/** Returns the operator, and the channels and models that the requests name. */
function configuration(): object {
  const models = Array.from({ length: MODELS }, (_, model) => `model-${model}`);
  return {
    server: { management_requests_per_minute: 1_000_000 },
    // Nothing is deleted or thinned during the measurement.
    retention: { request_log_days: 365, minute_sums_days: 365 },
    channels: Array.from({ length: CHANNELS }, (_, channel) => ({
      ...{ id: `channel-${channel}`, provider: 'openai', base_url: 'http://127.0.0.1:1/v1', api_key: 'none' },
      models: models.filter((_model, index) => index % CHANNELS === channel),
    })),
    accounts: [
      {
        id: 'house',
        admin: true,
        billing: 'unlimited',
        keys: [],
        management_tokens: [{ id: 'bench', name: 'Bench', secret: TOKEN }],
      },
    ],
  };
}

async function start(folder: string, database: string) {
  const port = await freePort();
  const file = join(folder, 'switchyard.yaml');
  writeFileSync(file, JSON.stringify(configuration()));
  const startedMs = performance.now();
  const gateway = await startLogging({
    command: [...planCores().serverPrefix, process.execPath, 'src/main/switchyard.ts', 'serve'],
    workingDirectory: join(import.meta.dir, '..'),
    environment: {
      ...{ PORT: String(port), HOST: '127.0.0.1', SWITCHYARD_DATA: join(folder, 'data'), SWITCHYARD_CONFIG: file },
      ...{ DATABASE_URL: database, SWITCHYARD_SECRET: SECRET },
    },
    logFile: join(folder, 'gateway.log'),
    isReady: () => answersOk(`http://127.0.0.1:${port}/readyz`),
    patienceMs: PATIENCE_MS,
  });
  return { gateway, startMs: performance.now() - startedMs, origin: `http://127.0.0.1:${port}` };
}

interface Measured {
  readonly read: Read;
  readonly status: number;
  readonly kb: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time per read, of gateway and database together: the time on an otherwise idle machine. */
  readonly cpuMs: number;
}

/** Returns the CPU milliseconds of the gateway and, if it runs on this machine, the database. */
type CpuMs = () => number;

async function measure(origin: string, read: Read, cpuMs: CpuMs): Promise<Measured> {
  const times: number[] = [];
  let [status, bytes, cpuBeforeMs] = [0, 0, 0];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    if (round === 0) cpuBeforeMs = cpuMs();
    const startedMs = performance.now();
    const response = await fetch(`${origin}${read.path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    bytes = (await response.bytes()).byteLength;
    status = response.status;
    if (round >= 0) times.push(performance.now() - startedMs);
  }
  return {
    read,
    status,
    kb: bytes / 1024,
    p50Ms: percentile(times, 50),
    p99Ms: percentile(times, 99),
    cpuMs: (cpuMs() - cpuBeforeMs) / ROUNDS,
  };
}

function isOver({ status, p99Ms }: Pick<Measured, 'status' | 'p99Ms'>): boolean {
  return status >= 400 || p99Ms > GOAL_MS;
}

function line({ read, status, kb, p50Ms, p99Ms, cpuMs }: Measured): string {
  const verdict = isOver({ status, p99Ms }) ? '  over' : '';
  return `  ${read.name.padEnd(74)} ${status} ${kb.toFixed(0).padStart(5)} KB ${p50Ms.toFixed(1).padStart(8)} ${p99Ms.toFixed(1).padStart(8)} ms, CPU ${cpuMs.toFixed(1).padStart(6)} ms${verdict}`;
}

async function run(folder: string, database: string): Promise<void> {
  const size = { accounts: ACCOUNTS, keysPerAccount: KEYS, requests: REQUESTS, charges: CHARGES };
  if (!values.filled) {
    const startedMs = performance.now();
    await fill(database, SECRET, size);
    console.log(`filled in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
  }
  for (const { name, rows, bytes } of await tableSizes(database)) {
    console.log(
      `  ${name.padEnd(24)} ${rows.toFixed(0).padStart(10)} rows ${(bytes / MIB).toFixed(0).padStart(7)} MiB with indexes`,
    );
  }
  // The first start also applies the configuration.
  const first = await start(folder, database);
  await first.gateway.stop();
  const { gateway, startMs, origin } = await start(folder, database);
  try {
    console.log(
      `start until ready ${startMs.toFixed(0)} ms (goal ${GOAL_START_MS}), ${(readFamilyUsage(gateway.pid).rssBytes / MIB).toFixed(0)} MiB`,
    );
    const document = (await (await fetch(`${origin}/openapi.json`)).json()) as Parameters<typeof readsOf>[0];
    const reads = readsOf(document, ACCOUNTS).filter(({ name }) => name.includes(values.only));
    console.log(`reads, ${ROUNDS} times each, one after the other: p50, p99 (goal ${GOAL_MS} ms)`);
    const serverPid = await databaseServerPid(database);
    const cpuMs = () => [gateway.pid, ...serverPid].reduce((sum, pid) => sum + readFamilyUsage(pid).cpuMs, 0);
    const all: Measured[] = [];
    for (const read of reads) {
      const measured = await measure(origin, read, cpuMs);
      // An operator must name an account here, or only a person may read this.
      if (measured.status === 400 || measured.status === 401) continue;
      all.push(measured);
      console.log(line(measured));
    }
    const over = all.filter(isOver);
    const slowest = Math.max(...all.map(({ p99Ms }) => p99Ms));
    const dearest = Math.max(...all.map((one) => one.cpuMs));
    console.log(
      `${all.length} reads, ${over.length} over the goal, highest p99 ${slowest.toFixed(0)} ms, highest CPU ${dearest.toFixed(0)} ms`,
    );
    await exportStatements(origin);
    console.log(`memory of the gateway ${(readFamilyUsage(gateway.pid).rssBytes / MIB).toFixed(0)} MiB`);
  } finally {
    await gateway.stop();
  }
}

/** Exports the statements of this month, which has all the requests of its days, in one request. */
async function exportStatements(origin: string): Promise<void> {
  const month = new Date().toISOString().slice(0, 7);
  const startedMs = performance.now();
  const response = await fetch(`${origin}/v1/management/statements/export?month=${month}&format=jsonl`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  let [bytes, lines] = [0, 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    for (const byte of chunk) if (byte === NEW_LINE) lines += 1;
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  console.log(
    `export of a month's statements: ${lines} lines, ${(bytes / MIB).toFixed(0)} MiB in ${seconds.toFixed(0)} s`,
  );
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-reseller-'));
try {
  if (values.database !== undefined) await run(folder, values.database);
  else {
    const server = await startTestPostgres();
    try {
      await run(folder, await server.createDatabase());
    } finally {
      await server.stop();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
