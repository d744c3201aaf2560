import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Task } from '../src/domain/tasks/task.ts';
import { NO_CLIENT_IDS } from '../src/domain/trace/call-identity.ts';
import { NO_TAGS } from '../src/domain/usage/request-tags.ts';
import type { Store } from '../src/engine/ports/store.ts';
import { openPostgresStore } from '../src/stores/postgres/postgres-store.ts';
import { hasTestPostgres, POSTGRES_REQUIREMENTS, startTestPostgres } from '../src/stores/shared/testing/postgres.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';
import { startAnnouncingPort } from './child-process.ts';
import { coreShare, type Gateway, report, STORE_PORTS, startGateway } from './gateway-process.ts';
import { planCores, readFamilyUsage } from './process-statistics.ts';

/*
 * The cost of many open tasks: CPU time and memory with and without them, and the CPU time of `GET /v1/tasks/{id}`. Their provider is
 * another process, which reports every job as running. `npm run bench:tasks -- [--tasks 10000] [--seconds 60] [--polls 100] [--requests
 * 5000] [--store sqlite,postgres]`; `--polls` is `tasks.polls_per_second`. It takes about four minutes per store.
 */

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '60' },
    polls: { type: 'string', default: '100' },
    requests: { type: 'string', default: '5000' },
    store: { type: 'string', default: 'sqlite,postgres' },
    /** Flags for the gateway's Bun, such as `--cpu-prof --cpu-prof-dir=/tmp/profile`. */
    bun: { type: 'string', default: '' },
    upstream: { type: 'boolean', default: false },
  },
});
const [TASKS, SECONDS, POLLS, REQUESTS] = [values.tasks, values.seconds, values.polls, values.requests].map(Number) as [
  number,
  number,
  number,
  number,
];

const MASTER_SECRET = 'a secret only for the benchmark';
const KEY = `sk-bench${'0'.repeat(40)}`;
const WARM_UP_MS = 5_000;
const PATIENCE_MS = 60_000;
const MIB = 1024 * 1024;

/**
 * Runs the provider, in its own process. `GET /asked` returns the number of polls. After `GET /advance` each answer about a job reports
 * more progress, so that the gateway has to write after each poll.
 */
function serveVideos(): void {
  let asked = 0;
  let advancesFrom: number | null = null;
  const progress = () => (advancesFrom === null ? 0 : 1 + Math.floor((asked - advancesFrom) / TASKS));
  const headers = { 'content-type': 'application/json' };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      if (request.url.endsWith('/asked')) return Response.json(asked);
      if (request.url.endsWith('/advance')) {
        advancesFrom = asked;
        return new Response('');
      }
      asked += 1;
      return new Response(`{"status":"pending","progress":${progress()}}`, { status: 202, headers });
    },
  });
  console.log(server.port);
}

const taskId = (index: number) => `task_${String(index).padStart(32, '0')}`;

/** Returns a task that seems to have been submitted this minute by a process that no longer exists. */
function openTask(index: number): Task {
  const nowMs = Date.now();
  return {
    ...{
      id: taskId(index),
      requestId: `req_${index}`,
      accountId: 'acme',
      keyId: 'main',
      kind: 'video',
      modelId: 'clip',
      tags: NO_TAGS,
      clientIds: NO_CLIENT_IDS,
    },
    ...{ createdAtMs: nowMs, deadlineMs: nowMs + 7_200_000, stage: 'submitted', isProcessing: false, progress: null },
    target: {
      ...{ channelId: 'videos', provider: 'xai', upstreamModel: 'grok-imagine-video', wire: 'xai-videos' },
      ...{ isPrivate: false, asked: { count: 1, seconds: 5, resolution: '720p' } },
    },
    ...{ ticket: { id: crypto.randomUUID() }, submittedAtMs: nowMs, pollErrors: 0, lastPollError: null, ending: null },
    ...{ kept: {}, costNanoUsd: null, endedAtMs: null, expiresAtMs: null, owner: null, claim: 1 },
    ...{ request: null, cancelAskedAtMs: null, deletedAtMs: null },
  };
}

async function writeTasks(store: Store): Promise<void> {
  for (let from = 0; from < TASKS; from += 500) {
    const batch = Array.from({ length: Math.min(500, TASKS - from) }, (_, index) => openTask(from + index));
    await Promise.all(batch.map((task) => store.tasks.create(task)));
  }
}

interface Setup {
  readonly folder: string;
  readonly upstreamOrigin: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly openStore: () => Promise<Store>;
}

function startTaskGateway({ folder, upstreamOrigin, environment }: Setup): Promise<Gateway> {
  const configFile = join(folder, 'switchyard.yaml');
  const configuration = {
    tasks: { polls_per_second: POLLS },
    channels: [
      {
        ...{ id: 'videos', provider: 'xai', base_url: `${upstreamOrigin}/v1`, api_key: 'upstream-key' },
        models: { clip: 'grok-imagine-video' },
      },
    ],
    models: [{ id: 'clip', category: 'video', pricing: { per_request: '0.25' } }],
    accounts: [
      {
        ...{ id: 'acme', balance_usd: '100', requests_per_minute: 1_000_000 },
        keys: [{ id: 'main', secret: KEY }],
      },
    ],
  };
  writeFileSync(configFile, JSON.stringify(configuration)); // JSON is YAML.
  return startGateway({
    folder,
    environment: { SWITCHYARD_CONFIG: configFile, SWITCHYARD_SECRET: MASTER_SECRET, ...environment },
    bunFlags: values.bun,
  });
}

