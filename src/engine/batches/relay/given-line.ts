import type { Failure } from '../../../domain/failure/failure.ts';
import type { GivenAnswer, LineRelay } from '../../call/line-relay.ts';

/** A line whose answer has come from a batch of its provider. */
export class GivenLine implements LineRelay {
  readonly isTaken = false;
  /** Whether the answer was read. If not, something in front of it has refused the line. */
  isReached = false;

  constructor(readonly given: GivenAnswer) {}

  wants(): boolean {
    return false;
  }

  reserving(): void {}

  async take(): Promise<Failure | null> {
    return null;
  }

  reached(): void {
    this.isReached = true;
  }
}
