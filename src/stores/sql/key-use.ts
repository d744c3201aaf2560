import { CREDENTIAL_KINDS, type CredentialKey, type CredentialKind } from '../../domain/access/api-key.ts';
import type { KeyUse, KeyUseStore } from '../../engine/ports/key-use-store.ts';
import { ask, type Columns, type SqlProgram, type SqlRow, type SqlRunner } from './program.ts';

/** Tokens have a separate table, since their ids may equal those of keys. */
const TABLES: Readonly<Record<CredentialKind, string>> = { inference: 'key_use', management: 'token_use' };
const KEY: Columns = { account_id: 'text', key_id: 'text' };
const COLUMNS: Columns = { ...KEY, last_used_at_ms: 'double precision' };

export class SqlKeyUse implements KeyUseStore {
  readonly #runner: SqlRunner;

  /** @param runner need not be durable: a crash may lose the last second of key usage */
  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  async read(only?: readonly CredentialKey[]): Promise<readonly KeyUse[]> {
    const found: KeyUse[] = [];
    for (const kind of CREDENTIAL_KINDS) {
      const wanted = only?.filter((key) => key.kind === kind);
      if (wanted?.length === 0) continue;
      for (const row of await this.#runner.read(() => this.#reading(TABLES[kind], wanted))) {
        const [accountId, id] = [String(row.account_id), String(row.key_id)];
        found.push({ accountId, kind, id, lastUsedAtMs: Number(row.last_used_at_ms) });
      }
    }
    return found;
  }

  async write(uses: readonly KeyUse[]): Promise<void> {
    const { dialect } = this.#runner;
    for (const kind of CREDENTIAL_KINDS) {
      const rows = uses.filter((use) => use.kind === kind).map(toRow);
      if (rows.length === 0) continue;
      const table = TABLES[kind];
      // Sorted, so that nodes that write the same keys do not deadlock.
      await this.#runner.change(
        (sql) => `
          INSERT INTO ${table} (${Object.keys(COLUMNS).join(', ')})
          SELECT account_id, key_id, max(last_used_at_ms)
          FROM ${dialect.rowsOf(sql.put(JSON.stringify(rows)), 'came', COLUMNS)}
          WHERE true GROUP BY account_id, key_id ORDER BY account_id, key_id
          ON CONFLICT (account_id, key_id) DO UPDATE SET last_used_at_ms = excluded.last_used_at_ms
          WHERE excluded.last_used_at_ms > ${table}.last_used_at_ms
        `,
      );
    }
  }

  *#reading(table: string, wanted: readonly CredentialKey[] | undefined): SqlProgram<readonly SqlRow[]> {
    const { dialect } = this.#runner;
    return yield* ask(dialect, (sql) => {
      const order = 'ORDER BY found.account_id, found.key_id';
      if (wanted === undefined) return `SELECT * FROM ${table} AS found ${order}`;
      const places = sql.put(
        JSON.stringify(wanted.map(({ accountId, id }) => ({ account_id: accountId, key_id: id }))),
      );
      return `
        SELECT found.* FROM ${dialect.rowsOf(places, 'wanted', KEY)}
        CROSS JOIN ${table} AS found
        WHERE found.account_id = wanted.account_id AND found.key_id = wanted.key_id ${order}
      `;
    });
  }
}

function toRow({ accountId, id, lastUsedAtMs }: KeyUse) {
  return { account_id: accountId, key_id: id, last_used_at_ms: lastUsedAtMs };
}
