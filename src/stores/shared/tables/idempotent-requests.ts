import type { IdempotencyState, IdempotentRequest, KeptAnswer } from '../../../engine/ports/idempotency-store.ts';
import type { ContentBox } from '../content-box.ts';
import { fromJson } from './encoding.ts';

/** Of either database. */
export interface IdempotentRow {
  readonly fingerprint: string;
  /** NULL while it runs, or where it was cut off. */
  readonly sealed_answer: Uint8Array | null;
}

/**
 * @param mark what stands before a parameter's number
 * @param skipLocked what makes nodes take rows that no other one is deleting
 */
export function idempotencyStatements(mark: '?' | '$', skipLocked: 'FOR UPDATE SKIP LOCKED' | '') {
  const place = `scope = ${mark}1 AND key = ${mark}2`;
  return {
    /** (scope, key, fingerprint, now); a row of none where the key is there */
    begin: `
      INSERT INTO idempotent_requests (scope, key, fingerprint, at_ms) VALUES (${mark}1, ${mark}2, ${mark}3, ${mark}4)
      ON CONFLICT (scope, key) DO NOTHING
    `,
    /** (scope, key) */
    find: `SELECT fingerprint, sealed_answer FROM idempotent_requests WHERE ${place}`,
    /** (scope, key, answer) */
    finish: `UPDATE idempotent_requests SET sealed_answer = ${mark}3 WHERE ${place}`,
    /** (scope, key) */
    abandon: `DELETE FROM idempotent_requests WHERE ${place} AND sealed_answer IS NULL`,
    /** (before when, limit) */
    removeOld: `
      DELETE FROM idempotent_requests WHERE (scope, key) IN (
        SELECT scope, key FROM idempotent_requests WHERE at_ms < ${mark}1 ORDER BY at_ms LIMIT ${mark}2 ${skipLocked}
      )
    `,
  };
}

export function sealAnswer({ scope, key }: IdempotentRequest, answer: KeptAnswer, box: ContentBox): Uint8Array {
  return box.seal(JSON.stringify(answer), placeOf(scope, key));
}

export function stateFrom(
  row: IdempotentRow,
  { scope, key, fingerprint }: IdempotentRequest,
  box: ContentBox,
): IdempotencyState {
  if (row.fingerprint !== fingerprint) return { kind: 'other' };
  if (row.sealed_answer === null) return { kind: 'running' };
  return { kind: 'done', answer: fromJson<KeptAnswer>(box.open(row.sealed_answer, placeOf(scope, key))) };
}

/** What its sealed text is bound to. */
export function placeOf(scope: string, key: string): readonly string[] {
  return ['idempotent request', scope, key];
}
