/** How often words and their combinations occur in questions that people ask. */
export interface Commonness {
  /** Returns the logarithm of the number of texts per text with this stem. */
  rarityOf(stem: string): number;
  /** Returns the logarithm of one more than the number of texts with this key of a `Topics`. */
  logTimesOf(key: string): number;
}

/** The smallest counts that are recorded. */
export const LEAST_TIMES = { word: 2, combination: 3 } as const;
/** The number of table codes per doubling of a count. */
const CODES_PER_DOUBLING = 16;

/** Computes the 32-bit FNV-1a hash of UTF-16 code units. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function isCombination(key: string): boolean {
  return key.includes(' ');
}

/** Stores counts in two tables without keys: keys with the same hash share a count. */
export class CommonnessTable implements Commonness {
  /** The tables' sizes are powers of two. */
  constructor(
    private readonly texts: number,
    private readonly words: Uint8Array,
    private readonly combinations: Uint8Array,
  ) {}

  rarityOf(stem: string): number {
    return Math.log(this.texts) - this.logTimesOf(stem);
  }

  logTimesOf(key: string): number {
    const table = isCombination(key) ? this.combinations : this.words;
    return ((table[hashOf(key) & (table.length - 1)] ?? 0) / CODES_PER_DOUBLING) * Math.LN2;
  }
}

/** Returns the table's code for a count; the highest stands for 60,000. */
export function codeOf(times: number): number {
  return Math.min(255, Math.round(Math.log2(1 + times) * CODES_PER_DOUBLING));
}
