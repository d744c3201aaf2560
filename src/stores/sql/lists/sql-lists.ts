import type {
  ListStore,
  SortedAccounts,
  SortedKeys,
  SortedUsers,
  SortPlace,
} from '../../../engine/ports/list-store.ts';
import { ask, type SqlReader } from '../program.ts';
import { sortedAccounts, sortedKeys, sortedUsers } from './sort-programs.ts';

export class SqlLists implements ListStore {
  readonly #search: SqlReader;

  /** @param search runs statements that may scan all rows */
  constructor(search: SqlReader) {
    this.#search = search;
  }

  accounts(page: SortedAccounts): Promise<readonly SortPlace[]> {
    return this.#search.read(() => sortedAccounts(this.#search.dialect, page));
  }

  keys(page: SortedKeys): Promise<readonly SortPlace[]> {
    return this.#search.read(() => sortedKeys(this.#search.dialect, page));
  }

  users(page: SortedUsers): Promise<readonly SortPlace[]> {
    return this.#search.read(() => sortedUsers(this.#search.dialect, page));
  }

  accountsActive(accountIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#times(
      (ids) => `
        SELECT account_id AS id, max(last_used_at_ms) AS at_ms FROM key_use WHERE account_id ${ids} GROUP BY account_id
      `,
      accountIds,
    );
  }

  usersActive(userIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#times(
      (ids) => `SELECT user_id AS id, last_active_at_ms AS at_ms FROM user_activity WHERE user_id ${ids}`,
      userIds,
    );
  }

  async #times(text: (ids: string) => string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (ids.length === 0) return new Map();
    const { dialect } = this.#search;
    const json = JSON.stringify(ids);
    const rows = await this.#search.read(() => ask(dialect, (sql) => text(dialect.inList(sql.put(json), 'text'))));
    return new Map(rows.map(({ id, at_ms }) => [String(id), Number(at_ms)]));
  }
}
