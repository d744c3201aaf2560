import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { keyOf, modelOver } from '../../conformance/money/bed.ts';
import { Books, nano, sqliteQuery } from '../../conformance/money/books.ts';
import { buy, buyAtOnce, type Receipt, tally } from '../../conformance/money/client.ts';
import { inParallel } from '../../conformance/routing/client.ts';
import { until } from '../../conformance/shared/until.ts';
import { type ProcessBed, startProcessBed } from './bed.ts';

/**
 * The number of kills of a worker, and of the parent process. Run more with `SWITCHYARD_CRASH_ROUNDS=50 bun test
 * ./acceptance/money/workers.test.ts`.
 */
const ROUNDS = Number(process.env.SWITCHYARD_CRASH_ROUNDS ?? 3);
const OWNER_ROUNDS = Number(process.env.SWITCHYARD_CRASH_ROUNDS ?? 1);
const WORKERS = 3;
const BUYERS = 12;
const USAGE = { input: 10, output: 4 };
const PRICE = nano('0.001');
/** Responses before and after each intervention. */
const SOME_ANSWERS = 20;
const TIMEOUT_MS = 600_000;
const TOKEN = 'mt-workers-0123456789abcdef0123456789abcdef012345';

let bed: ProcessBed;
let books: Books;

beforeAll(async () => {
  const pricing = { per_request: '0.001' };
  bed = await startProcessBed({
    workers: WORKERS,
    settings: { server: { drain_ms: 200 } },
    models: {
      quick: { words: 2, usage: USAGE, pricing },
      slow: { words: 20, gapMs: 25, usage: USAGE, pricing },
    },
    accounts: [
      { id: 'crowd', balance_usd: '1000' },
      { id: 'short', balance_usd: '0.05' },
      { id: 'counted', ...{ balance_usd: '10', requests_per_minute: 40 } },
      { id: 'operators', ...{ admin: true, management_tokens: [{ id: 't', name: 't', secret: TOKEN }] } },
    ],
  });
  books = new Books(bed);
  await until('all workers are ready', () => bed.nodes[0]!.stdout.includes(`Workers: ${WORKERS} processes`));
}, TIMEOUT_MS);

afterAll(async () => {
  await bed?.stop();
}, TIMEOUT_MS);

const ask = (account: string, name: 'quick' | 'slow' = 'quick', stream = false) =>
  buy({ port: bed.port(), key: keyOf(account), model: modelOver('openai-chat', name), stream });

/** Returns the process ids of the workers, as the operating system lists them. */
function workerIds(): readonly number[] {
  const owner = bed.nodes[0]!.pid;
  const children = readFileSync(`/proc/${owner}/task/${owner}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

async function manage(path: string, method = 'GET'): Promise<{ readonly status: number; readonly body: unknown }> {
  const url = `http://127.0.0.1:${bed.port()}/v1/management${path}`;
  const answer = await fetch(url, { method, headers: { authorization: `Bearer ${TOKEN}`, connection: 'close' } });
  return { status: answer.status, body: await answer.json().catch(() => null) };
}

/** Resolves after `count` more complete responses. */
async function moreAnswers(receipts: readonly Receipt[], count: number): Promise<void> {
  const complete = () => receipts.filter(({ isComplete }) => isComplete).length;
  const wanted = complete() + count;
  await until('more responses have arrived', () => complete() >= wanted);
}

/** Expects that every lease is charged or released. */
async function expectNothingLeased(): Promise<void> {
  const leased = () =>
    sqliteQuery(bed.space.database)<{ leased: bigint }>('SELECT coalesce(sum(leased_nano), 0) AS leased FROM balances');
  await until('no lease is left', async () => (await leased())[0]?.leased === 0n);
}

async function expectEachChargedOnce(receipts: readonly Receipt[]): Promise<void> {
  const charges = await books.chargesByRequest();
  const complete = receipts.filter(({ isComplete }) => isComplete);
  expect(complete.filter(({ requestId }) => charges.get(requestId) !== PRICE)).toEqual([]);
  const refused = receipts.filter(({ status }) => status >= 400);
  expect(refused.filter(({ requestId }) => (charges.get(requestId) ?? 0n) !== 0n)).toEqual([]);
}

test('all workers serve, and /metrics and /system cover each of them', async () => {
  expect(workerIds()).toHaveLength(WORKERS);
  expect(tally(await inParallel(60, 20, () => ask('crowd')))).toEqual({ '200': 60 });
  let metrics = '';
  // A scrape leaves out a worker that does not answer in time.
  await until('all workers are in the metrics', async () => {
    metrics = await (await fetch(`http://127.0.0.1:${bed.port()}/metrics`)).text();
    const memory = [...metrics.matchAll(/^process_resident_memory_bytes\{worker="(\d)"\}/gm)];
    return (
      memory
        .map(([, worker]) => worker)
        .sort()
        .join() === '1,2,3'
    );
  });
  expect(metrics).toMatch(/^switchyard_requests_total\{.*model="quick-over-openai-chat".*status="200".*\} 60$/m);
  const { body } = await manage('/system');
  const { nodes } = body as { nodes: { process: number }[] };
  expect(nodes.map((node) => node.process).sort()).toEqual([...workerIds()].sort());
  // Only one worker has logged it.
  expect(bed.nodes[0]!.stdout.match(/Switchyard listens on/g)).toHaveLength(1);
});

test('a request limit is as exact as with one process', async () => {
  const receipts = await buyAtOnce(200, () => ({
    port: bed.port(),
    key: keyOf('counted'),
    model: modelOver('openai-chat', 'quick'),
  }));
  expect(tally(receipts)).toEqual({ '200': 40, '429 rate_limit_exceeded': 160 });
});

test('a balance can be spent to its last unit, whichever workers get the requests', async () => {
  const receipts = await inParallel(80, 80, () => ask('short'));
  expect(tally(receipts)).toEqual({ '200': 50, '402 insufficient_balance': 30 });
  expect(await books.balance('short')).toBe(0n);
});

test('a revoked key is refused by every worker', async () => {
  const made = await fetch(`http://127.0.0.1:${bed.port()}/v1/management/keys?account_id=crowd`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'short-lived' }),
  });
  const { id, secret } = (await made.json()) as { id: string; secret: string };
  const use = () => buy({ port: bed.port(), key: secret, model: modelOver('openai-chat', 'quick') });
  expect(tally(await inParallel(12, 12, use))).toEqual({ '200': 12 });
  expect((await manage(`/keys/${id}?account_id=crowd`, 'DELETE')).status).toBeLessThan(300);
  expect(tally(await inParallel(24, 24, use))).toEqual({ '401 expired_api_key': 24 });
});

