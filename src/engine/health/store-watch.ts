import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { StoreHealth } from '../ports/store-health.ts';

/** If the store does not answer a check within this time, it is taken to be down for charges, too. */
const LATE_MS = 5_000;

/**
 * After this time without an answer no new requests should be sent here. Sooner than charges are refused: a load balancer loses nothing by
 * asking another node, and one that still has requests sent here can serve them if the store answers by then.
 */
const SLOW_MS = 1_000;

/** The latest known state of the store: a timer checks the store, and requests read the result here. */
export class StoreWatch {
  private checkingSinceMs: number | null = null;
  private isLate = false;
  private told: string | null = null;

  constructor(
    private readonly ports: { readonly health: StoreHealth; readonly clock: Clock; readonly logger: Logger },
  ) {}

  /** Why nothing can be stored now, or `null`. */
  get problem(): string | null {
    return this.ports.health.problem ?? (this.isLate ? 'the database does not answer' : null);
  }

  /** Why new requests should go elsewhere now, or `null`: within two seconds of a store that stops answering. */
  get notReady(): string | null {
    const sinceMs = this.checkingSinceMs;
    const isSlow = sinceMs !== null && this.ports.clock.monotonicMs() - sinceMs >= SLOW_MS;
    return this.problem ?? (isSlow ? 'the database does not answer' : null);
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

  /** Logged when it changes, not at each check. */
  private tell(): void {
    const { problem } = this;
    if (problem === this.told) return;
    this.told = problem;
    const { logger } = this.ports;
    if (problem === null) logger.info({}, 'the store can be written to again');
    else logger.error({ reason: problem }, 'the store cannot be written to: requests that cost something are refused');
  }
}
