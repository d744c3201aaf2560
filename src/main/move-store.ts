import type { Logger } from '../engine/ports/logger.ts';
import type { MoveResult } from '../stores/postgres/move-target.ts';
import type { MoveProgress } from '../stores/shared/move/move-source.ts';
import { StoreOpenError } from '../stores/shared/store-open-error.ts';

export interface MoveStoreOptions {
  readonly databasePath: string;
  /** The URL of the PostgreSQL database. */
  readonly to: string;
  readonly secret: string;
  /** Whether to move although the ledger has problems. */
  readonly acceptsProblems: boolean;
  readonly progress: MoveProgress;
}

export interface MovedStore {
  /** The problems of the ledger before the move. */
  readonly problems: readonly string[];
  /** `null` if nothing was copied because of the problems. */
  readonly result: MoveResult | null;
}

/** Copies the SQLite database into PostgreSQL. Rejects with a `StoreOpenError`; then nothing was copied. */
export async function moveStore(options: MoveStoreOptions, logger: Logger): Promise<MovedStore> {
  const { openMoveSource } = await import('../stores/sqlite/move-source.ts');
  const { moveInto } = await import('../stores/postgres/move-target.ts');
  const source = await openMoveSource(options.databasePath, options.secret, logger);
  try {
    const { problems } = source.verify();
    if (problems.length > 0 && !options.acceptsProblems) return { problems, result: null };
    return { problems, result: await moveInto({ url: options.to, logger }, source, options.progress) };
  } catch (error) {
    // The errors of the store name the variable that every other command reads.
    if (error instanceof StoreOpenError) throw new StoreOpenError(error.message.replaceAll('DATABASE_URL', '--to'));
    throw error;
  } finally {
    source.close();
  }
}
