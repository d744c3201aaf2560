import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RequestRecord } from '../src/engine/ports/request-log.ts';
import type { Store } from '../src/engine/ports/store.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';
import { answersOk, type ChildProcess, freePort, startLogging } from './child-process.ts';
import { planCores, readFamilyUsage } from './process-statistics.ts';

/*
 * What open pages of the dashboard cost a gateway with the data of `switchyard demo`: people who watch its request log live while another
 * process writes so many lines a second to it, and people whose pages read usage and channels again and again.
 * `npm run bench:live-views -- [--viewers 50] [--seconds 30] [--rates 5,200] [--requests 60000]`. It takes about six minutes.
 */

const { values } = parseArgs({
  options: {
    viewers: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '30' },
    rates: { type: 'string', default: '5,200' },
    requests: { type: 'string', default: '60000' },
    /** Flags for the gateway's Bun, such as `--cpu-prof --cpu-prof-dir=/tmp/profile`. */
    bun: { type: 'string', default: '' },
  },
});
const [VIEWERS, SECONDS] = [Number(values.viewers), Number(values.seconds)];
const RATES = values.rates.split(',').map(Number);

const WARM_UP_MS = 3_000;
const PATIENCE_MS = 60_000;
const WRITES_A_SECOND = 5;
const ROOT = join(import.meta.dir, '..');
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

interface Person {
  readonly email: string;
  readonly password: string;
  /** Of which account; all where it is absent. */
  readonly accountId?: string;
}

interface Gateway {
  readonly child: ChildProcess;
  readonly origin: string;
}

/** Fills a data folder; gives who can sign in. */
async function fillDemo(data: string): Promise<readonly Person[]> {
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
  return [operator, { ...owner, accountId: 'halyard' }];
}

async function startGateway(data: string): Promise<Gateway> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const flags = values.bun.split(' ').filter(Boolean);
  const child = await startLogging({
    command: [...planCores().serverPrefix, process.execPath, ...flags, 'src/main/switchyard.ts', 'serve'],
    workingDirectory: ROOT,
    environment: {
      ...{ PORT: String(port), HOST: '127.0.0.1', SWITCHYARD_DATA: data },
      // Without it the gateway starts itself again with it, and flags for Bun would be the first process's alone.
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    },
    logFile: join(data, 'gateway.log'),
    isReady: () => answersOk(`${origin}/healthz`),
    patienceMs: PATIENCE_MS,
  });
  return { child, origin };
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

/** A page that somebody has open: asks below the management API as that person, for the person's account. */
type Page = (path: string, signal: AbortSignal) => Promise<Response>;

