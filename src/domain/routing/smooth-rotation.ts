interface Turn {
  /** How many requests it is behind its share; negative if it is ahead. */
  credit: number;
  seenAtCall: number;
}

/** How many calls pass between sweeps for keys that are no longer candidates. */
const SWEEP_CALLS = 1_024;

/**
 * Smooth weighted round robin, as in nginx: with each call every candidate gains its share of the weights, and the one with the
 * most credit is chosen and pays one. 5:3:2 thus gives A B C A A B A C B A instead of runs. Credit is counted in requests, not in
 * weights, so that a change of weights leaves no debt. An absent candidate neither gains nor pays.
 */
export class SmoothRotation {
  readonly #random: () => number;
  readonly #turns = new Map<string, Turn>();
  #calls = 0;

  /**
   * `random` (numbers in [0, 1)) determines where each key begins, so that the nodes of a cluster do not choose the same
   * candidates at the same time.
   */
  constructor(random: () => number) {
    this.#random = random;
  }

  /**
   * Returns a rotation in the same state, to see the next choice among these keys without making it. Draws where new keys begin, so that
   * the choice is the one that will be made.
   */
  copy(keys: Iterable<string>): SmoothRotation {
    const copy = new SmoothRotation(this.#random);
    for (const key of keys) this.#turnOf(key);
    for (const [key, turn] of this.#turns) copy.#turns.set(key, { ...turn });
    return copy;
  }

  /**
   * Chooses a candidate; there must be at least one. Those of weight 0 are chosen only if there are no others, and then evenly.
   */
  choose<T>(candidates: readonly T[], keyOf: (candidate: T) => string, weightOf: (candidate: T) => number): T {
    const [first, second] = candidates;
    if (first === undefined) throw new RangeError('A rotation needs a candidate.');
    if (second === undefined) return first;
    if (++this.#calls % SWEEP_CALLS === 0) this.#forgetUnseen();
    let total = 0;
    for (const candidate of candidates) total += weightOf(candidate);
    let best: T = first;
    let bestTurn: Turn | null = null;
    for (const candidate of candidates) {
      const weight = weightOf(candidate);
      if (weight === 0 && total > 0) continue;
      const turn = this.#turnOf(keyOf(candidate));
      turn.credit += total > 0 ? weight / total : 1 / candidates.length;
      if (bestTurn === null || turn.credit > bestTurn.credit) {
        best = candidate;
        bestTurn = turn;
      }
    }
    if (bestTurn !== null) bestTurn.credit--;
    return best;
  }

  #turnOf(key: string): Turn {
    let turn = this.#turns.get(key);
    if (turn === undefined) {
      turn = { credit: this.#random() - 0.5, seenAtCall: 0 };
      this.#turns.set(key, turn);
    }
    turn.seenAtCall = this.#calls;
    return turn;
  }

  #forgetUnseen(): void {
    for (const [key, { seenAtCall }] of this.#turns) {
      if (seenAtCall <= this.#calls - SWEEP_CALLS) this.#turns.delete(key);
    }
  }
}
