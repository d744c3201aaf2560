/** How often words and their combinations occur in questions that people ask. */
export interface Commonness {
  /** The logarithm of how many texts there are for each that has this stem. */
  rarityOf(stem: string): number;
  /** The logarithm of one more than the number of texts that have this key of a `Topics`. */
  logTimesOf(key: string): number;
}

/** What is rarer in the texts that were counted is not known. */
export const LEAST_TIMES = { word: 2, combination: 3 } as const;
/** Codes in a table are so many to a doubling. */
const CODES_PER_DOUBLING = 16;

/** FNV-1a, 32 bits, of UTF-16 code units. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function isCombination(key: string): boolean {
  return key.includes(' ');
}

/** Counts in two tables without their keys: another key with the same hash counts as the same. */
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

/** How a table has a count; the highest is 60,000. */
export function codeOf(times: number): number {
  return Math.min(255, Math.round(Math.log2(1 + times) * CODES_PER_DOUBLING));
}
