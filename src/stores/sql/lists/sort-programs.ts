import type {
  SortedAccounts,
  SortedKeys,
  SortedPage,
  SortedUsers,
  SortFigures,
  SortPlace,
} from '../../../engine/ports/list-store.ts';
import { accountConditions, containing, likePattern } from '../../shared/account-page.ts';
import { ask, type SqlDialect, type SqlProgram, type Values } from '../program.ts';
import { toLimit } from '../texts.ts';

/** Later than every time that a clock shows; keys that never expire are sorted as if they expired then. */
const END_OF_TIME_MS = 8_640_000_000_000_000;

const ACCOUNT_VALUES = {
  name: 'lower(name)',
  created_at: 'created_at_ms',
  balance: 'coalesce((SELECT balance_nano FROM balances WHERE account_id = accounts.id), 0)',
  free: 'coalesce((SELECT balance_nano - leased_nano FROM balances WHERE account_id = accounts.id), 0)',
  last_active_at: 'coalesce((SELECT max(last_used_at_ms) FROM key_use WHERE account_id = accounts.id), 0)',
} as const;

const OF_KEY = 'account_id = credentials.account_id AND key_id = credentials.id';
const KEY_VALUES = {
  name: 'lower(name)',
  created_at: 'created_at_ms',
  last_used_at: `coalesce((SELECT last_used_at_ms FROM key_use WHERE ${OF_KEY}), 0)`,
  expires_at: `coalesce(expires_at_ms, ${END_OF_TIME_MS})`,
  spent: `coalesce((SELECT spent_nano FROM key_spending WHERE ${OF_KEY}), 0)`,
} as const;

const userValues = (dialect: SqlDialect) =>
  ({
    email: 'email',
    name: 'lower(name)',
    created_at: dialect.isoText('created_at'),
    last_active_at: 'coalesce((SELECT last_active_at_ms FROM user_activity WHERE user_id = users.id), 0)',
  }) as const;

const TEXT_ORDERS: ReadonlySet<string> = new Set(['name', 'email']);

export function* sortedAccounts(dialect: SqlDialect, page: SortedAccounts): SqlProgram<readonly SortPlace[]> {
  const { by, only } = page;
  return yield* sorted(dialect, page, {
    table: 'accounts',
    by: typeof by === 'string' ? ACCOUNT_VALUES[by] : by,
    isText: typeof by === 'string' && TEXT_ORDERS.has(by),
    conditions: (sql) => accountConditions(only, dialect.likeInAnyCase, (value) => sql.put(value)),
  });
}

export function* sortedKeys(dialect: SqlDialect, page: SortedKeys): SqlProgram<readonly SortPlace[]> {
  const { by, accountId, text, state } = page;
  return yield* sorted(dialect, page, {
    table: 'credentials',
    by: typeof by === 'string' ? KEY_VALUES[by] : by,
    isText: typeof by === 'string' && TEXT_ORDERS.has(by),
    conditions: (sql) => [
      `account_id = ${sql.put(accountId)}`,
      `kind = 'inference'`,
      ...(text === undefined
        ? []
        : [containing(sql.put(likePattern(text)), dialect.likeInAnyCase, ['id', 'name', 'preview'])]),
      ...(state === undefined ? [] : [stateCondition(state, (value) => sql.put(value))]),
    ],
  });
}

function stateCondition({ name, atMs }: NonNullable<SortedKeys['state']>, mark: (value: number) => string): string {
  if (name === 'revoked') return 'revoked_at_ms IS NOT NULL';
  const isOver =
    name === 'expired'
      ? `expires_at_ms <= ${mark(atMs)}`
      : `coalesce(expires_at_ms, ${END_OF_TIME_MS}) > ${mark(atMs)}`;
  return `revoked_at_ms IS NULL AND ${isOver}`;
}

export function* sortedUsers(dialect: SqlDialect, page: SortedUsers): SqlProgram<readonly SortPlace[]> {
  const { by, accountId, text } = page;
  return yield* sorted(dialect, page, {
    table: 'users',
    by: userValues(dialect)[by],
    isText: by !== 'last_active_at',
    conditions: (sql) => [
      ...(accountId === undefined
        ? []
        : [`id IN (SELECT user_id FROM memberships WHERE account_id = ${sql.put(accountId)})`]),
      ...(text === undefined ? [] : [containing(sql.put(likePattern(text)), dialect.likeInAnyCase, ['email', 'name'])]),
    ],
  });
}

interface SortedTable {
  readonly table: string;
  /** An expression over its columns, or amounts by id. */
  readonly by: string | SortFigures;
  readonly isText: boolean;
  readonly conditions: (sql: Values) => readonly string[];
}

function* sorted(
  dialect: SqlDialect,
  { isDown, after, limit }: SortedPage,
  { table, by, isText, conditions }: SortedTable,
): SqlProgram<readonly SortPlace[]> {
  const rows = yield* ask(dialect, (sql) => {
    const source =
      typeof by === 'string'
        ? `SELECT id, ${by} AS value FROM ${table} WHERE ${all(conditions(sql))}`
        : withFigures(dialect, sql, { table, figures: by.figures, conditions });
    const place = after === null ? '' : `WHERE ${beyond(dialect, sql, after, { isDown, isText })}`;
    return `
      SELECT id, value FROM (${source}) AS listed ${place}
      ORDER BY value ${isDown ? 'DESC' : 'ASC'}, id LIMIT ${sql.put(toLimit(limit))}
    `;
  });
  return rows.map(({ id, value }) => ({ id: String(id), value: String(value) }));
}

function all(conditions: readonly string[]): string {
  return conditions.length === 0 ? '1 = 1' : conditions.join(' AND ');
}

/** Looks up the rows with an amount by their id, and lists all others with zero. */
function withFigures(
  dialect: SqlDialect,
  sql: Values,
  { table, figures, conditions }: Pick<SortedTable, 'table' | 'conditions'> & SortFigures,
): string {
  // JSON numbers of any size; `JSON.stringify` accepts no `bigint`.
  const json = `[${figures.map(({ id, amount }) => `{"given_id":${JSON.stringify(id)},"amount":${amount}}`).join(',')}]`;
  const given = dialect.rowsOf(sql.put(json), 'given', { given_id: 'text', amount: 'bigint' });
  const ids = sql.put(JSON.stringify(figures.map(({ id }) => id)));
  return `
    SELECT id, amount AS value FROM ${given} CROSS JOIN ${table} WHERE id = given_id AND ${all(conditions(sql))}
    UNION ALL
    SELECT id, 0 AS value FROM ${table} WHERE NOT (id ${dialect.inList(ids, 'text')}) AND ${all(conditions(sql))}
  `;
}

function beyond(
  dialect: SqlDialect,
  sql: Values,
  { value, id }: SortPlace,
  { isDown, isText }: { readonly isDown: boolean; readonly isText: boolean },
): string {
  const limit = sql.put(isText ? value : BigInt(value));
  const mark = isText ? limit : dialect.integer(limit);
  return `(value ${isDown ? '<' : '>'} ${mark} OR (value = ${mark} AND id > ${sql.put(id)}))`;
}
