/** More lines that wait would hold more memory than those that run. */
const WAITING_PER_PLACE = 8;

/**
 * The places of the lines that run at once in this process. A line gives its place to others while it waits for a limit, and takes one
 * again afterwards, before lines that have not begun.
 */
export class LinePlaces {
  private taken = 0;
  private waiting = 0;
  private readonly returning: (() => void)[] = [];

  /** @param freed called when a line has given its place up */
  constructor(
    private readonly most: number,
    private readonly freed: () => void,
  ) {}

  get hasFree(): boolean {
    return this.taken < this.most;
  }

  take(): void {
    this.taken++;
  }

  leave(): void {
    const next = this.returning.shift();
    if (next === undefined) this.taken--;
    // It takes over the place.
    else next();
  }

  /** Does without the place during the wait. Resolves to `false` at once, with the place kept, if too many lines wait already. */
  async without(wait: () => Promise<void>): Promise<boolean> {
    if (this.waiting >= this.most * WAITING_PER_PLACE) return false;
    this.waiting++;
    this.leave();
    this.freed();
    try {
      await wait();
    } finally {
      await this.takeAgain();
      this.waiting--;
    }
    return true;
  }

  private async takeAgain(): Promise<void> {
    if (this.hasFree) this.take();
    else await new Promise<void>((resolve) => this.returning.push(resolve));
  }
}
