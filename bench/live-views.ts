import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { maxAgeOf } from '../dashboard/api/max-age.ts';
import type { RequestRecord } from '../src/engine/ports/request-log.ts';
import type { Store } from '../src/engine/ports/store.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';
import { coreShare, type Gateway, report, STORE_PORTS, startGateway } from './gateway-process.ts';
import { POLLING_VIEWS, type PollingView } from './polling-views.ts';

/*
 * The cost of open dashboard pages for a gateway with the data of `switchyard demo`, while another process adds request log lines at a
 * given rate: clients that watch the log live, and pages that poll. `npm run bench:live-views -- [--viewers 50] [--seconds 30] [--rates
 * 5,200] [--requests 60000] [--only streams|polls] [--view channels]`. It takes about 20 minutes.
 */

const { values } = parseArgs({
  options: {
    viewers: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '30' },
    rates: { type: 'string', default: '5,200' },
    requests: { type: 'string', default: '60000' },
    only: { type: 'string' },
    /** A part of the names of the polling views to measure. */
    view: { type: 'string', default: '' },
    /** Flags for the gateway's Bun, such as `--cpu-prof --cpu-prof-dir=/tmp/profile`. */
    bun: { type: 'string', default: '' },
  },
});
const [VIEWERS, SECONDS] = [Number(values.viewers), Number(values.seconds)];
const RATES = values.rates.split(',').map(Number);

const WARM_UP_MS = 3_000;
/** How often each view is read before it is measured, so that its code is compiled as in a gateway that has run for a while. */
const WARM_UP_ROUNDS = 200;
/** The log lines per second while pages poll. */
const STEADY_RATE = 5;
const WRITES_A_SECOND = 5;
const ROOT = join(import.meta.dir, '..');

interface Person {
  readonly email: string;
  readonly password: string;
  /** The account; all accounts if absent. */
  readonly accountId?: string;
}

/** Fills a data folder; resolves to the people who can sign in. */
async function fillDemo(data: string): Promise<Readonly<Record<PollingView['by'], Person>>> {
  const command = [process.execPath, 'src/main/switchyard.ts', 'demo', '--data', data, '--requests', values.requests];
  const demo = Bun.spawn(command, { cwd: ROOT, stdout: 'pipe', stderr: 'inherit' });
  const printed = await demo.stdout.text();
  const [operator, owner] = [...printed.matchAll(/^ {2}(\S+@\S+)\n {2}(\w+)$/gm)].map(
    ([, email = '', password = '']) => ({
      email,
      password,
    }),
  );
  if (operator === undefined || owner === undefined) throw new Error(`the demo printed ${printed}`);
  return { operator, owner: { ...owner, accountId: 'halyard' } };
}

