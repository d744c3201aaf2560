import type { FoundNames, NamedIds } from '../../../engine/ports/directory-store.ts';
import type { SqlDialect, SqlProgram } from '../program.ts';
import { rows } from './read-programs.ts';

type Named = FoundNames['accounts'][number];
type NamedChannel = FoundNames['channels'][number];
interface NamedKey extends Named {
  readonly account_id: string;
}

/** Reads the names of objects by their primary keys. */
export function* readingNames(dialect: SqlDialect, { accounts, channels, keys }: NamedIds): SqlProgram<FoundNames> {
  return {
    accounts: yield* byId<Named>(dialect, 'SELECT id, name FROM accounts', accounts),
    channels: yield* byId<NamedChannel>(dialect, 'SELECT id, name, owner FROM channels', channels),
    keys: yield* namesOfKeys(dialect, keys),
  };
}

function* byId<Row>(dialect: SqlDialect, select: string, ids: readonly string[]): SqlProgram<readonly Row[]> {
  if (ids.length === 0) return [];
  return yield* rows<Row>(
    dialect,
    (sql) => `${select} WHERE id ${dialect.inList(sql.put(JSON.stringify(ids)), 'text')}`,
  );
}

function* namesOfKeys(dialect: SqlDialect, keys: NamedIds['keys']): SqlProgram<FoundNames['keys']> {
  if (keys.length === 0) return [];
  const json = JSON.stringify(keys.map(({ accountId, id }) => ({ account_id: accountId, id })));
  const found = yield* rows<NamedKey>(dialect, (sql) => {
    const wanted = dialect.rowsOf(sql.put(json), 'wanted', { account_id: 'text', id: 'text' });
    return `
      SELECT credentials.account_id, credentials.id, credentials.name FROM ${wanted} CROSS JOIN credentials
      WHERE credentials.account_id = wanted.account_id AND credentials.kind = 'inference' AND credentials.id = wanted.id
    `;
  });
  return found.map(({ account_id, id, name }) => ({ accountId: account_id, id, name }));
}