test(
  'workers restart one at a time without refusing or cutting a request',
  async () => {
    const before = workerIds();
    const receipts: Receipt[] = [];
    let isOver = false;
    const buyers = inParallel(BUYERS, BUYERS, async (index) => {
      while (!isOver) receipts.push(await ask('crowd', index % 3 === 0 ? 'slow' : 'quick', index % 2 === 0));
    });
    const { exitCode, stdout } = await bed.run('reload');
    await moreAnswers(receipts, SOME_ANSWERS);
    isOver = true;
    await buyers;
    expect([exitCode, stdout]).toEqual([0, 'All workers have been restarted.\n']);
    const after = workerIds();
    expect([after.length, after.filter((id) => before.includes(id))]).toEqual([WORKERS, []]);
    expect(receipts.length).toBeGreaterThan(BUYERS);
    const others = receipts.filter(({ isComplete }) => !isComplete);
    // A stopping worker resets connections that the kernel has assigned to it and it has not accepted (decision 021). Each buyer has one
    // connection at a time, so each stop resets at most one of each.
    const reset = others.filter(({ status, body }) => status === 0 && body === '');
    expect(reset.length).toBeLessThanOrEqual(WORKERS * BUYERS);
    expect(others.filter((one) => !reset.includes(one)).map(({ status, body }) => [status, body])).toEqual([]);
    await expectEachChargedOnce(receipts);
    // The workers that counted these refusals have stopped, and no scrape read their metrics before.
    const metrics = await (await fetch(`http://127.0.0.1:${bed.port()}/metrics`)).text();
    expect(metrics).toContain('switchyard_rate_limit_refusals_total{limit="account_requests_per_minute"} 160\n');
  },
  TIMEOUT_MS,
);

for (let round = 1; round <= ROUNDS; round++) {
  test(
    `a killed worker is replaced, and no money is lost or charged twice (${round} of ${ROUNDS})`,
    async () => {
      const receipts: Receipt[] = [];
      let isOver = false;
      const buyers = inParallel(BUYERS, BUYERS, async (index) => {
        while (!isOver) receipts.push(await ask('crowd', index % 4 === 0 ? 'slow' : 'quick', index % 2 === 0));
      });
      await moreAnswers(receipts, SOME_ANSWERS);
      const mortal = workerIds()[round % WORKERS]!;
      process.kill(mortal, 'SIGKILL');
      const others = () => workerIds().filter((id) => id !== mortal);
      await until('the worker is replaced', () => others().length === WORKERS);
      await moreAnswers(receipts, SOME_ANSWERS);
      isOver = true;
      await buyers;
      await books.verify();
      await expectEachChargedOnce(receipts);
      await expectNothingLeased();
    },
    TIMEOUT_MS,
  );
}

for (let round = 1; round <= OWNER_ROUNDS; round++) {
  test(
    `all workers end with their parent, and the next gateway finds the books right (${round} of ${OWNER_ROUNDS})`,
    async () => {
      const before = workerIds();
      const receipts: Receipt[] = [];
      const buying = inParallel(BUYERS, BUYERS, async (index) => {
        do receipts.push(await ask('crowd', index % 2 === 0 ? 'slow' : 'quick', index % 2 === 0));
        while (receipts.at(-1)?.status === 200);
      });
      await moreAnswers(receipts, SOME_ANSWERS * (1 + Math.random()));
      process.kill(bed.nodes[0]!.pid, 'SIGKILL');
      await buying;
      const living = () => before.filter((id) => isRunning(id));
      await until('no worker is left', () => living().length === 0);
      await bed.nodes[0]!.exited;
      await bed.start();
      await until('all workers are ready', () => bed.nodes[0]!.stdout.includes(`Workers: ${WORKERS} processes`));
      await books.verify();
      await expectEachChargedOnce(receipts);
      await expectNothingLeased();
      expect(await books.balance('crowd')).toBe(await books.sum('crowd'));
    },
    TIMEOUT_MS,
  );
}

test('an invalid number of workers is refused with the valid range, and reload fails without workers', async () => {
  const wrong = await bed.space.runHere(['serve'], { env: { ...bed.env, SWITCHYARD_WORKERS: 'many' } });
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    'switchyard: SWITCHYARD_WORKERS: must be "auto" or a number from 1 to 128 (got "many")\n',
  ]);
  const alone = await bed.space.runHere(['reload', '--data', bed.space.path('elsewhere')], { env: bed.env });
  expect(alone.exitCode).toBe(1);
  expect(alone.stderr).toContain('No gateway with several processes runs on the data folder');
});

function isRunning(processId: number): boolean {
  try {
    // A zombie does not count as a process.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${processId}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
