import type { EntryPlace } from '../../../engine/ports/ledger.ts';
import type { Logger } from '../../../engine/ports/logger.ts';
import { firstLine } from '../../shared/store-open-error.ts';
import type { RecoveryTask } from './recover-lines.ts';

/** Lines are written within a second of their charge. The rest allows for crashes that are noticed late. */
const WINDOW_MS = 5 * 60_000;
/** About the number of charges that the busiest gateway makes before a crash is noticed. */
const MOST_PAGES = 100;

/** Writes the missing lines of one page of charges. Resolves to their number and the start of the next page. */
export type RecoverPage = (
  task: RecoveryTask,
) => Promise<{ readonly recovered: number; readonly nextSequence: number | null }>;

export interface LostLinesOptions {
  readonly recoverPage: RecoverPage;
  readonly clock: { nowMs(): number };
  readonly logger: Logger;
}

/**
 * Recovers request log lines lost in a crash: a charge is durable before its response ends, while its line is in memory for a fraction of a
 * second longer.
 */
export class LostLines {
  readonly #options: LostLinesOptions;
  #isClosed = false;

  constructor(options: LostLinesOptions) {
    this.#options = options;
  }

  /**
   * Never rejects: failing to recover a line must not stop the process.
   *
   * @param place the newest ledger entry at the time of the crash
   */
  async recover(place: EntryPlace, tasksEndedBeforeMs: number): Promise<void> {
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
      logger.warn({ error: firstLine(error) }, 'request log lines lost in a crash could not be recovered');
    }
    if (lines > 0) logger.warn({ lines }, 'request log lines lost in a crash were recovered from their charges');
  }

  close(): void {
    this.#isClosed = true;
  }
}
