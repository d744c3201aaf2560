import { type Kysely, sql } from 'kysely';
import type { IdRange, OnlineMigration } from '../upgrade/migration.ts';
import { ENDED, TABLES } from './0020-usage.ts';

/** Used during this upgrade only, to find the log line of a ledger entry. */
const LINES_BY_REQUEST = 'upgrade_lines_by_request';

/**
 * Like 0020-usage.ts, for a database in use. The trigger of 0021-budgets.ts, in the same transaction, counts each later charge, so the
 * backfills visit only the earlier rows.
 */
export const usageOnlineMigration: OnlineMigration = {
  async up(db) {
    for (const statement of TABLES) await sql.raw(statement).execute(db);
    // Waits for charges in flight, which already have their number, and blocks new ones until the trigger exists.
    await sql`lock table ledger_entries in share row exclusive mode`.execute(db);
    return { counts: await idsOf(db, 'request_log', 'id'), money: await idsOf(db, 'ledger_entries', 'sequence') };
  },
  steps: {
    counts: {
      kind: 'backfill',
      rows: 'lines of the request log',
      rowsPerBatch: 10_000,
      rowsPerSecond: 40_000,
      sql: `insert into usage_deltas (
        at_ms, account_id, key_id, model_id, channel_id, status, requests, errors, cache_hits, input_tokens, cached_input_tokens,
        cache_write_tokens, output_tokens, reasoning_tokens, latency_ms_sum, first_byte_ms_sum, first_byte_count, latency_ms_max
      )
      select ${ENDED} / 60000 * 60000, account_id, coalesce(key_id, ''), coalesce(model_id, ''), coalesce(channel_id, ''),
        coalesce(status, 0)::integer, count(*), count(error_code), count(cache_match), coalesce(sum(input_tokens), 0),
        coalesce(sum(cached_input_tokens), 0), coalesce(sum(cache_write_tokens), 0), coalesce(sum(output_tokens), 0),
        coalesce(sum(reasoning_tokens), 0), coalesce(sum(round(latency_ms)), 0), coalesce(sum(round(first_byte_ms)), 0),
        count(first_byte_ms), coalesce(max(round(latency_ms)), 0)
      from request_log where account_id is not null and id > $1 and id <= $2
      group by 1, 2, 3, 4, 5, 6`,
    },
    // Uses the collation of the ledger's ids; otherwise a comparison with them cannot use the index.
    lines: { kind: 'index', name: LINES_BY_REQUEST, on: 'request_log (request_id collate "C") where cost_nano <> 0' },
    money: {
      kind: 'backfill',
      rows: 'entries of the ledger',
      rowsPerBatch: 10_000,
      rowsPerSecond: 40_000,
      // A duplicate line must not count its charge twice.
      sql: `insert into usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, cost_nano)
      select at_ms / 60000 * 60000, account_id, coalesce(key_id, ''), coalesce(line.model_id, ''),
        coalesce(line.channel_id, ''), coalesce(line.status, 0)::integer, sum(-amount_nano)
      from ledger_entries entry left join lateral (
        select max(model_id) as model_id, max(channel_id) as channel_id, max(status) as status
        from request_log where request_log.request_id = entry.request_id and cost_nano <> 0
      ) as line on true
      where kind = 'charge' and amount_nano <> 0 and sequence > $1 and sequence <= $2
      group by 1, 2, 3, 4, 5, 6`,
    },
    charges: {
      kind: 'index',
      name: 'ledger_entries_but_charges',
      on: "ledger_entries (account_id, at_ms, sequence) where kind <> 'charge'",
    },
    account: {
      kind: 'index',
      name: 'ledger_entries_by_account_and_time',
      on: 'ledger_entries (account_id, at_ms, sequence)',
    },
    tidy: {
      kind: 'statements',
      statements: [
        `drop index concurrently if exists ${LINES_BY_REQUEST}`,
        'drop index concurrently if exists ledger_entries_by_account',
        'alter index if exists ledger_entries_by_account_and_time rename to ledger_entries_by_account',
      ],
    },
  },
};

async function idsOf(db: Kysely<unknown>, table: string, column: string): Promise<IdRange> {
  const { rows } = await sql<{ last: bigint | null; before: bigint | null }>`
    select max(${sql.ref(column)}) as last, min(${sql.ref(column)}) - 1 as before from ${sql.table(table)}
  `.execute(db);
  return { after: rows[0]?.before ?? 0n, upTo: rows[0]?.last ?? 0n };
}