async function signIn({ origin }: Gateway, { email, password }: Person): Promise<string> {
  const answer = await fetch(`${origin}/v1/management/auth/sign-in/email`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!answer.ok) throw new Error(`${email}: ${answer.status} ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/** An open page: reads the management API as a person, for the person's account, and accepts recent shared answers. */
type Page = (path: string, maxAgeSeconds: number, signal: AbortSignal) => Promise<Response>;

async function openPage(gateway: Gateway, person: Person): Promise<Page> {
  const cookie = await signIn(gateway, person);
  return async (path, maxAgeSeconds, signal) => {
    // The signed-in person does not depend on an account.
    const isOfAll = person.accountId === undefined || path === '/me';
    const account = isOfAll ? '' : `${path.includes('?') ? '&' : '?'}account_id=${person.accountId}`;
    const headers = { cookie, 'cache-control': `max-age=${maxAgeSeconds}` };
    const answer = await fetch(`${gateway.origin}/v1/management${path}${account}`, { headers, signal });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
}

async function openPages(gateway: Gateway, person: Person): Promise<readonly Page[]> {
  const pages: Page[] = [];
  // Sequentially: many concurrent attempts would look like password guessing.
  for (let index = 0; index < VIEWERS; index++) pages.push(await openPage(gateway, person));
  return pages;
}

/** Counts events until it is stopped. */
async function watch(page: Page, signal: AbortSignal, onEvents: (count: number) => void): Promise<void> {
  const { body } = await page('/requests/live', 0, signal);
  const text = new TextDecoder();
  for await (const bytes of body ?? []) onEvents(text.decode(bytes).split('event: request').length - 1);
}

/** Polls as the page does, each read at its own interval, until it is stopped. */
async function poll(page: Page, { reads }: PollingView, signal: AbortSignal): Promise<void> {
  const again = async ({ path, everyMs }: PollingView['reads'][number]) => {
    await sleep(Math.random() * everyMs, null, { signal });
    for (;;) {
      const startedMs = performance.now();
      await (await page(path(), maxAgeOf(everyMs), signal)).text();
      await sleep(Math.max(0, everyMs - (performance.now() - startedMs)), null, { signal });
    }
  };
  await Promise.all(reads.map(again));
}

/** Writes lines like the newest one from this process, until it is stopped. */
async function writeLines(store: Store, rate: number, signal: AbortSignal): Promise<void> {
  const [sample] = await store.requestLog.recent(1);
  if (sample === undefined) throw new Error('the demo has no requests');
  while (!signal.aborted) {
    for (let index = 0; index < rate / WRITES_A_SECOND; index++) {
      const line: RequestRecord = { ...sample, accountId: 'halyard', requestId: `req_${crypto.randomUUID()}` };
      store.requestLog.append({ ...line, atMs: Date.now() - Math.ceil(line.latencyMs) });
    }
    // While the gateway writes, this process cannot; the lines stay buffered and are written with the next ones.
    await store.requestLog.flush().catch(() => {});
    await Bun.sleep(1_000 / WRITES_A_SECOND);
  }
}

/** Resolves to the gateway's CPU usage, in percent of a core, while the given tasks run. */
async function shareWhile(gateway: Gateway, ...running: ((signal: AbortSignal) => Promise<void>)[]): Promise<number> {
  const stop = new AbortController();
  let broken: unknown = null;
  const all = running.map((run) =>
    run(stop.signal).catch((error) => {
      if (!stop.signal.aborted) broken ??= error;
    }),
  );
  await Bun.sleep(WARM_UP_MS);
  const share = await coreShare(gateway, SECONDS);
  stop.abort();
  await Promise.all(all);
  if (broken !== null) throw broken;
  return share;
}

function reportShare(name: string, share: number, without: number): void {
  report(name, `${share.toFixed(2)} % of a core, ${(share - without).toFixed(2)} % more`);
}

interface Scene {
  readonly gateway: Gateway;
  readonly store: Store;
  readonly pages: Readonly<Record<PollingView['by'], readonly Page[]>>;
}

/** Half of the watchers are owners, who see one account's lines. */
async function measureStreams({ gateway, store, pages }: Scene): Promise<void> {
  const watching = [...pages.owner, ...pages.operator].filter((_page, index) => index % 2 === 0);
  for (const rate of RATES) {
    const lines = (signal: AbortSignal) => writeLines(store, rate, signal);
    const without = await shareWhile(gateway, lines);
    report(`${rate} lines per second, no viewers`, `${without.toFixed(2)} % of a core`);
    let events = 0;
    const views = watching.map(
      (page) => (signal: AbortSignal) =>
        watch(page, signal, (count) => {
          events += count;
        }),
    );
    const share = await shareWhile(gateway, lines, ...views);
    const each = Math.round(events / VIEWERS / (SECONDS + WARM_UP_MS / 1_000));
    reportShare(`${VIEWERS} viewers, ${each} lines per second each`, share, without);
  }
}

/** Measures each view against the same traffic just before, without it. */
async function measurePolls({ gateway, store, pages }: Scene): Promise<void> {
  const lines = (signal: AbortSignal) => writeLines(store, STEADY_RATE, signal);
  for (const view of POLLING_VIEWS.filter(({ name }) => name.includes(values.view))) {
    const opened = pages[view.by];
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      const page = opened[round % opened.length];
      for (const { path } of view.reads) await (await page?.(path(), 0, AbortSignal.timeout(10_000)))?.text();
    }
    const without = await shareWhile(gateway, lines);
    const share = await shareWhile(
      gateway,
      lines,
      ...opened.map((page) => (signal: AbortSignal) => poll(page, view, signal)),
    );
    const readsASecond = view.reads.reduce((sum, { everyMs }) => sum + (opened.length * 1_000) / everyMs, 0);
    const eachMs = ((share - without) * 10) / readsASecond;
    reportShare(
      `${view.name}: ${readsASecond.toFixed(1)} reads per second, ${eachMs.toFixed(2)} ms each`,
      share,
      without,
    );
  }
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-live-views-'));
try {
  const data = join(folder, 'data');
  const people = await fillDemo(data);
  const SWITCHYARD_CONFIG = join(folder, 'switchyard.yaml');
  // All viewers are the same person here, whose rate far exceeds one person's limit.
  writeFileSync(SWITCHYARD_CONFIG, JSON.stringify({ server: { management_requests_per_minute: 1_000_000 } }));
  const gateway = await startGateway({ folder, environment: { SWITCHYARD_CONFIG }, bunFlags: values.bun });
  const secret = readFileSync(join(data, 'master-secret'), 'utf8').trim();
  const store = await openSqliteStore({ path: join(data, 'switchyard.sqlite'), secret, ...STORE_PORTS });
  try {
    console.log(`${values.requests} demo requests in SQLite, ${VIEWERS} viewers`);
    const pages = {
      owner: await openPages(gateway, people.owner),
      operator: await openPages(gateway, people.operator),
    };
    if (values.only !== 'polls') await measureStreams({ gateway, store, pages });
    if (values.only !== 'streams') await measurePolls({ gateway, store, pages });
  } finally {
    await store.close();
    await gateway.child.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
