import type { MessageAt } from '../../domain/logs/events.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { Logger } from '../ports/logger.ts';

/** Logs the first failure of the work on batches, and when it goes on, rather than each failure of a store that is away for minutes. */
export class FailureLog {
  private failures = 0;

  constructor(private readonly logger: Logger) {}

  failed(error: unknown, what: MessageAt<'error'>, batchId: string | null = null): void {
    this.failures++;
    if (this.failures > 1) return;
    this.logger.error({ ...(batchId !== null && { batchId }), ...describeError(error) }, what);
  }

  /** Notes that the store has answered. */
  answered(): void {
    const { failures } = this;
    this.failures = 0;
    if (failures > 1) this.logger.info({ count: failures }, 'batches are processed again');
  }
}
