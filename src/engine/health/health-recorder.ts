import type { HealthStore } from '../ports/health-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { RoutingMemory } from './routing-memory.ts';

/** Stores what routing has learned, for operators and for the next process. */
export class HealthRecorder {
  private isBehind = false;

  constructor(
    private readonly memory: RoutingMemory,
    private readonly store: HealthStore,
    private readonly logger: Logger,
  ) {}

  /** To be called from time to time, and before the store is closed. Never rejects. */
  async record(): Promise<void> {
    const rows = this.memory.takeNews();
    if (rows.length === 0) return;
    try {
      await this.store.write(rows);
      this.isBehind = false;
    } catch (error) {
      // No request needs this row, and the next row of the same model replaces it.
      if (!this.isBehind) this.logger.warn({ reason: String(error) }, 'the health of channels could not be stored');
      this.isBehind = true;
    }
  }
}
