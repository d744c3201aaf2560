import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { rollStatement } from '../../src/stores/sql/usage/sum-statements.ts';
import { STORE_PORTS } from '../gateway-process.ts';

export interface Size {
  readonly accounts: number;
  readonly keysPerAccount: number;
  /** The number of request log lines, all within the last `DAYS` days. */
  readonly requests: number;
  /** The number of charged requests. */
  readonly charges: number;
}

export const DAYS = 30;
export const MODELS = 20;
export const CHANNELS = 10;
/** The number of models that one account uses. */
const MODELS_OF_ACCOUNT = 3;
const DAY_MS = 86_400_000;
const TASKS_PER_ACCOUNT = 4;
const AUDIT_ENTRIES_PER_ACCOUNT = 10;
/** Enough that no prepaid account's balance becomes negative. */
const GRANT_NANO_USD = 100_000_000_000_000n;

/** Returns an account's id by its rank in the number of requests: an eighth of the accounts sends half of all requests. */
export function accountId(rank: number): string {
  return `account-${String(rank).padStart(6, '0')}`;
}

const ACCOUNT = `'account-' || lpad(rank::text, 6, '0')`;

/** The content of the tables besides requests. The keys are unusable: nobody knows a secret with such a hash. */
const DIRECTORY = ({ accounts, keysPerAccount }: Size) => [
  `INSERT INTO accounts (id, name, role, admin, billing, created_at_ms, origin)
    SELECT ${ACCOUNT}, 'Customer ' || rank, 'User', 0, 'prepaid', 0, 'operator' FROM generate_series(0, ${accounts - 1}) AS rank`,
  `INSERT INTO credentials (account_id, kind, id, name, secret_hash, preview, created_at_ms, origin)
    SELECT ${ACCOUNT}, 'inference', 'key-' || rank || '-' || key, 'Key ' || key, md5(rank || '-' || key), 'sk-bench…' || key, 0, 'operator'
    FROM generate_series(0, ${accounts - 1}) AS rank, generate_series(0, ${keysPerAccount - 1}) AS key`,
  `INSERT INTO users (id, name, email, created_at, updated_at)
    SELECT 'user-' || rank, 'Person ' || rank, 'person' || rank || '@example.com', now(), now() FROM generate_series(0, ${accounts - 1}) AS rank`,
  `INSERT INTO memberships (user_id, account_id, role, created_at_ms)
    SELECT 'user-' || rank, ${ACCOUNT}, 'owner', 0 FROM generate_series(0, ${accounts - 1}) AS rank`,
  `INSERT INTO audit_log (at_ms, actor_kind, actor_id, actor_name, action, account_id, object_id)
    SELECT extract(epoch from now())::bigint * 1000 - (n % ${DAYS})::bigint * ${DAY_MS}, 'user', 'user-' || rank, 'Person ' || rank, 'key.update', ${ACCOUNT},
      'key-' || rank || '-0'
    FROM (SELECT n, n % ${accounts} AS rank FROM generate_series(1, ${accounts * AUDIT_ENTRIES_PER_ACCOUNT}) AS n) AS entries`,
  `INSERT INTO tasks (id, request_id, account_id, key_id, kind, model_id, created_at_ms, deadline_ms, stage, is_processing,
      poll_errors, kept, cost_nano, ended_at_ms, claim)
    SELECT 'task_' || n, 'req_task_' || n, ${ACCOUNT}, 'key-' || rank || '-0', 'video', 'model-0', at_ms, at_ms + ${DAY_MS}, 'failed', 0, 0,
      '{}', 0, at_ms + 60000, 0
    FROM (
      SELECT n, n % ${accounts} AS rank, extract(epoch from now())::bigint * 1000 - (n % 1000) * 100000 AS at_ms
      FROM generate_series(1, ${accounts * TASKS_PER_ACCOUNT}) AS n
    ) AS made`,
];