async function openPage(gateway: Gateway, person: Person): Promise<Page> {
  const cookie = await signIn(gateway, person);
  return async (path, signal) => {
    const account =
      person.accountId === undefined ? '' : `${path.includes('?') ? '&' : '?'}account_id=${person.accountId}`;
    const answer = await fetch(`${gateway.origin}/v1/management${path}${account}`, { headers: { cookie }, signal });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
}

/** Counts the events until it is stopped. */
async function watch(page: Page, signal: AbortSignal, onEvents: (count: number) => void): Promise<void> {
  const { body } = await page('/requests/live', signal);
  const text = new TextDecoder();
  for await (const bytes of body ?? []) onEvents(text.decode(bytes).split('event: request').length - 1);
}

async function poll(page: Page, path: () => string, everyMs: number, signal: AbortSignal): Promise<void> {
  await Bun.sleep(Math.random() * everyMs);
  while (!signal.aborted) {
    const startedMs = performance.now();
    await (await page(path(), signal)).text();
    await Bun.sleep(Math.max(0, everyMs - (performance.now() - startedMs)));
  }
}

/** Lines like the newest one, written by this process, until it is stopped. */
async function writeLines(store: Store, rate: number, signal: AbortSignal): Promise<void> {
  const [sample] = await store.requestLog.recent(1);
  if (sample === undefined) throw new Error('the demo has no requests');
  while (!signal.aborted) {
    for (let index = 0; index < rate / WRITES_A_SECOND; index++) {
      const line: RequestRecord = { ...sample, accountId: 'halyard', requestId: `req_${crypto.randomUUID()}` };
      store.requestLog.append({ ...line, atMs: Date.now() - Math.ceil(line.latencyMs) });
    }
    await store.requestLog.flush();
    await Bun.sleep(1_000 / WRITES_A_SECOND);
  }
}

/** The gateway's part of a core, in percent, while all of them go on. */
async function shareWhile({ child }: Gateway, ...running: ((signal: AbortSignal) => Promise<void>)[]): Promise<number> {
  const stop = new AbortController();
  let broken: unknown = null;
  const all = running.map((run) =>
    run(stop.signal).catch((error) => {
      if (!stop.signal.aborted) broken ??= error;
    }),
  );
  await Bun.sleep(WARM_UP_MS);
  const [startedMs, beforeMs] = [performance.now(), readFamilyUsage(child.pid).cpuMs];
  await Bun.sleep(SECONDS * 1_000);
  const share = ((readFamilyUsage(child.pid).cpuMs - beforeMs) * 100) / (performance.now() - startedMs);
  stop.abort();
  await Promise.all(all);
  if (broken !== null) throw broken;
  return share;
}

function report(name: string, share: number, without: number): void {
  console.log(`  ${name.padEnd(58)} ${share.toFixed(2)} % of a core, ${(share - without).toFixed(2)} % more`);
}

async function measure(gateway: Gateway, store: Store, people: readonly Person[]): Promise<void> {
  const pages: Page[] = [];
  // One after the other: many at once look like somebody who guesses passwords.
  for (let index = 0; index < VIEWERS; index++) {
    pages.push(await openPage(gateway, people[index % people.length] as Person));
  }
  for (const rate of RATES) {
    const lines = (signal: AbortSignal) => writeLines(store, rate, signal);
    const without = await shareWhile(gateway, lines);
    console.log(`  ${`${rate} lines a second, nobody watches`.padEnd(58)} ${without.toFixed(2)} % of a core`);
    let events = 0;
    const views = pages.map(
      (page) => (signal: AbortSignal) =>
        watch(page, signal, (count) => {
          events += count;
        }),
    );
    const share = await shareWhile(gateway, lines, ...views);
    report(
      `${VIEWERS} watch, ${Math.round(events / VIEWERS / (SECONDS + WARM_UP_MS / 1_000))} lines a second each`,
      share,
      without,
    );
  }
  const idle = await shareWhile(gateway);
  console.log(`  ${'no lines, nobody reads'.padEnd(58)} ${idle.toFixed(2)} % of a core`);
  // As the pages ask: up to the end of this minute.
  const to = () => new Date(Math.floor(Date.now() / 60_000 + 1) * 60_000);
  const day = () =>
    `from=${new Date(to().getTime() - 86_400_000).toISOString()}&to=${to().toISOString()}&bucket=hour&top=8`;
  const polled: readonly [string, () => string, number][] = [
    ['/usage/overview each 10 s', () => `/usage/overview?${day()}`, 10_000],
    ['/channels each 5 s', () => '/channels', 5_000],
  ];
  for (const [name, path, everyMs] of polled) {
    const polls = pages.map((page) => (signal: AbortSignal) => poll(page, path, everyMs, signal));
    report(`${VIEWERS} read ${name}`, await shareWhile(gateway, ...polls), idle);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-live-views-'));
try {
  const data = join(folder, 'data');
  const people = await fillDemo(data);
  const gateway = await startGateway(data);
  const secret = readFileSync(join(data, 'master-secret'), 'utf8').trim();
  const store = await openSqliteStore({ path: join(data, 'switchyard.sqlite'), secret, clock, logger });
  try {
    console.log(`${values.requests} requests of a demo in SQLite, ${VIEWERS} viewers`);
    await measure(gateway, store, people);
  } finally {
    await store.close();
    await gateway.child.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
