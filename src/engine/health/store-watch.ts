import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { StoreHealth } from '../ports/store.ts';

/** A store that does not answer a check within this time counts as unavailable, and charges are refused. */
const LATE_MS = 5_000;

/**
 * After this time without an answer, new requests should go elsewhere. This is shorter than the time until charges are refused, because a
 * load balancer loses nothing by using another node, and this node can still serve requests if the store answers by then.
 */
const SLOW_MS = 1_000;

/** The latest known state of the store: a timer checks the store, and requests read the result here. */
export class StoreWatch {
  private checkingSinceMs: number | null = null;
  private isLate = false;
  private told: string | null = null;
  private tookMs: number | null = null;

  constructor(
    private readonly ports: { readonly health: StoreHealth; readonly clock: Clock; readonly logger: Logger },
  ) {}

  /** Why nothing can be stored now; `null` if the store works. */
  get problem(): string | null {
    return this.ports.health.problem ?? (this.isLate ? 'the database does not respond' : null);
  }

  /** Why new requests should go elsewhere now, or `null`. Set within two seconds after the store stops answering. */
  get notReady(): string | null {
    const sinceMs = this.checkingSinceMs;
    const isSlow = sinceMs !== null && this.ports.clock.monotonicMs() - sinceMs >= SLOW_MS;
    return this.problem ?? (isSlow ? 'the database does not respond' : null);
  }

  /** The duration of the latest test write in milliseconds, or of the one that runs if that is longer; `null` before the first. */
  get latencyMs(): number | null {
    const { checkingSinceMs: sinceMs, tookMs } = this;
    if (sinceMs === null) return tookMs;
    return Math.max(tookMs ?? 0, this.ports.clock.monotonicMs() - sinceMs);
  }

  /** Starts a check unless one is running. Call it once a second. */
  look(): void {
    const nowMs = this.ports.clock.monotonicMs();
    if (this.checkingSinceMs === null) {
      this.checkingSinceMs = nowMs;
      void this.check();
    } else if (nowMs - this.checkingSinceMs >= LATE_MS) this.isLate = true;
    this.tell();
  }

  private async check(): Promise<void> {
    const startedMs = this.ports.clock.monotonicMs();
    await this.ports.health.check();
    this.tookMs = this.ports.clock.monotonicMs() - startedMs;
    this.checkingSinceMs = null;
    this.isLate = false;
    this.tell();
  }

  /** Logs changes of the state, rather than each check. */
  private tell(): void {
    const { problem } = this;
    if (problem === this.told) return;
    this.told = problem;
    const { logger } = this.ports;
    if (problem === null) logger.info({}, 'the store is writable again');
    else logger.error({ reason: problem }, 'the store is not writable: requests with a cost are refused');
  }
}
