import type { StoreHealth } from '../../engine/ports/store-health.ts';

/**
 * What checks have found and what charges have met, in one place: small writes can still succeed where the charges that wait
 * cannot be written, and the other way round.
 */
export class WriteHealth implements StoreHealth {
  readonly #probe: () => Promise<string | null>;
  #found: string | null = null;
  #charging: string | null = null;
  readonly #watched: (() => string | null)[] = [];

  /** @param probe gives what is wrong, or `null`; must not reject */
  constructor(probe: () => Promise<string | null>) {
    this.#probe = probe;
  }

  get problem(): string | null {
    if (this.#charging !== null) return this.#charging;
    for (const look of this.#watched) {
      const problem = look();
      if (problem !== null) return problem;
    }
    return this.#found;
  }

  /** What is looked at whenever the problem is asked for: it comes without anybody telling of it. */
  watch(look: () => string | null): void {
    this.#watched.push(look);
  }

  async check(): Promise<void> {
    this.#found = await this.#probe();
  }

  /** Charges wait: they could not be written, and will be tried again. */
  chargesFailed(problem: string): void {
    this.#charging = problem;
  }

  chargesWritten(): void {
    this.#charging = null;
  }

  /** No charge waits any more that would be tried again, so the next check decides. */
  chargesGivenUp(): void {
    this.#found ??= this.#charging;
    this.#charging = null;
  }
}
