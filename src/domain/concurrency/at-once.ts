/** Lets so many pieces of work run at once; the others wait in their order. */
export class AtOnce {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  /** How much waits for its turn. */
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
      // The next one takes over the place.
      else next();
    }
  }
}
