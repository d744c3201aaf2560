import { Database } from 'bun:sqlite';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rollUsage } from '../src/engine/admin/usage/roll-usage.ts';
import type { LogPlace, RequestLogQuery } from '../src/engine/ports/request-log.ts';
import type { Store } from '../src/engine/ports/store.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';

/*
 * The time of the management API's lists and sums on a large request log in SQLite: `bun bench/management-reads.ts [lines]`, by default 10
 * million lines of 30 days and 50,000 accounts. Prints times; asserts nothing.
 */

const LINES = Number(process.argv[2] ?? 10_000_000);
const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-06-01T00:00:00Z');
const STEP_MS = (30 * DAY_MS) / LINES;
/** One account has a tenth of the lines; one line in 10,000 is an error; the account `rare` has 20 lines. */
const FILL = `
  WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
  INSERT INTO request_log (
    request_id, at_ms, account_id, key_id, format, model_id, channel_id, provider, stream, status, error_code, failure_kind,
    client_gone, retry_count, latency_ms, first_byte_ms, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens,
    reasoning_tokens, usage_source, cost_nano
  )
  SELECT 'req_' || i, ${START_MS} + CAST(i * ${STEP_MS} AS INTEGER),
    CASE WHEN i % ${Math.floor(LINES / 20)} = 7 THEN 'rare' WHEN i % 10 = 0 THEN 'large' ELSE 'account-' || (i * 7919 % 50000) END,
    'key-' || (i % 3), 'openai-chat', 'model-' || (i % 20), 'channel-' || (i % 5), 'openai', i % 2,
    CASE WHEN i % 10000 = 9 THEN 503 ELSE 200 END, CASE WHEN i % 10000 = 9 THEN 'upstream_error' END,
    CASE WHEN i % 10000 = 9 THEN 'http_500' END, 0, 0, 500 + i % 1500, 200, 100, 0, 0, 50, 0, 'reported', 1000 + i % 77
  FROM n
`;
const COUNT = `
  INSERT INTO usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, requests, errors, input_tokens, output_tokens,
    latency_ms_sum, latency_ms_max, cost_nano)
  SELECT (at_ms + CAST(latency_ms AS INTEGER)) / 60000 * 60000, account_id, key_id, model_id, channel_id, status, count(*),
    count(error_code), sum(input_tokens), sum(output_tokens), CAST(sum(latency_ms) AS INTEGER), CAST(max(latency_ms) AS INTEGER),
    sum(cost_nano)
  FROM request_log WHERE id > ?1 AND id <= ?2 GROUP BY 1, 2, 3, 4, 5, 6
`;

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
try {
  const path = join(folder, 'switchyard.db');
  const store = await openSqliteStore({ path, secret: 'bench', clock, logger: silent });
  await fill(path, store);
  await measure(store);
  await store.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function fill(path: string, store: Store): Promise<void> {
  const began = performance.now();
  const tool = new Database(path);
  const piece = 200_000;
  for (let from = 0; from < LINES; from += piece) {
    const to = Math.min(LINES, from + piece);
    tool.query(FILL).run(from + 1, to);
    tool.query(COUNT).run(from, to);
    const rolling = performance.now();
    let longestMs = 0;
    let last = rolling;
    await rollUsage(store.usage, async () => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    });
    if (from === 0) {
      const each = ((performance.now() - rolling) / piece) * 1_000;
      console.log(`rolling up: ${each.toFixed(1)} µs per line, longest batch ${longestMs.toFixed(1)} ms`);
    }
  }
  tool.close();
  console.log(`${LINES} lines in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
}

async function measure(store: Store): Promise<void> {
  const queries: Record<string, RequestLogQuery> = {
    'all lines': {},
    'a large account': { accountId: 'large' },
    'a small account': { accountId: 'account-77' },
    'an account with 20 lines': { accountId: 'rare' },
    'an account without lines': { accountId: 'nobody' },
    'an account, a key, a model': { accountId: 'large', keyId: 'key-1', modelId: 'model-10' },
    'errors of all accounts': { status: { from: 500, to: 599 } },
    'an unused error code': { errorCodes: ['nothing'] },
    'an unknown model': { modelId: 'nothing' },
    'the first day': { toMs: START_MS + DAY_MS },
    'a cost above all lines (full scan)': { minCostNanoUsd: 1_000_000n },
  };
  await store.requestLog.page({}, null, 50);
  for (const [name, query] of Object.entries(queries)) {
    const times: number[] = [];
    let lines = 0;
    let after: LogPlace | null = null;
    for (let pages = 0; pages < 20; pages++) {
      const began = performance.now();
      const page = await store.requestLog.page(query, after, 50);
      times.push(performance.now() - began);
      lines += page.records.length;
      after = page.next;
      if (after === null) break;
    }
    const most = Math.max(...times).toFixed(1);
    console.log(
      `page: ${name}: first ${times[0]?.toFixed(1)} ms, slowest of ${times.length} ${most} ms, ${lines} lines`,
    );
  }
  const day = (count: number) => ({ fromMs: START_MS, toMs: START_MS + count * DAY_MS });
  const days = Array.from({ length: 30 }, (_, index) => ({
    fromMs: START_MS + index * DAY_MS,
    toMs: START_MS + (index + 1) * DAY_MS,
  }));
  const sums = {
    'a month of a large account': { accountIds: ['large'], spans: [day(30)], groupBy: [] },
    'each day of a large account by model': { accountIds: ['large'], spans: days, groupBy: ['modelId'] },
    'each day of all accounts by model': { accountIds: null, spans: days, groupBy: ['modelId'] },
    'a month of a small account by key': { accountIds: ['account-77'], spans: [day(30)], groupBy: ['keyId'] },
  } as const;
  for (const [name, query] of Object.entries(sums)) {
    const began = performance.now();
    const found = await store.usage.sum({ ...query, tags: null, limit: 10_000 });
    console.log(`sum: ${name}: ${(performance.now() - began).toFixed(1)} ms, ${found.length} rows`);
  }
}
