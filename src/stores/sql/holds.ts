import type { ClosedHold, HeldBudget, Hold, HoldState, NewHold } from '../../domain/ledger/hold.ts';
import type { HoldQuery, HoldShortage, Holds } from '../../engine/ports/holds.ts';
import type { ChargeUsage } from '../../engine/ports/usage-store.ts';
import { fromJson } from '../shared/tables/encoding.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlReader, type SqlRow } from './program.ts';
import { toLimit } from './texts.ts';

/**
 * Reads holds. Each database moves their money itself: PostgreSQL in functions that lock an account for a single statement however many
 * tables change, SQLite in a transaction of the writer thread.
 */
export abstract class SqlHolds implements Holds {
  readonly #reader: SqlReader;

  /** @param reader must return integers as `bigint` */
  constructor(reader: SqlReader) {
    this.#reader = reader;
  }

  abstract hold(hold: NewHold): Promise<'held' | 'known' | HoldShortage>;
  abstract settle(holdId: string, costNanoUsd: bigint, atMs: number, usage: ChargeUsage): Promise<ClosedHold | null>;
  abstract release(holdId: string, atMs: number): Promise<ClosedHold | null>;

  find(holdId: string): Promise<Hold | null> {
    return this.#reader.read(() => findingHold(this.#reader.dialect, holdId));
  }

  list(query: HoldQuery, limit: number): Promise<readonly Hold[]> {
    return this.#reader.read(() => listing(this.#reader.dialect, query, limit));
  }
}

export function* findingHold(dialect: SqlDialect, holdId: string): SqlProgram<Hold | null> {
  const [row] = yield* ask(dialect, (sql) => `SELECT * FROM holds WHERE hold_id = ${sql.put(holdId)}`);
  return row === undefined ? null : fromRow(row);
}

function* listing(
  dialect: SqlDialect,
  { state, accountId, expiresBeforeMs }: HoldQuery,
  limit: number,
): SqlProgram<readonly Hold[]> {
  const rows = yield* ask(dialect, (sql) => {
    const conditions = [
      // Repeats the condition of the partial index on open holds.
      ...(state === undefined ? [] : [state === 'open' ? "state = 'open'" : `state = ${sql.put(state)}`]),
      ...(accountId === undefined ? [] : [`account_id = ${sql.put(accountId)}`]),
      ...(expiresBeforeMs === undefined ? [] : [`expires_at_ms < ${sql.put(Math.floor(expiresBeforeMs))}`]),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    return `SELECT * FROM holds ${where} ORDER BY expires_at_ms, hold_id LIMIT ${sql.put(toLimit(limit))}`;
  });
  return rows.map(fromRow);
}

/** In the order of `toHoldValues`; the other columns have defaults. */
export const NEW_HOLD_COLUMNS =
  'hold_id, account_id, key_id, from_balance_nano, from_limit_nano, key_limit_nano, terms, at_ms, expires_at_ms, budgets';

export function toHoldValues(hold: NewHold): (string | bigint | null)[] {
  return [
    hold.holdId,
    hold.accountId,
    hold.keyId,
    hold.fromBalanceNanoUsd,
    hold.fromLimitNanoUsd,
    hold.keyLimitNanoUsd,
    hold.terms,
    BigInt(Math.floor(hold.atMs)),
    BigInt(Math.floor(hold.expiresAtMs)),
    toBudgetsJson(hold.budgets),
  ];
}

function fromRow(row: SqlRow): Hold {
  const text = (value: unknown) => (value === null ? null : String(value));
  const amount = (value: unknown) => (value === null ? null : BigInt(value as bigint)); // An integer column.
  return {
    holdId: String(row.hold_id),
    accountId: String(row.account_id),
    keyId: text(row.key_id),
    fromBalanceNanoUsd: amount(row.from_balance_nano),
    fromLimitNanoUsd: amount(row.from_limit_nano),
    keyLimitNanoUsd: amount(row.key_limit_nano),
    terms: String(row.terms),
    atMs: Number(row.at_ms),
    expiresAtMs: Number(row.expires_at_ms),
    state: row.state as HoldState, // Guaranteed by a check constraint.
    chargedNanoUsd: amount(row.charged_nano) ?? 0n,
    closedAtMs: row.closed_at_ms === null ? null : Number(row.closed_at_ms),
    budgets: row.budgets === null ? [] : fromJson<readonly HeldBudgetJson[]>(String(row.budgets)).map(fromBudgetJson),
  };
}

/** The part of a hold in one budget period. SQL reads these keys as well. An empty `key_id` means the account's budget. */
interface HeldBudgetJson {
  readonly key_id: string;
  readonly starts_at_ms: number;
  readonly ends_at_ms: number;
  /** Decimal digits. */
  readonly held_nano: string;
  readonly budget_nano: string;
}

function toBudgetsJson(budgets: readonly HeldBudget[]): string | null {
  if (budgets.length === 0) return null;
  const rows = budgets.map(
    ({ keyId, window, heldNanoUsd, budgetNanoUsd }): HeldBudgetJson => ({
      key_id: keyId ?? '',
      starts_at_ms: window.startsAtMs,
      ends_at_ms: window.endsAtMs,
      held_nano: String(heldNanoUsd),
      budget_nano: String(budgetNanoUsd),
    }),
  );
  return JSON.stringify(rows);
}

function fromBudgetJson(row: HeldBudgetJson): HeldBudget {
  return {
    keyId: row.key_id || null,
    window: { startsAtMs: row.starts_at_ms, endsAtMs: row.ends_at_ms },
    heldNanoUsd: BigInt(row.held_nano),
    budgetNanoUsd: BigInt(row.budget_nano),
  };
}

/** Returns `null` for a hold that is open or does not exist. */
export function closedHold(hold: Hold | null): ClosedHold | null {
  return hold === null || hold.state === 'open' ? null : { state: hold.state, chargedNanoUsd: hold.chargedNanoUsd };
}
