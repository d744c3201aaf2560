/** Limits how many pieces of work run at once; the others wait in order. */
export class AtOnce {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  /** The number of waiting pieces of work. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running >= this.most) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      // The next one takes over the slot.
      else next();
    }
  }
}
