import type { OutcomeCount, SuccessSnapshot } from '../../../domain/catalog/preference.ts';
import { SNAPSHOT_CLAIM_MS } from '../../../engine/ports/outcomes.ts';
import { fromJson } from './encoding.ts';

/** There is one row at most, with the id 1; the first three are NULL while there is a claim and no snapshot yet. */
export interface SuccessSnapshotRow {
  readonly at_ms: number | null;
  readonly window_ms: number | null;
  readonly counts: string | null;
  readonly claimed_at_ms: number | null;
}

/**
 * The statements of a snapshot store; the databases differ in how they mark a parameter.
 *
 * @param mark what stands before a parameter's number
 */
export function snapshotStatements(mark: '?' | '$') {
  const [first, second, third] = [`${mark}1`, `${mark}2`, `${mark}3`];
  return {
    read: 'SELECT at_ms, window_ms, counts FROM success_snapshot WHERE at_ms IS NOT NULL',
    /** (now, fresh): changes a row where the claim is granted. */
    claim: `
      INSERT INTO success_snapshot (id, claimed_at_ms) VALUES (1, ${first})
      ON CONFLICT (id) DO UPDATE SET claimed_at_ms = excluded.claimed_at_ms
      WHERE coalesce(abs(success_snapshot.at_ms - ${first}) >= ${second}, true)
        AND coalesce(abs(success_snapshot.claimed_at_ms - ${first}) >= ${SNAPSHOT_CLAIM_MS}, true)
    `,
    /** (at, window, counts): changes a row where the claim of that time still stands. */
    write: `
      UPDATE success_snapshot SET at_ms = ${first}, window_ms = ${second}, counts = ${third}, claimed_at_ms = NULL
      WHERE claimed_at_ms = ${first}
    `,
    /** (the claim's now) */
    release: `UPDATE success_snapshot SET claimed_at_ms = NULL WHERE claimed_at_ms = ${first}`,
  };
}

export function toSnapshotValues({ atMs, windowMs, counts }: SuccessSnapshot): [number, number, string] {
  return [atMs, windowMs, JSON.stringify(counts)];
}

export function fromSnapshotRow(row: SuccessSnapshotRow | null | undefined): SuccessSnapshot | null {
  if (!row || row.at_ms === null || row.window_ms === null || row.counts === null) return null;
  return { atMs: row.at_ms, windowMs: row.window_ms, counts: fromJson<OutcomeCount[]>(row.counts) };
}
