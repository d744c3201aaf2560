import type { Pool } from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { LostLines } from '../shared/lost-lines.ts';
import { firstLine } from '../shared/store-open-error.ts';
import { query } from './connection.ts';
import type { PostgresRequestLog } from './request-log.ts';

const NEWEST = 'SELECT sequence, at_ms FROM ledger_entries ORDER BY sequence DESC LIMIT 1';

export interface CrashedNodesOptions {
  readonly pool: Pool;
  readonly requestLog: PostgresRequestLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long after a crash the lines of living nodes may still be on their way. */
  readonly recoverAfterMs: number;
}

/** Recovers the request log lines of nodes that have crashed, in the background and some time later. */
export class CrashedNodes {
  readonly #options: CrashedNodesOptions;
  readonly #lostLines: LostLines;
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;
  #isDue = false;
  #running: Promise<void> | null = null;

  constructor(options: CrashedNodesOptions) {
    const { requestLog, clock, logger } = options;
    this.#options = options;
    this.#lostLines = new LostLines({ recoverPage: (task) => requestLog.recover(task), clock, logger });
  }

  /** Call this when a node has ended without a word, and when this one begins: the one that noticed may have crashed as well. */
  noticed(): void {
    if (this.#isClosed) return;
    this.#isDue = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#lostLines.close();
    this.#closed.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      try {
        await this.#recover();
      } catch (error) {
        const fields = { error: firstLine(error) };
        this.#options.logger.warn(fields, 'request log lines that a crash has lost could not be recovered');
      }
    }
  }

  /** What is in the ledger now is old enough after the wait, whatever the clocks of the nodes say. */
  async #recover(): Promise<void> {
    const { pool, clock } = this.#options;
    const noticedAtMs = clock.nowMs();
    const { rows } = await query<{ sequence: bigint; at_ms: bigint }>(pool, NEWEST);
    await this.#wait();
    const [newest] = rows;
    if (newest === undefined || this.#isClosed) return;
    await this.#lostLines.recover({ sequence: Number(newest.sequence), atMs: Number(newest.at_ms) }, noticedAtMs);
  }

  async #wait(): Promise<void> {
    const waited = Promise.withResolvers<void>();
    const timer = setTimeout(waited.resolve, this.#options.recoverAfterMs);
    timer.unref();
    await Promise.race([waited.promise, this.#closed.promise]);
    clearTimeout(timer);
  }
}
