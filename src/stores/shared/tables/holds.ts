import type { ClosedHold, HeldBudget, Hold, HoldState, NewHold } from '../../../domain/ledger/hold.ts';
import type { HoldQuery } from '../../../engine/ports/holds.ts';

/** Of either database; integers come back as `bigint`, all of them. */
export interface HoldRow {
  readonly hold_id: string;
  readonly account_id: string;
  readonly key_id: string | null;
  readonly from_balance_nano: bigint | null;
  readonly from_limit_nano: bigint | null;
  readonly key_limit_nano: bigint | null;
  readonly terms: string;
  readonly at_ms: bigint;
  readonly expires_at_ms: bigint;
  /** The table's check holds what it may be. */
  readonly state: HoldState;
  readonly charged_nano: bigint;
  readonly closed_at_ms: bigint | null;
  /** JSON; NULL for none. */
  readonly budgets: string | null;
}

/** In the order of `toHoldValues`; the others have defaults. */
export const NEW_HOLD_COLUMNS =
  'hold_id, account_id, key_id, from_balance_nano, from_limit_nano, key_limit_nano, terms, at_ms, expires_at_ms, budgets';

/**
 * Lists holds by (state or NULL, account or NULL, end of expiry or NULL, limit).
 *
 * @param mark what stands before a parameter's number; `?` and `$` in the two databases
 */
export function listHolds(mark: '?' | '$'): string {
  return `
    SELECT * FROM holds
    WHERE state = coalesce(${mark}1, state) AND account_id = coalesce(${mark}2, account_id)
      AND expires_at_ms < coalesce(${mark}3, 9223372036854775807)
    ORDER BY expires_at_ms, hold_id LIMIT ${mark}4
  `;
}

export function toListValues({ state, accountId, expiresBeforeMs }: HoldQuery, limit: number) {
  const before = expiresBeforeMs === undefined ? null : BigInt(Math.floor(expiresBeforeMs));
  return [state ?? null, accountId ?? null, before, Math.max(0, Math.floor(limit))];
}

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

export function fromHoldRow(row: HoldRow): Hold {
  return {
    holdId: row.hold_id,
    accountId: row.account_id,
    keyId: row.key_id,
    fromBalanceNanoUsd: row.from_balance_nano,
    fromLimitNanoUsd: row.from_limit_nano,
    keyLimitNanoUsd: row.key_limit_nano,
    terms: row.terms,
    atMs: Number(row.at_ms),
    expiresAtMs: Number(row.expires_at_ms),
    state: row.state,
    chargedNanoUsd: row.charged_nano,
    closedAtMs: row.closed_at_ms === null ? null : Number(row.closed_at_ms),
    budgets: row.budgets === null ? [] : (JSON.parse(row.budgets) as readonly HeldBudgetJson[]).map(fromBudgetJson),
  };
}

/** What a hold keeps of a budget's period; its keys are read by SQL, too. An empty `key_id` is of the account's budget. */
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

/** `null` for one that is open, or not there. */
export function closedHold(hold: Hold | null): ClosedHold | null {
  return hold === null || hold.state === 'open' ? null : { state: hold.state, chargedNanoUsd: hold.chargedNanoUsd };
}
