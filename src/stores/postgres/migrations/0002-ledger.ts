import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { LEDGER_FUNCTIONS } from './0002-ledger-functions.ts';

/**
 * The ledger and the leases of nodes. Ids are collated by bytes, so that every node locks and lists them in the same order, whatever the
 * database's locale.
 */
export const ledgerMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of [...ENTRIES, ...SUMS, ...LEASES]) await sql.raw(table).execute(db);
    for (const body of LEDGER_FUNCTIONS) await sql.raw(body).execute(db);
  },
};

/** The triggers prevent manual edits: a wrong entry is followed by an adjustment, never changed. */
const ENTRIES = [
  `create table ledger_entries (
    sequence bigint generated always as identity primary key,
    idempotency_key text collate "C" not null unique,
    account_id text collate "C" not null,
    key_id text collate "C",
    kind text not null,
    amount_nano bigint not null,
    request_id text collate "C",
    at_ms bigint not null,
    note text,
    check (
      case kind
        when 'grant' then amount_nano >= 0
        when 'refund' then amount_nano >= 0
        when 'charge' then amount_nano <= 0 and request_id is not null
        else kind = 'adjustment'
      end
    )
  )`,
  'create index ledger_entries_by_account on ledger_entries (account_id, sequence)',
  `create function ledger_refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'entries of the ledger are never changed or deleted: append an adjustment';
    end
  $$`,
  `create trigger ledger_entries_unchanged before update or delete on ledger_entries
    for each row execute function ledger_refuse_change()`,
  `create trigger ledger_entries_kept before truncate on ledger_entries
    for each statement execute function ledger_refuse_change()`,
];

/**
 * Sums of entries and leases, maintained with each change. Pages are left half empty, like those of the leases, so that frequently updated
 * rows stay on their page and no index changes (HOT updates).
 */
const SUMS = [
  `create table balances (
    account_id text collate "C" primary key,
    balance_nano bigint not null default 0,
    leased_nano bigint not null default 0 check (leased_nano >= 0)
  ) with (fillfactor = 50)`,
  `create table key_spending (
    account_id text collate "C" not null,
    key_id text collate "C" not null,
    spent_nano bigint not null default 0 check (spent_nano >= 0),
    leased_nano bigint not null default 0 check (leased_nano >= 0),
    primary key (account_id, key_id)
  ) with (fillfactor = 50)`,
];

/**
 * A node is one lifetime of a gateway: one that could not renew itself in time returns as another node. A lease's `key_id` is empty for the
 * account's balance. `operation` is the number of the node's last lease or release of the purse and `granted_nano` its result, so that a
 * statement with an unknown outcome can be sent again.
 */
const LEASES = [
  `create table nodes (
    node_id text collate "C" primary key,
    expires_at timestamptz not null
  )`,
  'create index nodes_by_expiry on nodes (expires_at)',
  `create table leases (
    node_id text collate "C" not null references nodes,
    account_id text collate "C" not null,
    key_id text collate "C" not null,
    amount_nano bigint not null check (amount_nano >= 0),
    operation bigint not null,
    granted_nano bigint not null,
    changed_at timestamptz not null,
    primary key (node_id, account_id, key_id)
  ) with (fillfactor = 50)`,
];
