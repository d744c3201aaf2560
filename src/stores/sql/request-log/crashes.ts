import type { Clock } from '../../../engine/ports/clock.ts';
import type { Logger } from '../../../engine/ports/logger.ts';
import { firstLine } from '../../shared/store-open-error.ts';
import { newestEntry } from '../ledger/read-programs.ts';
import type { SqlReader } from '../program.ts';
import { LostLines, type RecoverPage } from './lost-lines.ts';
import { RECOVER_AFTER_MS } from './write-programs.ts';

export interface CrashesOptions {
  readonly reader: SqlReader;
  readonly recoverPage: RecoverPage;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
  /** How long after a crash lines of running processes may still arrive. Default `RECOVER_AFTER_MS`. */
  readonly recoverAfterMs?: number | undefined;
}

/** Recovers the request log lines of another process that crashed, in the background and after a delay. */
export class Crashes {
  readonly #options: CrashesOptions;
  readonly #lostLines: LostLines;
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;
  #isDue = false;
  #running: Promise<void> | null = null;

  constructor(options: CrashesOptions) {
    this.#options = options;
    this.#lostLines = new LostLines(options);
  }

  /** Must be called when another process has crashed, or may have. */
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
        this.#options.logger.warn(fields, 'request log lines lost in a crash could not be recovered');
      }
    }
  }

  /** Entries present now are old enough after the delay, even if the machines' clocks differ. */
  async #recover(): Promise<void> {
    const { reader, clock } = this.#options;
    const noticedAtMs = clock.nowMs();
    const newest = await reader.read(newestEntry);
    await this.#wait();
    if (newest !== null && !this.#isClosed) await this.#lostLines.recover(newest, noticedAtMs);
  }

  async #wait(): Promise<void> {
    const waited = Promise.withResolvers<void>();
    const timer = setTimeout(waited.resolve, this.#options.recoverAfterMs ?? RECOVER_AFTER_MS);
    timer.unref();
    await Promise.race([waited.promise, this.#closed.promise]);
    clearTimeout(timer);
  }
}
