import type { Logger } from '../../engine/ports/logger.ts';
import type { RecoveryTask } from './recover-lines.ts';
import { firstLine } from './store-open-error.ts';

/** Lines are written within a second of their charge; this leaves room for a crash that is noticed late. */
const WINDOW_MS = 5 * 60_000;
/** About what the busiest gateway charges in the time in which a crash is noticed. */
const MOST_PAGES = 100;

/** The newest entry of the ledger at the time of a crash. */
export interface LedgerPlace {
  readonly sequence: number;
  readonly atMs: number;
}

/** One page of charges: writes the lines that are missing, and returns how many and where the next page begins. */
export type RecoverPage = (
  task: RecoveryTask,
) => Promise<{ readonly recovered: number; readonly nextSequence: number | null }>;

export interface LostLinesOptions {
  readonly recoverPage: RecoverPage;
  readonly clock: { nowMs(): number };
  readonly logger: Logger;
}

/**
 * Recovers the lines of the request log that a crash has lost: a charge is durable before its answer ends, while its line waits in
 * memory for a fraction of a second.
 */
export class LostLines {
  readonly #options: LostLinesOptions;
  #isClosed = false;

  constructor(options: LostLinesOptions) {
    this.#options = options;
  }

  /** Never rejects: a line that cannot be recovered is no reason to stop. */
  async recover(place: LedgerPlace, tasksEndedBeforeMs: number): Promise<void> {
    const { recoverPage, clock, logger } = this.#options;
    const chargedAfterMs = place.atMs - WINDOW_MS;
    let upToSequence: number | null = place.sequence;
    let lines = 0;
    try {
      for (let page = 0; page < MOST_PAGES && upToSequence !== null && !this.#isClosed; page++) {
        const task = { upToSequence, chargedAfterMs, tasksEndedBeforeMs, nowMs: clock.nowMs() };
        const { recovered, nextSequence } = await recoverPage(task);
        lines += recovered;
        upToSequence = nextSequence;
      }
    } catch (error) {
      if (this.#isClosed) return;
      logger.warn({ error: firstLine(error) }, 'request log lines that a crash has lost could not be recovered');
    }
    if (lines > 0) logger.warn({ lines }, 'request log lines that a crash had lost were recovered from their charges');
  }

  close(): void {
    this.#isClosed = true;
  }
}
