import type { StoreHealth } from '../../engine/ports/store.ts';

/** Combines the results of checks and of charges: small writes may succeed while queued charges fail, and vice versa. */
export class WriteHealth implements StoreHealth {
  readonly #probe: () => Promise<string | null>;
  #found: string | null = null;
  #charging: string | null = null;
  readonly #watched: (() => string | null)[] = [];

  /** @param probe resolves to the problem, or `null`; must not reject */
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

  /** Adds a source that is polled whenever the problem is read. */
  watch(look: () => string | null): void {
    this.#watched.push(look);
  }

  async check(): Promise<void> {
    this.#found = await this.#probe();
  }

  /** Records that queued charges could not be written and will be retried. */
  chargesFailed(problem: string): void {
    this.#charging = problem;
  }

  chargesWritten(): void {
    this.#charging = null;
  }

  /** Records that no charge is being retried any more, so that the next check decides. */
  chargesGivenUp(): void {
    this.#found ??= this.#charging;
    this.#charging = null;
  }
}
