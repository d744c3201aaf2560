const DIGIT_WEIGHT = 1.5;
const MIXED_WEIGHT = 2;
const LEAST_SWAP = 1;

/**
 * Computes Damerau–Levenshtein distances (optimal string alignment) within a bound, in three rows that are allocated once for all
 * comparisons. An inserted or deleted digit counts 1.5, so that another version is farther away than a typo. A digit that
 * replaces a letter, or is transposed with one, counts 2: `o4` is not `4o`.
 */
export class EditDistance {
  #beforeLast = new Float64Array(0);
  #last = new Float64Array(0);
  #current = new Float64Array(0);

  /** Returns the distance between two whole texts; infinite if it exceeds `bound`. */
  between(wanted: string, name: string, bound: number): number {
    if (Math.abs(wanted.length - name.length) > bound) return Number.POSITIVE_INFINITY;
    const distance = this.toBeginnings(wanted, name, bound)?.[name.length] ?? Number.POSITIVE_INFINITY;
    return distance > bound ? Number.POSITIVE_INFINITY : distance;
  }

  /**
   * Returns the distances from `wanted` to every prefix of `name`, indexed by the prefix's length and meaningful within `bound`
   * (an integer) of the diagonal; `null` if none is within `bound`. The next call overwrites the result.
   */
  toBeginnings(wanted: string, name: string, bound: number): Float64Array | null {
    const width = Math.min(name.length, wanted.length + bound);
    this.#makeRoom(width + 1);
    for (let column = 0; column <= Math.min(width, bound); column++) this.#last[column] = column;
    let nearestBefore = 0;
    for (let row = 1; row <= wanted.length; row++) {
      const nearest = this.#fillRow(wanted, name, row, bound, width);
      // A transposition in the next row continues from the row before this one.
      if (nearest > bound && (row === wanted.length || nearestBefore + LEAST_SWAP > bound)) return null;
      nearestBefore = nearest;
      const recycled = this.#beforeLast;
      this.#beforeLast = this.#last;
      this.#last = this.#current;
      this.#current = recycled;
    }
    return this.#last;
  }

  #makeRoom(length: number): void {
    if (this.#last.length >= length) return;
    const room = Math.max(64, 2 * length);
    this.#beforeLast = new Float64Array(room);
    this.#last = new Float64Array(room);
    this.#current = new Float64Array(room);
  }

  #fillRow(wanted: string, name: string, row: number, bound: number, width: number): number {
    const [beforeLast, last, current] = [this.#beforeLast, this.#last, this.#current];
    const from = Math.max(1, row - bound);
    const to = Math.min(width, row + bound);
    current[from - 1] = from === 1 ? row : Number.POSITIVE_INFINITY;
    let nearest = current[from - 1] ?? Number.POSITIVE_INFINITY;
    const letter = wanted.charCodeAt(row - 1);
    const dropWeight = weightOf(letter);
    for (let column = from; column <= to; column++) {
      const other = name.charCodeAt(column - 1);
      if (letter === other) {
        // Skipping past equal letters is always optimal.
        const distance = last[column - 1] ?? 0;
        current[column] = distance;
        if (distance < nearest) nearest = distance;
        continue;
      }
      // The cell above the band's right edge was not written in the previous row.
      const above = column - (row - 1) > bound ? Number.POSITIVE_INFINITY : (last[column] ?? 0);
      let distance = Math.min(
        above + dropWeight,
        (current[column - 1] ?? 0) + weightOf(other),
        (last[column - 1] ?? 0) + exchange(letter, other),
      );
      const isSwap = row > 1 && column > 1 && letter === name.charCodeAt(column - 2);
      if (isSwap && other === wanted.charCodeAt(row - 2)) {
        distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + swap(letter, other));
      }
      current[column] = distance;
      if (distance < nearest) nearest = distance;
    }
    return nearest;
  }
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function weightOf(code: number): number {
  return isDigit(code) ? DIGIT_WEIGHT : 1;
}

/** Returns the cost of replacing one letter by a different one. */
function exchange(letter: number, other: number): number {
  if (isDigit(letter) !== isDigit(other)) return looksLike(letter, other) ? 1 : MIXED_WEIGHT;
  return isDigit(letter) ? 2 * DIGIT_WEIGHT : 1;
}

const [ZERO, ONE, LETTER_O, LETTER_L, LETTER_I] = [48, 49, 111, 108, 105];

/** Returns whether a digit resembles a letter: `gpt-40` is a misreading of `gpt-4o`, and `01` of `o1`. */
function looksLike(one: number, two: number): boolean {
  const [digit, letter] = one < two ? [one, two] : [two, one];
  return (digit === ZERO && letter === LETTER_O) || (digit === ONE && (letter === LETTER_L || letter === LETTER_I));
}

function swap(letter: number, other: number): number {
  return isDigit(letter) === isDigit(other) ? LEAST_SWAP : MIXED_WEIGHT;
}
