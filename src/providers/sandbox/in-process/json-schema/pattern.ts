/** A regular expression as a tree. Groups, named or not, are replaced by their content, because captures are not needed. */
type Pattern =
  /** One character. */
  | { readonly kind: 'character'; readonly matches: (character: string) => boolean; readonly example: string | null }
  | { readonly kind: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly [Pattern, ...Pattern[]] }
  | { readonly kind: 'repeat'; readonly item: Pattern; readonly least: number; readonly most: number }
  | { readonly kind: 'start' | 'end' }
  /** A lookaround or a word boundary: adds no text, and is not evaluated. */
  | { readonly kind: 'look' };

const MAXIMUM_NESTING = 50;
/** Longer patterns are not parsed; real ones have a few hundred characters. */
const MAXIMUM_PATTERN_LENGTH = 4_000;
/** Longer texts are neither tested nor made. */
const MAXIMUM_TEXT_LENGTH = 1_000;

// Tokens of a pattern.
const BAR = /\|/y;
const END_OF_GROUP = /\)/y;
/** Captures a lookaround, or flags, which are ignored. */
const GROUP = /\((?:\?(?::|<[^=!>][^>]*>|(<?[=!]|.)))?/sy;
const EDGE = /[$^]|\\[bB]/y;
const CHARACTER_SET =
  /\.|\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[\w=]+\}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[^1-9bBkpPux])/suy;
const CHARACTER = /[^()*+?[\\|]/suy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;
const TIMES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
};

/** Returns `null` for unsupported patterns (back references) and invalid ones. */
function parsePattern(pattern: string): Pattern | null {
  if (pattern.length > MAXIMUM_PATTERN_LENGTH) return null;
  let at = 0;
  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at;
    const found = token.exec(pattern);
    at += found?.[0].length ?? 0;
    return found;
  };

  const choice = (nesting: number): Pattern => {
    if (nesting > MAXIMUM_NESTING) throw new SyntaxError('too deeply nested');
    const options: [Pattern, ...Pattern[]] = [sequence(nesting)];
    while (take(BAR)) options.push(sequence(nesting));
    return options.length === 1 ? options[0] : { kind: 'choice', options };
  };
  const sequence = (nesting: number): Pattern => {
    const items: Pattern[] = [];
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') items.push(repeated(atom(nesting)));
    return { kind: 'sequence', items };
  };
  const atom = (nesting: number): Pattern => {
    const [edge] = take(EDGE) ?? [];
    if (edge !== undefined) return { kind: edge === '^' ? 'start' : edge === '$' ? 'end' : 'look' };
    const group = take(GROUP);
    if (group !== null) {
      const inner = choice(nesting + 1);
      if (!take(END_OF_GROUP)) throw new SyntaxError('a group is not closed');
      return group[1] === undefined ? inner : { kind: 'look' };
    }
    const [set] = take(CHARACTER_SET) ?? [];
    if (set !== undefined) return characterOf(set);
    const [character] = take(CHARACTER) ?? [];
    if (character === undefined) throw new SyntaxError(`unsupported at ${at}`);
    return { kind: 'character', matches: (other) => other === character, example: character };
  };
  const repeated = (item: Pattern): Pattern => {
    const [found, sign, low, comma, high] = take(QUANTIFIER) ?? [];
    if (found === undefined) return item;
    const most = high ? Number(high) : comma ? Number.POSITIVE_INFINITY : Number(low);
    const [least, limit] = TIMES[sign ?? ''] ?? [Number(low), most];
    return { kind: 'repeat', item, least, most: limit };
  };

  try {
    const tree = choice(0);
    return at === pattern.length ? tree : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Example characters for a set, tried in this order. */
const EXAMPLES = [...'aA0_- ./@#!é漢\n\r\t\f\v\0'];
const SPELLED = /\\u\{([\da-f]{1,6})\}|\\u([\da-f]{4})|\\x([\da-f]{2})|./gisu;

/** Returns a class or an escape as a set, which the JavaScript engine evaluates; throws `SyntaxError` if it is invalid. */
function characterOf(source: string): Pattern {
  const expression = expressionOf(source);
  const matches = (character: string): boolean => expression.test(character);
  const spelled = () =>
    [...source.replace(/^\[/, '').matchAll(SPELLED)].map(([text, ...codes]) => {
      const code = Number.parseInt(codes.find((one) => one !== undefined) ?? '', 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : text;
    });
  return { kind: 'character', matches, example: EXAMPLES.find(matches) ?? spelled().find(matches) ?? null };
}

function expressionOf(source: string): RegExp {
  try {
    return new RegExp(`^${source}$`, 'u');
  } catch (error) {
    // Without the flag, escapes such as `\-` and `\_` are valid, but these have another meaning.
    if (/\\(?:[pP]|u\{)/.test(source)) throw error;
    return new RegExp(`^${source}$`);
  }
}

/** The remaining work; one step examines one character. */
export interface MatchWork {
  steps: number;
}

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
  const found = ends(tree, everywhere, { characters, work }).size > 0;
  return found || work.steps <= 0;
}

interface Test {
  readonly characters: readonly string[];
  readonly work: MatchWork;
}

type Places = ReadonlySet<number>;

/** Returns where the pattern may end if it begins at one of these places; nowhere once no steps are left. */
function ends(pattern: Pattern, starts: Places, test: Test): Places {
  const { characters, work } = test;
  work.steps -= starts.size;
  if (starts.size === 0 || work.steps <= 0) return new Set();
  switch (pattern.kind) {
    case 'character': {
      const matching = [...starts].filter((at) => at < characters.length && pattern.matches(characters[at] ?? ''));
      return new Set(matching.map((at) => at + 1));
    }
    case 'sequence':
      return pattern.items.reduce((places, item) => ends(item, places, test), starts);
    case 'choice':
      return new Set(pattern.options.flatMap((option) => [...ends(option, starts, test)]));
    case 'repeat':
      return repeatedEnds(pattern, starts, test);
    case 'start':
    case 'end': {
      const edge = pattern.kind === 'start' ? 0 : characters.length;
      return new Set(starts.has(edge) ? [edge] : []);
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
    places = ends(item, places, test).difference(all);
    for (const at of places) all.add(at);
  }
  return all;
}

/**
 * Returns a string that the regular expression matches: the first alternative, and the smallest repetition plus `extra` where
 * allowed. `null` for unsupported syntax (back references) and for very long repetitions.
 */
export function samplePattern(pattern: string, extra: number): string | null {
  const tree = parsePattern(pattern);
  return tree === null ? null : sample(tree, extra);
}

function sample(pattern: Pattern, extra: number): string | null {
  switch (pattern.kind) {
    case 'character':
      return pattern.example;
    case 'sequence': {
      let text = '';
      for (const item of pattern.items) {
        const part = sample(item, extra);
        if (part === null || text.length + part.length > MAXIMUM_TEXT_LENGTH) return null;
        text += part;
      }
      return text;
    }
    case 'choice':
      return sample(pattern.options[0], extra);
    case 'repeat': {
      const times = Math.min(pattern.most, pattern.least + extra);
      if (times === 0) return '';
      const once = sample(pattern.item, extra);
      return once === null || once.length * times > MAXIMUM_TEXT_LENGTH ? null : once.repeat(times);
    }
    default:
      return '';
  }
}
