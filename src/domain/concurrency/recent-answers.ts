interface Kept {
  readonly startedMs: number;
  readonly text: Promise<string>;
  /** The length of the text, once it is there. */
  characters: number;
}

export interface RecentAnswersBounds {
  /** How long an answer is kept at most. */
  readonly longestMs: number;
  readonly mostKept: number;
  /** The limit for all kept answers together. */
  readonly mostCharacters: number;
}

/** Shares texts that are expensive to make among callers who accept one of the last seconds, also while one is being made. */
export class RecentAnswers {
  /** Ordered from the oldest. */
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly bounds: RecentAnswersBounds) {}

  /**
   * Resolves to a text that is at most `mostMs` old, or makes one. One whose making fails is not kept; neither is a refusal to make one,
   * which is returned.
   *
   * @param key what the text depends on
   */
  async get<Refusal = never>(
    key: string,
    nowMs: number,
    mostMs: number,
    make: () => Promise<string> | Refusal,
  ): Promise<string | Refusal> {
    const found = this.#kept.get(key);
    if (found !== undefined && isFresh(found, nowMs, mostMs)) return found.text;
    const making = make();
    if (!(making instanceof Promise)) return making;
    const made: Kept = { startedMs: nowMs, text: making, characters: 0 };
    this.#kept.delete(key);
    this.#makeRoom(nowMs);
    this.#kept.set(key, made);
    try {
      const text = await made.text;
      made.characters = text.length;
      this.#forgetOldest();
      return text;
    } catch (error) {
      if (this.#kept.get(key) === made) this.#kept.delete(key);
      throw error;
    }
  }

  #makeRoom(nowMs: number): void {
    const { longestMs, mostKept } = this.bounds;
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size < mostKept && isFresh(kept, nowMs, longestMs)) return;
      this.#kept.delete(oldest);
    }
  }

  /** Evicts the oldest answers until the rest fits. */
  #forgetOldest(): void {
    let characters = 0;
    for (const one of this.#kept.values()) characters += one.characters;
    for (const [oldest, one] of this.#kept) {
      if (characters <= this.bounds.mostCharacters) return;
      characters -= one.characters;
      this.#kept.delete(oldest);
    }
  }
}

/** Returns whether an answer is recent enough; one from the future, after the clock was set back, is not. */
function isFresh({ startedMs }: Pick<Kept, 'startedMs'>, nowMs: number, mostMs: number): boolean {
  return nowMs >= startedMs && nowMs - startedMs <= mostMs;
}
