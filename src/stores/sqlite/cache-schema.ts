/** The `PRAGMA application_id` of a cache: "swyc". */
export const CACHE_APPLICATION_ID = 0x73_77_79_63;
/** A file of another version is replaced, since its entries can be recreated. */
export const CACHE_SCHEMA_VERSION = 1;

/**
 * `head` and `body` are written by an `EntryCodec`; the columns before them repeat the searchable fields. `accounts` has each account's
 * total size. `removals` records requested removals for other processes and for as long as the key is blocked.
 */
export const CACHE_SCHEMA = `
  CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL,
    partition TEXT,
    stored_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    used_at_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    head BLOB NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_use ON entries (used_at_ms);
  CREATE INDEX entries_by_account ON entries (account_id, used_at_ms);
  CREATE INDEX entries_by_expiry ON entries (expires_at_ms);
  CREATE INDEX entries_by_time ON entries (stored_at_ms, id);
  CREATE INDEX entries_by_partition ON entries (partition, stored_at_ms) WHERE partition IS NOT NULL;

  CREATE TABLE accounts (
    account_id TEXT PRIMARY KEY,
    entries INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
    INSERT INTO accounts (account_id, entries, bytes) VALUES (new.account_id, 1, new.bytes)
      ON CONFLICT DO UPDATE SET entries = entries + 1, bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
    UPDATE accounts SET entries = entries - 1, bytes = bytes - old.bytes WHERE account_id = old.account_id;
    DELETE FROM accounts WHERE account_id = old.account_id AND entries = 0;
    DELETE FROM served WHERE id = old.id;
  END;

  CREATE TABLE served (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    UNIQUE (id, account_id)
  ) STRICT;

  CREATE TABLE removals (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    writer TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    key TEXT,
    id TEXT,
    until_ms INTEGER NOT NULL,
    account_id TEXT
  ) STRICT;
  CREATE INDEX removals_by_key ON removals (key, until_ms) WHERE key IS NOT NULL;
`;