/** Inserts requests number $1 to $2 of all, the first of which is at $3 and each $4 milliseconds after the one before. */
const LOG = ({ accounts, keysPerAccount, requests, charges }: Size) => `
  INSERT INTO request_log (request_id, at_ms, account_id, key_id, format, model_id, channel_id, provider, upstream_model, stream, status,
    error_code, failure_kind, client_gone, retry_count, latency_ms, first_byte_ms, input_tokens, cached_input_tokens, cache_write_tokens,
    output_tokens, reasoning_tokens, usage_source, cost_nano, tags)
  SELECT 'req_' || left(hex, 8) || '-' || right(hex, 4) || '-7' || lpad(to_hex(n % 4096), 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0'), at_ms,
    ${ACCOUNT}, 'key-' || rank || '-' || n % ${keysPerAccount}, 'openai-chat', 'model-' || model, 'channel-' || model % ${CHANNELS}, 'openai',
    'upstream-' || model, n % 2, CASE WHEN n % 100 = 99 THEN 503 ELSE 200 END,
    CASE WHEN n % 100 = 99 THEN 'upstream_error' END, CASE WHEN n % 100 = 99 THEN 'http_500' END, 0, 0, 500 + n % 1500, 200, 1000 + n % 500, 0,
    0, 300, 0, 'reported', CASE WHEN n % ${requests} * ${charges} % ${requests} < ${charges} THEN 100000 + n % 77777 ELSE 0 END,
    CASE WHEN n % 5 = 0 THEN '["team=team-' || n % 3 || '"]' END
  FROM (
    SELECT *, (rank + n % ${MODELS_OF_ACCOUNT}) % ${MODELS} AS model FROM (
      SELECT n, floor(${accounts} * power(random(), 3))::bigint AS rank, at_ms, lpad(to_hex(at_ms), 12, '0') AS hex
    FROM (SELECT n, $3::bigint + floor(n * $4::double precision)::bigint AS at_ms FROM generate_series($1::bigint, $2::bigint) AS n) AS times
      OFFSET 0
    ) AS ranked
  ) AS made
`;

const CHARGES = `
  INSERT INTO ledger_entries (idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms)
  SELECT 'charge:' || request_id, account_id, key_id, 'charge', -cost_nano::bigint, request_id, (at_ms + latency_ms)::bigint
  FROM request_log WHERE at_ms >= $1 AND at_ms < $2 AND cost_nano <> 0
`;

/** The rows that the ledger and the log would add, combined: one for the request, and one for its tag. */
const USAGE_OF_LINES = `(
  SELECT (at_ms + latency_ms)::bigint AS at_ms, account_id, key_id, model_id, channel_id, status::integer AS status, tag, 1 AS requests,
    (error_code IS NOT NULL)::integer AS errors, 0 AS cache_hits, input_tokens::bigint AS input_tokens, 0 AS cached_input_tokens,
    0 AS cache_write_tokens, output_tokens::bigint AS output_tokens, 0 AS reasoning_tokens, latency_ms::bigint AS latency_ms_sum,
    first_byte_ms::bigint AS first_byte_ms_sum, 1 AS first_byte_count, cost_nano::bigint AS cost_nano, 0 AS saved_nano,
    0 AS upstream_cost_nano, 0 AS costed_requests, 0 AS unpriced_requests, latency_ms::bigint AS latency_ms_max
  FROM request_log CROSS JOIN LATERAL (SELECT '' AS tag UNION ALL SELECT tags::json ->> 0 WHERE tags IS NOT NULL) AS labels
  WHERE request_log.at_ms >= $1 AND request_log.at_ms < $2
) AS lines`;

/** The sums that the trigger of `usage_deltas` would have added. */
const ACCOUNT_DAYS = `
  INSERT INTO usage_account_days (account_id, day_ms, cost_nano, requests)
  SELECT account_id, bucket_ms, sum(cost_nano), sum(requests) FROM usage_rollups
  WHERE level = 'day' AND tag = '' AND account_id <> '' GROUP BY account_id, bucket_ms
`;

