/** Archives of old charges, for SQLite. `key_id` is empty for charges without a key. */
export const LEDGER_ARCHIVE_TABLES: readonly string[] = [
  `create table ledger_checkpoints (
    number integer primary key,
    before_ms integer not null,
    entries integer not null,
    amount_nano integer not null,
    file_name text not null,
    sha256 text not null,
    previous_sha256 text,
    moved_to integer not null,
    is_complete integer not null
  ) strict`,
  `create table ledger_archived (
    account_id text not null,
    key_id text not null,
    checkpoint integer not null,
    amount_nano integer not null,
    entries integer not null,
    first_at_ms integer not null,
    primary key (account_id, key_id, checkpoint)
  ) strict, without rowid`,
  'create index ledger_archived_by_checkpoint on ledger_archived (checkpoint)',
  'create table ledger_archiving (one integer primary key check (one = 1), holder text not null, until_ms integer not null) strict',
];
