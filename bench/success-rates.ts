import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countOutcomes } from '../src/stores/sqlite/count-outcomes.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';

/*
 * The cost of computing a day's success rates from a large request log, and its effect on requests: a timer, due every millisecond, runs
 * while nothing else happens, while a thread counts (as in the gateway), and while the event loop counts in slices. Run it with `taskset -c
 * 0` to make both share one core. `bun bench/success-rates.ts [--rows 10000000] [--folder /tmp]`; ten million rows need 2.5 GB there while
 * it runs.
 */

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '10000000' }, folder: { type: 'string', default: tmpdir() } },
});
const ROWS = Number(options.rows);
if (!Number.isInteger(ROWS) || ROWS < 1) throw new Error('--rows must be a whole number above 0');

const MODELS = 256;
/** One request in this many fails. */
const FAILING = 10;
const DAY_MS = 86_400_000;
const NOW_MS = Date.now();
const FILL_BATCH = 500_000;
const IDLE_MS = 5_000;
const silent = () => {};

const FILL = `
  WITH RECURSIVE numbers (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < ?2)
  INSERT INTO request_log (
    request_id, at_ms, account_id, key_id, format, model_id, channel_id, provider, upstream_model, stream, status,
    error_code, failure_kind, client_gone, retry_count, latency_ms, first_byte_ms, input_tokens, cached_input_tokens,
    cache_write_tokens, output_tokens, reasoning_tokens, usage_source, upstream_request_id, cost_nano
  )
  SELECT
    printf('req_%024d', i), ${NOW_MS - DAY_MS} + i * ${DAY_MS} / ${ROWS}, 'acme', 'key_main1234', 'openai-chat',
    'vendor/model-' || (i * 7919 % ${MODELS}), 'channel-' || (i % 8), 'openai', 'model-' || (i * 7919 % ${MODELS}), i % 2,
    iif(i % ${FAILING} = 0, 502, 200), iif(i % ${FAILING} = 0, 'upstream_error', NULL), iif(i % ${FAILING} = 0, 'http_503', NULL),
    0, 0, 812.25 + i % 100, 120.5, 1000, 200, 0, 400, 50, 'reported', printf('chatcmpl-%024d', i), 123456
  FROM numbers
`;

function fill(path: string): void {
  const database = new Database(path);
  database.run('PRAGMA synchronous = OFF');
  for (let from = 0; from < ROWS; from += FILL_BATCH) {
    database.query(FILL).run(from, Math.min(ROWS, from + FILL_BATCH));
  }
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Runs a timer that is due every millisecond during `work`, and prints its delays. */
async function watched(name: string, work: () => Promise<unknown>): Promise<void> {
  const delaysMs: number[] = [];
  let isOver = false;
  let dueMs = performance.now() + 1;
  const tick = () => {
    const nowMs = performance.now();
    delaysMs.push(nowMs - dueMs);
    if (isOver) return;
    dueMs = nowMs + 1;
    setTimeout(tick, 1);
  };
  setTimeout(tick, 1);
  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  const cpu = process.cpuUsage(startedCpu);
  await Bun.sleep(2);
  isOver = true;
  delaysMs.sort((a, b) => a - b);
  const at = (part: number) => (delaysMs[Math.ceil(delaysMs.length * part) - 1] ?? 0).toFixed(2);
  const columns = [
    name.padEnd(28),
    `${seconds.toFixed(2)} s`.padStart(9),
    `${((cpu.user + cpu.system) / 1e6).toFixed(2)} s CPU`.padStart(13),
    `timer delay p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`,
    `${Math.round(process.memoryUsage.rss() / 1e6)} MB`,
  ];
  console.log(columns.join('   '));
}

/** Counts on the event loop, in the smallest slices possible without a thread, with requests handled in between. */
async function countInSlices(path: string): Promise<void> {
  const database = new Database(path, { readonly: true });
  const counting = countOutcomes(database, NOW_MS - DAY_MS, NOW_MS);
  while (!counting.next().done) await new Promise((resolve) => setTimeout(resolve, 0));
  database.close();
}

const folder = mkdtempSync(join(options.folder, 'switchyard-bench-'));
try {
  const path = join(folder, 'switchyard.db');
  const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const store = await openSqliteStore({ path, secret: 'bench', clock, logger });
  const startedMs = performance.now();
  fill(path);
  console.log(`${ROWS} rows written in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  await watched('nothing', () => Bun.sleep(IDLE_MS));
  for (const name of ['a thread counts', 'a thread counts again']) {
    await watched(name, async () => {
      const counts = await store.outcomes.count(NOW_MS - DAY_MS, NOW_MS);
      const failed = counts.reduce((sum, count) => sum + count.failed, 0);
      const all = counts.reduce((sum, count) => sum + count.succeeded, failed);
      if (all !== ROWS || failed !== Math.ceil(ROWS / FAILING)) throw new Error(`counted ${all} and ${failed} failed`);
    });
  }
  await watched('the event loop counts', () => countInSlices(path));
  await watched('nothing', () => Bun.sleep(IDLE_MS));
  await store.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
