import { type BigIntStats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Clock } from '../../engine/ports/clock.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { isBusy, isDamage } from './connection.ts';
import type { WritingConnection } from './writing-connection.ts';

/** A value that changes: SQLite writes nothing where a row stays as it is. */
const WRITE = `
  INSERT INTO write_probe (id, at_ms) VALUES (1, ?1)
  ON CONFLICT (id) DO UPDATE SET at_ms = max(at_ms + 1, excluded.at_ms)
`;

/** Writes a test entry, which does not wait for the disk: a write beyond the end of a full disk fails all the same. */
export async function writeProbe(connection: WritingConnection, nowMs: number): Promise<void> {
  await connection.runWhenFree('NORMAL', () => void connection.database.query(WRITE).run(BigInt(nowMs)));
}

export interface WriteProbeOptions {
  /** As `writeProbe`. */
  readonly write: (nowMs: number) => Promise<void>;
  /** Of the database. */
  readonly path: string;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Returns a probe that finds out why the database cannot store writes, or `null`. Files that were deleted or replaced can still
 * be written to by who has them open, but nobody will find there what was written; so the files are looked at, too.
 */
export function createWriteProbe({ write, path, clock }: WriteProbeOptions): () => Promise<string | null> {
  const known = new Map([[path, statSync(path, { bigint: true })]]);
  // Beside the database lies its write-ahead log, from the first write to when nobody has it open; what is written stands there first.
  const log = `${path}-wal`;
  return async () => {
    try {
      for (const [file, before] of known) {
        if (!isSameFile(before, await stat(file, { bigint: true }))) return 'the database file has been replaced';
      }
      await write(clock.nowMs());
      if (!known.has(log)) known.set(log, await stat(log, { bigint: true }));
      return null;
    } catch (error) {
      return writeProblem(error);
    }
  };
}

/** Why SQLite could not write, or the file could not be looked at, for an operator; their own messages may hold a path. */
export function writeProblem(error: unknown): string {
  const code = errorCodeOf(error) ?? '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'the database file is gone';
  if (code === 'SQLITE_FULL') return 'the disk is full';
  if (code.startsWith('SQLITE_READONLY')) return 'the database is read-only';
  if (isBusy(error)) return 'another process holds the database';
  if (isDamage(error)) return 'the database is damaged';
  return code.startsWith('SQLITE_IOERR') ? 'the disk fails' : 'the database cannot be written';
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
