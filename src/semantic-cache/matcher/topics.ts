import type { Token } from './tokens.ts';

/** The topics of a text, as keys for counting. */
export interface Topics {
  readonly words: readonly string[];
  /** Pairs of consecutive content words. */
  readonly neighbours: readonly string[];
  /** Pairs of any two words. */
  readonly pairs: readonly string[];
}

/** With more words no pairs are made, since their number grows quadratically. */
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
