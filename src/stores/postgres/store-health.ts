import type { Pool } from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { query } from './connection.ts';
import { DatabaseAwayError } from './database-away-error.ts';

const WRITE = `
  insert into write_probe (id, at_ms) values (1, $1)
    on conflict (id) do update set at_ms = excluded.at_ms
`;
/** A single idle connection may break although the database is healthy. */
const ATTEMPTS = 2;

/** Returns a probe that resolves to the reason why the database cannot store writes, or `null`. */
export function createWriteProbe(pool: Pool, clock: Pick<Clock, 'nowMs'>): () => Promise<string | null> {
  return async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        await query(pool, WRITE, [Math.floor(clock.nowMs())]);
        return null;
      } catch (error) {
        if (attempt < ATTEMPTS && error instanceof DatabaseAwayError) continue;
        return writeProblem(error);
      }
    }
  };
}

/** Returns why PostgreSQL could not write, for operators. https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function writeProblem(error: unknown): string {
  const code = errorCodeOf(error instanceof DatabaseAwayError ? error.cause : error);
  if (code === '25006') return 'the database is read-only';
  if (code === '53100') return "the database's disk is full";
  return error instanceof DatabaseAwayError ? 'the database is unavailable' : 'the database cannot be written';
}