/** Sends requests one after the other, each for another task, and subtracts the gateway's usual CPU usage. */
async function cpuOfRead({ child, origin }: Gateway, usualShare: number): Promise<number> {
  const headers = { authorization: `Bearer ${KEY}` };
  const ask = async (index: number) => {
    const response = await fetch(`${origin}/v1/tasks/${taskId((index * 7_919) % TASKS)}`, { headers });
    const text = await response.text();
    if (response.status !== 200 || !text.includes('"status"')) throw new Error(`${response.status}: ${text}`);
  };
  for (let index = 0; index < 500; index++) await ask(index);
  const [startedMs, beforeMs] = [performance.now(), readFamilyUsage(child.pid).cpuMs];
  for (let index = 0; index < REQUESTS; index++) await ask(index);
  const usual = (usualShare * (performance.now() - startedMs)) / 100;
  return (readFamilyUsage(child.pid).cpuMs - beforeMs - usual) / REQUESTS;
}

const rssOf = ({ child }: Gateway) => readFamilyUsage(child.pid).rssBytes / MIB;

async function reportCpu(what: string, gateway: Gateway, { upstreamOrigin }: Setup, idle: number): Promise<number> {
  const asked = async () => Number(await (await fetch(`${upstreamOrigin}/asked`)).text());
  const before = await asked();
  const busy = await coreShare(gateway, SECONDS);
  const questions = ((await asked()) - before) / SECONDS;
  const more = busy - idle;
  const share = `${busy.toFixed(2)} % of a core, ${more.toFixed(2)} % more than without tasks (budget 5 %)`;
  report(`CPU ${what}`, share);
  report('', `${questions.toFixed(1)} polls per second, ${((more * 10) / questions).toFixed(3)} ms each`);
  return busy;
}

async function measure(name: string, setup: Setup): Promise<void> {
  console.log(`${name}: ${TASKS} open tasks, at most ${POLLS} polls per second`);
  const gateway = await startTaskGateway(setup);
  const store = await setup.openStore();
  try {
    await Bun.sleep(WARM_UP_MS);
    const idle = await coreShare(gateway, SECONDS);
    const idleRss = rssOf(gateway);
    report('CPU without tasks', `${idle.toFixed(2)} % of a core`);
    await writeTasks(store);
    const [startedMs, beforeMs] = [performance.now(), readFamilyUsage(gateway.child.pid).cpuMs];
    for (const deadlineMs = Date.now() + PATIENCE_MS; ; await Bun.sleep(100)) {
      const free = (await store.tasks.list({}, TASKS)).filter(({ owner }) => owner === null).length;
      if (free === 0) break;
      if (Date.now() > deadlineMs) throw new Error(`${free} tasks were not claimed; ${gateway.child.lastOutput()}`);
    }
    const claimedMs = readFamilyUsage(gateway.child.pid).cpuMs - beforeMs;
    const claimSeconds = (performance.now() - startedMs) / 1_000;
    report('claiming all of them', `${claimedMs.toFixed(0)} ms CPU, within ${claimSeconds.toFixed(1)} s`);
    await Bun.sleep(WARM_UP_MS);
    const busy = await reportCpu('with them', gateway, setup, idle);
    await fetch(`${setup.upstreamOrigin}/advance`);
    await reportCpu('with them, with news in each response', gateway, setup, idle);
    const rss = rssOf(gateway);
    report(
      'memory',
      `${rss.toFixed(0)} MiB, ${(rss - idleRss).toFixed(0)} MiB more than without tasks (budget 100 MB)`,
    );
    report('CPU of GET /v1/tasks/{id}', `${(await cpuOfRead(gateway, busy)).toFixed(3)} ms (budget 1 ms)`);
  } finally {
    await store.close();
    await gateway.child.stop();
  }
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-tasks-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSqlite(upstreamOrigin: string): Promise<void> {
  await inFolder((folder) => {
    const path = join(folder, 'data', 'switchyard.sqlite');
    const openStore = () => openSqliteStore({ path, secret: MASTER_SECRET, ...STORE_PORTS });
    return measure('SQLite', { folder, upstreamOrigin, environment: {}, openStore });
  });
}

async function measurePostgres(upstreamOrigin: string): Promise<void> {
  if (!hasTestPostgres()) {
    console.log(`PostgreSQL: skipped, needs ${POSTGRES_REQUIREMENTS.newest}`);
    return;
  }
  const server = await startTestPostgres();
  try {
    const url = await server.createDatabase();
    await inFolder((folder) => {
      const openStore = () => openPostgresStore({ url, secret: MASTER_SECRET, ...STORE_PORTS });
      return measure('PostgreSQL', { folder, upstreamOrigin, environment: { DATABASE_URL: url }, openStore });
    });
  } finally {
    await server.stop();
  }
}

if (values.upstream) {
  serveVideos();
} else {
  const command = [
    ...planCores().loadPrefix,
    process.execPath,
    import.meta.path,
    '--upstream',
    '--tasks',
    values.tasks,
  ];
  const upstream = await startAnnouncingPort({ command });
  const origin = `http://127.0.0.1:${upstream.port}`;
  try {
    if (values.store.includes('sqlite')) await measureSqlite(origin);
    if (values.store.includes('postgres')) await measurePostgres(origin);
  } finally {
    await upstream.stop();
  }
}
