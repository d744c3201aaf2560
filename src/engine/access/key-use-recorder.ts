import type { Credential } from '../../domain/access/api-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueueFigures } from '../ports/figures.ts';
import type { KeyUseStore } from '../ports/key-use-store.ts';
import type { Logger } from '../ports/logger.ts';

/** Collects the last use of keys in memory and writes it periodically, so that a request costs one map lookup. */
export class KeyUseRecorder {
  private readonly lastUsedAtMs = new Map<Credential, number>();
  private dropped = 0;
  private failedWrites = 0;

  constructor(
    private readonly ports: { readonly store: KeyUseStore; readonly clock: Clock; readonly logger: Logger },
  ) {}

  used(credential: Credential): void {
    this.lastUsedAtMs.set(credential, this.ports.clock.nowMs());
  }

  /** The keys whose last use is not written yet; there are at most as many as keys. Those of a failed write are lost. */
  get queue(): QueueFigures {
    const { dropped, failedWrites } = this;
    return { waiting: this.lastUsedAtMs.size, capacity: null, lateMs: null, dropped, failedWrites };
  }

  /** Writes the collected uses. Never rejects. */
  async record(): Promise<void> {
    if (this.lastUsedAtMs.size === 0) return;
    const uses = [...this.lastUsedAtMs].map(([{ accountId, kind, id }, lastUsedAtMs]) => ({
      accountId,
      kind,
      id,
      lastUsedAtMs,
    }));
    this.lastUsedAtMs.clear();
    try {
      await this.ports.store.write(uses);
    } catch (error) {
      this.failedWrites++;
      this.dropped += uses.length;
      this.ports.logger.warn({ error: String(error) }, 'last-used times of keys could not be stored');
    }
  }
}
