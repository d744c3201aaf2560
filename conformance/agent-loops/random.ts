import { createHash } from 'node:crypto';

/** Generates text that looks like a provider's own, the same for the same seed in every run. */
export class Random {
  private count = 0;

  constructor(private readonly seed: string) {}

  /** Returns standard base64 of varying length, so that the padding varies too. */
  base64(bytes: number): string {
    return this.take(bytes).toString('base64');
  }

  /** Returns letters and digits, as in ids. */
  letters(length: number): string {
    return this.take(length * 2)
      .toString('base64')
      .replace(/[+/=]/g, '')
      .padEnd(length, 'x')
      .slice(0, length);
  }

  hex(length: number): string {
    return this.take(length).toString('hex').slice(0, length);
  }

  private take(bytes: number): Buffer {
    const blocks: Buffer[] = [];
    for (let size = 0; size < bytes; size += 32) {
      blocks.push(
        createHash('sha256')
          .update(`${this.seed}/${this.count++}`)
          .digest(),
      );
    }
    return Buffer.concat(blocks).subarray(0, bytes);
  }
}
