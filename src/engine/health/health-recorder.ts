import type { HealthStore } from '../ports/health-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { RoutingMemory } from './routing-memory.ts';

/** Stores the learned health, for operators and for the next process. */
export class HealthRecorder {
  private isBehind = false;

  constructor(
    private readonly memory: RoutingMemory,
    private readonly store: HealthStore,
    private readonly logger: Logger,
  ) {}

  /** Writes what has changed. Call it periodically, and before the store is closed. Never rejects. */
  async record(): Promise<void> {
    const rows = this.memory.takeNews();
    if (rows.length === 0) return;
    try {
      await this.store.write(rows);
      this.isBehind = false;
    } catch (error) {
      // Requests do not need this row, and the model's next row replaces it.
      if (!this.isBehind) this.logger.warn({ reason: String(error) }, 'the health of channels could not be stored');
      this.isBehind = true;
    }
  }
}
