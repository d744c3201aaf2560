import type { AgeingTable, Thinning } from '../../engine/ports/retention-store.ts';

/**
 * Deletes of each table some rows by (the time, how many). The audit log has no index by time: its entries are written in the order of their
 * times, so those with the lowest numbers are looked at.
 */
export function removeOldStatement(table: AgeingTable, mark: '?' | '$'): string {
  const [before, limit] = [`${mark}1`, `${mark}2`];
  switch (table) {
    case 'request_log':
      return `DELETE FROM request_log
        WHERE id IN (SELECT id FROM request_log WHERE at_ms < ${before} ORDER BY at_ms LIMIT ${limit})`;
    case 'audit_log':
      return `DELETE FROM audit_log WHERE sequence IN (
        SELECT sequence FROM (SELECT sequence, at_ms FROM audit_log ORDER BY sequence LIMIT ${limit}) AS oldest
        WHERE at_ms < ${before}
      )`;
    case 'holds':
      return `DELETE FROM holds WHERE hold_id IN (
        SELECT hold_id FROM holds WHERE state <> 'open' AND closed_at_ms < ${before} ORDER BY closed_at_ms LIMIT ${limit}
      )`;
    case 'usage_account_days':
      return `DELETE FROM usage_account_days WHERE (account_id, day_ms) IN (
        SELECT account_id, day_ms FROM usage_account_days WHERE day_ms < ${before} ORDER BY day_ms LIMIT ${limit}
      )`;
    case 'held_charges':
      return `DELETE FROM held_charges WHERE request_id IN (
        SELECT request_id FROM held_charges WHERE state <> 'open' AND at_ms < ${before} ORDER BY at_ms LIMIT ${limit}
      )`;
  }
}

export const READ_THINNING =
  'SELECT thinned_until_ms, minutes_before_ms, hours_before_ms, ranks_before_ms FROM usage_thinning';

export function fromThinningRow(row: Readonly<Record<string, unknown>> | null | undefined): Thinning {
  return {
    doneUntilMs: Number(row?.thinned_until_ms ?? 0),
    minutesBeforeMs: Number(row?.minutes_before_ms ?? 0),
    hoursBeforeMs: Number(row?.hours_before_ms ?? 0),
    ranksBeforeMs: Number(row?.ranks_before_ms ?? 0),
  };
}

function later(column: string): string {
  return `${column} = CASE WHEN excluded.${column} > usage_thinning.${column} THEN excluded.${column} ELSE usage_thinning.${column} END`;
}

/** By (before when). Runs in the transaction that deletes the first of these days. */
export function noteRanksStatement(mark: '?' | '$'): string {
  return `INSERT INTO usage_thinning (one, thinned_until_ms, ranks_before_ms) VALUES (1, 0, ${mark}1)
    ON CONFLICT (one) DO UPDATE SET ${later('ranks_before_ms')}`;
}

/** By (minutes before, hours before). */
export function beginThinningStatement(mark: '?' | '$'): string {
  return `INSERT INTO usage_thinning (one, thinned_until_ms, minutes_before_ms, hours_before_ms) VALUES (1, 0, ${mark}1, ${mark}2)
    ON CONFLICT (one) DO UPDATE SET ${later('minutes_before_ms')}, ${later('hours_before_ms')}`;
}

/** By (until when). */
export function endThinningStatement(mark: '?' | '$'): string {
  return `UPDATE usage_thinning SET thinned_until_ms = ${mark}1`;
}
