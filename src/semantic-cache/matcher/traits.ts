import { larger, neighboursOf, smaller, stemsOf } from './likeness.ts';
import type { Question } from './question.ts';
import type { Token } from './tokens.ts';
import { FUNCTION_WORDS } from './words.ts';

/** Traits of single words and their neighbours. Each family has its own weight in the score. */
export interface Traits {
  /** Traits of words that both texts contain. */
  readonly shared: readonly string[];
  /** Traits of words in only one text, with their surroundings and possible replacements. */
  readonly different: readonly string[];
  /** Traits of how both begin, and how much differs. */
  readonly frame: readonly string[];
}

export const TRAIT_FAMILIES = ['shared', 'different', 'frame'] as const satisfies readonly (keyof Traits)[];

/** More pairs of replaced words carry no information. */
const MOST_REPLACEMENTS = 36;

export function traitsOf(one: Question, other: Question): Traits {
  const shared: string[] = [];
  const different: string[] = [];
  for (const stem of one.stems) (other.stems.has(stem) ? shared : different).push(`=${stem}`);
  for (const stem of other.stems) if (!one.stems.has(stem)) different.push(`=${stem}`);
  const [oneStems, otherStems] = [stemsOf(one), stemsOf(other)];
  const [left, right] = [neighboursOf(oneStems), neighboursOf(otherStems)];
  for (const pair of left) (right.has(pair) ? shared : different).push(pair);
  for (const pair of right) if (!left.has(pair)) different.push(pair);
  const lost = [...one.stems].filter((stem) => !other.stems.has(stem));
  const found = [...other.stems].filter((stem) => !one.stems.has(stem));
  if (lost.length * found.length <= MOST_REPLACEMENTS)
    for (const stem of lost)
      for (const another of found) different.push(`/${smaller(stem, another)} ${larger(stem, another)}`);
  different.push(...settingsOf(one, other), ...settingsOf(other, one));
  const [oneStart, otherStart] = [oneStems.slice(0, 3).join(' '), otherStems.slice(0, 3).join(' ')];
  const many = Math.min(4, [...lost, ...found].filter((stem) => !FUNCTION_WORDS.has(stem)).length);
  const isAddition = lost.length === 0 || found.length === 0;
  return {
    shared,
    different,
    frame: [`${smaller(oneStart, otherStart)}/${larger(oneStart, otherStart)}`, `${isAddition ? '+' : '-'}${many}`],
  };
}

/** Returns the neighbours and endings of the words that the other text lacks. */
function settingsOf({ tokens }: Question, other: Question): readonly string[] {
  return tokens.flatMap(({ word, stem, isContent }, at) => {
    if (!isContent || other.stems.has(stem)) return [];
    const left = besideOf(tokens[at - 1], other);
    const right = besideOf(tokens[at + 1], other);
    return [`<${left}`, `>${right}`, `<${left} ${right}`, `~${word.slice(-3)}`];
  });
}

function besideOf(token: Token | undefined, other: Question): string {
  if (token === undefined) return '|';
  if (!token.isContent) return token.word;
  return other.stems.has(token.stem) ? '*' : '~';
}
