import { contains, type Pattern, parsePattern } from './pattern-syntax.ts';

/** The remaining work; one step examines one character. */
export interface MatchWork {
  steps: number;
}

/** Longer texts are not tested, because the generator does not fit them to a pattern. */
const MAXIMUM_TEXT_LENGTH = 1_000;

class OutOfSteps extends Error {}

/**
 * Returns whether the pattern occurs in the text. Patterns come from clients, and JavaScript's engine would backtrack
 * exponentially. Here all paths are followed at once, as the set of places in the text at which a part of the pattern can end, so
 * the work is the length of the text times that of the pattern. `true` if the result is unknown: for unsupported patterns, for
 * long texts, and when no steps are left. Lookahead and lookbehind count as matching.
 */
export function testPattern(pattern: string, text: string, work: MatchWork): boolean {
  if (text.length > MAXIMUM_TEXT_LENGTH) return true;
  const tree = parsePattern(pattern);
  if (tree === null) return true;
  // Parsing a pattern takes about ten times as long as examining a character.
  work.steps -= 10 * pattern.length;
  const characters = [...text];
  const everywhere = new Set(characters.keys()).add(characters.length);
  try {
    return ends(tree, everywhere, { characters, work }).size > 0;
  } catch (error) {
    if (error instanceof OutOfSteps) return true;
    throw error;
  }
}

interface Test {
  readonly characters: readonly string[];
  readonly work: MatchWork;
}

type Places = ReadonlySet<number>;

/** Returns where the pattern may end if it begins at one of these places. */
function ends(pattern: Pattern, starts: Places, test: Test): Places {
  if (starts.size === 0) return starts;
  test.work.steps -= starts.size;
  if (test.work.steps <= 0) throw new OutOfSteps();
  const { characters } = test;
  switch (pattern.kind) {
    case 'characters':
      return new Set(
        [...starts]
          .filter((at) => at < characters.length && contains(pattern.set, characters[at] ?? ''))
          .map((at) => at + 1),
      );
    case 'sequence':
      return pattern.items.reduce((places, item) => ends(item, places, test), starts);
    case 'choice':
      return new Set(pattern.options.flatMap((option) => [...ends(option, starts, test)]));
    case 'repeat':
      return repeatedEnds(pattern, starts, test);
    case 'edge': {
      const edge = pattern.edge === 'start' ? 0 : characters.length;
      return starts.has(edge) ? new Set([edge]) : new Set();
    }
    case 'look':
      return starts;
  }
}

function repeatedEnds({ item, least, most }: Extract<Pattern, { kind: 'repeat' }>, starts: Places, test: Test): Places {
  let places = starts;
  for (let times = 0; times < least && places.size > 0; times += 1) places = ends(item, places, test);
  const all = new Set(places);
  // Only new places can lead to further new places.
  for (let times = least; times < most && places.size > 0; times += 1) {
    places = new Set([...ends(item, places, test)].filter((at) => !all.has(at)));
    for (const at of places) all.add(at);
  }
  return all;
}
