/** A reproducible random generator, so that demos with the same seed can be compared. Nothing secret may use it. */
export class Chance {
  private state: number;

  constructor(seed: string) {
    this.state = Bun.hash.xxHash32(seed);
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive) (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  between(least: number, most: number): number {
    return least + (most - least) * this.next();
  }

  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  /** Returns a log-normal number around the median: sizes and times of requests have such a long tail. */
  spread(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(sigma * normal);
  }

  /** Returns a whole number whose expected value is `expected`. */
  count(expected: number): number {
    const below = Math.floor(expected);
    return below + (this.happens(expected - below) ? 1 : 0);
  }

  one<Of>(of: readonly Of[]): Of {
    const found = of[Math.floor(this.next() * of.length)];
    if (found === undefined) throw new Error('There is nothing to choose from.');
    return found;
  }

  weighted<Of>(of: readonly (readonly [Of, number])[]): Of {
    let left = this.next() * of.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [one, weight] of of) {
      left -= weight;
      if (left < 0) return one;
    }
    return this.one(of)[0];
  }

  hex(characters: number): string {
    let text = '';
    while (text.length < characters) {
      text += Math.floor(this.next() * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    }
    return text.slice(0, characters);
  }

  /** Returns a request id of that time, in the form of `newRequestId`. */
  requestId(atMs: number): string {
    const time = Math.floor(atMs).toString(16).padStart(12, '0');
    const variant = '89ab'[Math.floor(this.next() * 4)];
    return `req_${time.slice(0, 8)}-${time.slice(8)}-7${this.hex(3)}-${variant}${this.hex(3)}-${this.hex(12)}`;
  }
}
