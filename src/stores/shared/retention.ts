import type { AgeingTable } from '../../engine/ports/retention-store.ts';

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
    case 'held_charges':
      return `DELETE FROM held_charges WHERE request_id IN (
        SELECT request_id FROM held_charges WHERE state <> 'open' AND at_ms < ${before} ORDER BY at_ms LIMIT ${limit}
      )`;
  }
}
