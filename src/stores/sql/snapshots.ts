import type { OutcomeCount, SuccessSnapshot } from '../../domain/catalog/preference.ts';
import { SNAPSHOT_CLAIM_MS, type SnapshotStore } from '../../engine/ports/outcomes.ts';
import { fromJson } from '../shared/tables/encoding.ts';
import { ask, type SqlRunner } from './program.ts';

/**
 * One row, with id 1, shared by all nodes. Before the first count it has a claim and no snapshot. Its row lock serialises concurrent
 * claims.
 */
export class SqlSnapshots implements SnapshotStore {
  readonly #runner: SqlRunner;

  /** @param runner need not be durable: a count lost in a crash is made again */
  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  async read(): Promise<SuccessSnapshot | null> {
    const snapshot = 'SELECT at_ms, window_ms, counts FROM success_snapshot WHERE at_ms IS NOT NULL';
    const [row] = await this.#runner.read(() => ask(this.#runner.dialect, () => snapshot));
    if (row === undefined) return null;
    const counts = fromJson<OutcomeCount[]>(String(row.counts));
    return { atMs: Number(row.at_ms), windowMs: Number(row.window_ms), counts };
  }

  async claim(nowMs: number, freshMs: number): Promise<boolean> {
    const changed = await this.#runner.change((sql) => {
      const [now, fresh] = [sql.put(nowMs), sql.put(freshMs)];
      return `
        INSERT INTO success_snapshot (id, claimed_at_ms) VALUES (1, ${now})
        ON CONFLICT (id) DO UPDATE SET claimed_at_ms = excluded.claimed_at_ms
        WHERE coalesce(abs(success_snapshot.at_ms - ${now}) >= ${fresh}, true)
          AND coalesce(abs(success_snapshot.claimed_at_ms - ${now}) >= ${SNAPSHOT_CLAIM_MS}, true)
      `;
    });
    return changed > 0;
  }

  async write({ atMs, windowMs, counts }: SuccessSnapshot): Promise<boolean> {
    const changed = await this.#runner.change((sql) => {
      const at = sql.put(atMs);
      return `
        UPDATE success_snapshot
        SET at_ms = ${at}, window_ms = ${sql.put(windowMs)}, counts = ${sql.put(JSON.stringify(counts))}, claimed_at_ms = NULL
        WHERE claimed_at_ms = ${at}
      `;
    });
    return changed > 0;
  }

  async release(nowMs: number): Promise<void> {
    await this.#runner.change(
      (sql) => `UPDATE success_snapshot SET claimed_at_ms = NULL WHERE claimed_at_ms = ${sql.put(nowMs)}`,
    );
  }
}
