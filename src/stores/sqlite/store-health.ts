import { type BigIntStats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Clock } from '../../engine/ports/clock.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { isBusy, isDamage } from './connection.ts';
import type { WritingConnection } from './writing-connection.ts';

/** Changes the value each time, since SQLite writes nothing if a row stays the same. */
const WRITE = `
  INSERT INTO write_probe (id, at_ms) VALUES (1, ?1)
  ON CONFLICT (id) DO UPDATE SET at_ms = max(at_ms + 1, excluded.at_ms)
`;

/** Writes a test entry without waiting for the disk; on a full disk it fails all the same. */
export async function writeProbe(connection: WritingConnection, nowMs: number): Promise<void> {
  await connection.runWhenFree('NORMAL', () => void connection.database.query(WRITE).run(BigInt(nowMs)));
}

export interface WriteProbeOptions {
  /** Calls `writeProbe`. */
  readonly write: (nowMs: number) => Promise<void>;
  /** The path of the database. */
  readonly path: string;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Returns a probe that resolves to the reason why the database cannot store writes, or `null`. It also checks the files: a process that has
 * a deleted or replaced file open can still write to it, but nothing will find the data.
 */
export function createWriteProbe({ write, path, clock }: WriteProbeOptions): () => Promise<string | null> {
  const known = new Map([[path, statSync(path, { bigint: true })]]);
  // The WAL exists next to the database from the first write until the last connection closes. Writes go there first.
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

/** Returns why SQLite could not write or the file could not be read, for operators, since the original messages may contain a path. */
export function writeProblem(error: unknown): string {
  const code = errorCodeOf(error) ?? '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'the database file is missing';
  if (code === 'SQLITE_FULL') return 'the disk is full';
  if (code.startsWith('SQLITE_READONLY')) return 'the database is read-only';
  if (isBusy(error)) return 'another process has locked the database';
  if (isDamage(error)) return 'the database is damaged';
  return code.startsWith('SQLITE_IOERR') ? 'the disk reports errors' : 'the database cannot be written';
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
