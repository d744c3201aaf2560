import { ByteBudget } from '../../domain/access/byte-budget.ts';

/** Of all answers about jobs together: some providers put the file itself into the answer. One account has half of it. */
const MOST_BYTES = 512 * 1024 * 1024;

export function answerMemory(): ByteBudget {
  return new ByteBudget({ total: MOST_BYTES, perAccount: MOST_BYTES / 2 });
}

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
