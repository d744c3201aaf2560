import type { ByteBudget } from '../../domain/access/byte-budget.ts';

/** What one answer takes of the memory that all answers about jobs may take. */
export class HeldAnswer {
  private bytes = 0;

  constructor(
    private readonly budget: ByteBudget,
    private readonly accountId: string,
  ) {}

  readonly hold = (bytes: number): boolean => {
    if (!this.budget.take(this.accountId, bytes)) return false;
    this.bytes += bytes;
    return true;
  };

  release(): void {
    this.budget.give(this.accountId, this.bytes);
    this.bytes = 0;
  }
}
