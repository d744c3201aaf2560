import type { Token } from './tokens.ts';

/** What a text is about, as keys to count by. */
export interface Topics {
  readonly words: readonly string[];
  /** Two words that follow each other but for grammar. */
  readonly neighbours: readonly string[];
  /** Any two words. */
  readonly pairs: readonly string[];
}

/** Of more words the pairs are not made: their number grows with the square. */
const MOST_PAIRED_WORDS = 13;

export function topicsOf(tokens: readonly Token[]): Topics {
  const stems = tokens.flatMap(({ stem, isContent }) => (isContent ? [stem] : []));
  const words = [...new Set(stems)];
  const neighbours = stems.slice(1).map((stem, at) => `${stems[at]} ${stem}`);
  return { words, neighbours: [...new Set(neighbours)], pairs: pairsOf(words) };
}

function pairsOf(words: readonly string[]): readonly string[] {
  if (words.length > MOST_PAIRED_WORDS) return [];
  const sorted = words.toSorted();
  return sorted.flatMap((first, at) => sorted.slice(at + 1).map((second) => `&${first} ${second}`));
}
