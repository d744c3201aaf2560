import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { StoreHealth } from '../ports/store-health.ts';

/** A store that has not answered a check for so long does not answer charges either. */
const LATE_MS = 5_000;

/** What is known of the store without asking it: requests look here, and a timer looks there. */
export class StoreWatch {
  private checkingSinceMs: number | null = null;
  private isLate = false;
  private told: string | null = null;

  constructor(
    private readonly ports: { readonly health: StoreHealth; readonly clock: Clock; readonly logger: Logger },
  ) {}

  /** Why nothing can be kept just now, or `null`. */
  get problem(): string | null {
    return this.ports.health.problem ?? (this.isLate ? 'the database does not answer' : null);
  }

  /** To be called once a second. One check at a time, however long it takes. */
  look(): void {
    const nowMs = this.ports.clock.monotonicMs();
    if (this.checkingSinceMs === null) {
      this.checkingSinceMs = nowMs;
      void this.check();
    } else if (nowMs - this.checkingSinceMs >= LATE_MS) this.isLate = true;
    this.tell();
  }

  private async check(): Promise<void> {
    await this.ports.health.check();
    this.checkingSinceMs = null;
    this.isLate = false;
    this.tell();
  }

  /** When it changes, not again and again. */
  private tell(): void {
    const { problem } = this;
    if (problem === this.told) return;
    this.told = problem;
    const { logger } = this.ports;
    if (problem === null) logger.info({}, 'the store can be written to again');
    else logger.error({ reason: problem }, 'the store cannot be written to: requests that cost something are refused');
  }
}