const BALANCES = [
  `INSERT INTO ledger_entries (idempotency_key, account_id, kind, amount_nano, at_ms)
    SELECT 'grant:' || id, id, 'grant', ${GRANT_NANO_USD}, $1::bigint FROM accounts`,
  `INSERT INTO balances (account_id, balance_nano) SELECT account_id, sum(amount_nano) FROM ledger_entries GROUP BY account_id`,
  `INSERT INTO key_spending (account_id, key_id, spent_nano)
    SELECT account_id, key_id, -sum(amount_nano) FROM ledger_entries WHERE kind = 'charge' GROUP BY account_id, key_id`,
  `INSERT INTO key_use (account_id, key_id, last_used_at_ms)
    SELECT account_id, key_id, max(at_ms) FROM ledger_entries WHERE kind = 'charge' GROUP BY account_id, key_id`,
];

/** The number of connections that fill concurrently, each some of the days. */
const LANES = 2;

/** Creates the tables and fills them day by day, so that no statement sorts more than a day. Prints slow statements. */
export async function fill(url: string, secret: string, size: Size): Promise<void> {
  await (await openPostgresStore({ url, secret, ...STORE_PORTS })).close();
  const untilMs = Date.now();
  const fromMs = untilMs - DAYS * DAY_MS;
  await withClient(url, async (run) => {
    for (const sql of DIRECTORY(size)) await run(sql.slice(12, 30), sql);
  });
  const perLane = Math.ceil(DAYS / LANES);
  const lanes = Array.from({ length: LANES }, (_, lane) => ({
    from: lane * perLane,
    to: Math.min((lane + 1) * perLane, DAYS),
  }));
  await Promise.all(
    lanes.map(({ from, to }) =>
      withClient(url, async (run) => {
        for (let day = from; day < to; day++) await fillDay(run, size, fromMs, day);
      }),
    ),
  );
  await withClient(url, async (run) => {
    for (const [index, sql] of BALANCES.entries()) await run(sql.slice(12, 30), sql, index === 0 ? [fromMs] : []);
    await run('account days', ACCOUNT_DAYS);
    await run('vacuum', 'VACUUM ANALYZE');
  });
}

async function fillDay(run: Run, size: Size, fromMs: number, day: number): Promise<void> {
  const stepMs = (DAYS * DAY_MS) / size.requests;
  const perDay = Math.ceil(size.requests / DAYS);
  const [first, last] = [day * perDay, Math.min((day + 1) * perDay, size.requests) - 1];
  const span = [fromMs + Math.floor(first * stepMs), fromMs + Math.floor((last + 1) * stepMs)];
  await run(`day ${day}, log`, LOG(size), [first, last, fromMs, stepMs]);
  await run(`day ${day}, charges`, CHARGES, span);
  await run(`day ${day}, sums`, rollStatement(USAGE_OF_LINES, 'true'), span);
}

type Run = (what: string, sql: string, values?: readonly unknown[]) => Promise<void>;

async function withClient(url: string, use: (run: Run) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // Triggers would maintain row by row what is summed up at the end.
    await client.query(`SET session_replication_role = replica; SET work_mem = '512MB'; SELECT setseed(0.5)`);
    await use(async (what, sql, values = []) => {
      const startedMs = performance.now();
      await client.query(sql, [...values]);
      const seconds = (performance.now() - startedMs) / 1_000;
      if (seconds > 10) console.log(`  ${what}: ${seconds.toFixed(0)} s`);
    });
  } finally {
    await client.end();
  }
}

/** Resolves to the size in bytes of each of the largest tables, with its indexes. */
export async function tableSizes(
  url: string,
): Promise<readonly { readonly name: string; readonly rows: number; readonly bytes: number }[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`
      SELECT relname AS name, greatest(reltuples, 0)::float8 AS rows, pg_total_relation_size(oid)::float8 AS bytes
      FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY bytes DESC LIMIT 8
    `);
    return rows;
  } finally {
    await client.end();
  }
}

/** Resolves to the process ids of the database server; empty if it runs on another machine. */
export async function databaseServerPid(url: string): Promise<readonly number[]> {
  if (new URL(url).hostname !== '127.0.0.1') return [];
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const status = readFileSync(`/proc/${rows[0]?.pid}/status`, 'utf8');
    return [Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])];
  } finally {
    await client.end();
  }
}
