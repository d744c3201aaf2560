/**
 * The dialect of a guard's patterns: literals, `.`, classes such as `[a-z]` and `\d`, groups, `|`, greedy quantifiers, and the assertions `^`,
 * `$` (the ends of the text) and `\b`. Back references and lookarounds are refused, since no matcher has them in linear time; so are lazy
 * quantifiers, whose result would not differ: a match is always the longest from its place on.
 */

/** UTF-16 code units as sorted ranges that do not touch; both ends are inclusive. */
export type Units = readonly (readonly [from: number, to: number])[];

export type PatternNode =
  | { readonly kind: 'units'; readonly units: Units }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  /** `most` is `null` for no bound. */
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly least: number; readonly most: number | null }
  | { readonly kind: 'assert'; readonly what: 'start' | 'end' | 'boundary' | 'no-boundary' };

export const LONGEST_PATTERN = 500;
const MOST_NESTED = 20;
const MOST_REPEATS = 500;

/** The sentence about what is wrong with a pattern; begins in lower case. */
export class PatternError extends Error {}

const LAST = 0xffff;
const DIGITS: Units = [[0x30, 0x39]];
const WORD: Units = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACES: Units = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const ANY: Units = [
  [0, 0x09],
  [0x0b, 0x0c],
  [0x0e, LAST],
];
const CLASSES: Readonly<Record<string, Units>> = {
  d: DIGITS,
  D: inverted(DIGITS),
  w: WORD,
  W: inverted(WORD),
  s: SPACES,
  S: inverted(SPACES),
};
const CONTROLS: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, f: 0x0c, v: 0x0b };
const ASSERTIONS = { b: 'boundary', B: 'no-boundary' } as const;

/** Parses a pattern. Throws `PatternError`. */
export function parsePattern(pattern: string, { ignoreCase }: { readonly ignoreCase: boolean }): PatternNode {
  if (pattern.length > LONGEST_PATTERN) throw new PatternError(`must have at most ${LONGEST_PATTERN} characters`);
  return new Parser(pattern, ignoreCase).parse();
}

export function normalized(ranges: Units): Units {
  const sorted = ranges.toSorted(([a], [b]) => a - b);
  const joined: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

function inverted(units: Units): Units {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [from, to] of normalized(units)) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST) rest.push([next, LAST]);
  return rest;
}

/** Adds the other case of every letter in the ranges. */
function inAnyCase(units: Units): Units {
  const more: [number, number][] = [];
  for (const [from, to] of units) {
    // Large ranges hold both cases, or are none of letters.
    if (to - from > 0x500) continue;
    for (let unit = from; unit <= to; unit++) {
      const text = String.fromCharCode(unit);
      for (const other of [text.toLowerCase(), text.toUpperCase()]) {
        if (other.length === 1 && other !== text) more.push([other.charCodeAt(0), other.charCodeAt(0)]);
      }
    }
  }
  return normalized([...units, ...more]);
}

class Parser {
  private at = 0;

  constructor(
    private readonly pattern: string,
    private readonly ignoreCase: boolean,
  ) {}

  parse(): PatternNode {
    const node = this.choice(0);
    if (this.at < this.pattern.length) throw new PatternError('has a ) without its (');
    return node;
  }

  private choice(nesting: number): PatternNode {
    if (nesting > MOST_NESTED) throw new PatternError(`must not nest groups deeper than ${MOST_NESTED}`);
    const options = [this.sequence(nesting)];
    while (this.take('|')) options.push(this.sequence(nesting));
    return options.length === 1 ? (options[0] as PatternNode) : { kind: 'choice', options };
  }

  private sequence(nesting: number): PatternNode {
    const items: PatternNode[] = [];
    while (this.at < this.pattern.length && this.peek() !== '|' && this.peek() !== ')') {
      items.push(this.repeated(this.atom(nesting)));
    }
    return { kind: 'sequence', items };
  }

  private repeated(item: PatternNode): PatternNode {
    const bounds = this.quantifier();
    if (bounds === null) return item;
    if (item.kind === 'assert') throw new PatternError('must not repeat ^, $ or \\b');
    if (this.peek() === '?' || this.peek() === '+') {
      throw new PatternError('must not have a lazy or possessive quantifier; leave out the second sign');
    }
    if (this.quantifier() !== null) throw new PatternError('has two quantifiers in a row; put the first into a group');
    return { kind: 'repeat', item, ...bounds };
  }

  private quantifier(): { readonly least: number; readonly most: number | null } | null {
    if (this.take('*')) return { least: 0, most: null };
    if (this.take('+')) return { least: 1, most: null };
    if (this.take('?')) return { least: 0, most: 1 };
    const counted = /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/.exec(this.pattern.slice(this.at, this.at + 12));
    if (counted === null) return null;
    const [whole, low = '', comma, high = ''] = counted;
    this.at += whole.length;
    const least = Number(low);
    const most = comma === undefined ? least : high === '' ? null : Number(high);
    if (most !== null && most < least) throw new PatternError(`has a range in the wrong order: ${whole}`);
    if (Math.max(least, most ?? 0) > MOST_REPEATS)
      throw new PatternError(`must not repeat more than ${MOST_REPEATS} times`);
    return { least, most };
  }

  private atom(nesting: number): PatternNode {
    const character = this.next();
    switch (character) {
      case '^':
        return { kind: 'assert', what: 'start' };
      case '$':
        return { kind: 'assert', what: 'end' };
      case '.':
        return { kind: 'units', units: ANY };
      case '(':
        return this.group(nesting);
      case '[':
        return { kind: 'units', units: this.cased(this.characterClass()) };
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
        throw new PatternError(`has a ${character} that repeats nothing; write \\${character} for the character`);
      default:
        return this.literal(character);
    }
  }

  private group(nesting: number): PatternNode {
    if (this.take('?')) {
      const named = /^<[A-Za-z_]\w{0,30}>/.exec(this.pattern.slice(this.at, this.at + 40));
      if (named !== null) this.at += named[0].length;
      else if (!this.take(':'))
        throw new PatternError('must not have lookarounds or flags: only (…), (?:…) and (?<name>…)');
    }
    const inner = this.choice(nesting + 1);
    if (!this.take(')')) throw new PatternError('has a ( without its )');
    return inner;
  }

  private escape(): PatternNode {
    const letter = this.peek();
    if (letter === 'b' || letter === 'B') {
      this.at++;
      return { kind: 'assert', what: ASSERTIONS[letter] };
    }
    const escaped = this.escaped();
    return typeof escaped === 'number' ? this.literal(String.fromCharCode(escaped)) : { kind: 'units', units: escaped };
  }

  /** Reads what follows a backslash: a class, or one code unit. */
  private escaped(): Units | number {
    const letter = this.next();
    const units = CLASSES[letter];
    if (units !== undefined) return units;
    const control = CONTROLS[letter];
    if (control !== undefined) return control;
    if (letter === 'x' || letter === 'u') {
      const digits = letter === 'x' ? 2 : 4;
      const hex = this.pattern.slice(this.at, this.at + digits);
      if (!/^[\dA-Fa-f]+$/.test(hex) || hex.length < digits)
        throw new PatternError(`must have ${digits} hex digits after \\${letter}`);
      this.at += digits;
      return Number.parseInt(hex, 16);
    }
    if (/[A-Za-z0-9]/.test(letter)) throw new PatternError(`must not have \\${letter}, which is not supported`);
    return letter.charCodeAt(0);
  }

  private characterClass(): Units {
    const isInverted = this.take('^');
    const ranges: (readonly [number, number])[] = [];
    for (let isFirst = true; isFirst || this.peek() !== ']'; isFirst = false) {
      if (this.at >= this.pattern.length) throw new PatternError('has a [ without its ]');
      const low = this.classMember();
      if (typeof low !== 'number') {
        ranges.push(...low);
        continue;
      }
      if (this.peek() !== '-' || this.pattern[this.at + 1] === ']' || this.at + 1 >= this.pattern.length) {
        ranges.push([low, low]);
        continue;
      }
      this.at++;
      const high = this.classMember();
      if (typeof high !== 'number' || high < low) throw new PatternError('has a range in the wrong order in [ ]');
      ranges.push([low, high]);
    }
    this.at++;
    const units = this.cased(normalized(ranges));
    return isInverted ? inverted(units) : units;
  }

  private classMember(): Units | number {
    const character = this.next();
    const unit = character.charCodeAt(0);
    if (unit >= 0xd800 && unit <= 0xdfff)
      throw new PatternError('must not have characters beyond U+FFFF in [ ]; use (a|b)');
    return character === '\\' ? this.escaped() : unit;
  }

  private literal(character: string): PatternNode {
    const unit = character.charCodeAt(0);
    return { kind: 'units', units: this.cased([[unit, unit]]) };
  }

  private cased(units: Units): Units {
    return this.ignoreCase ? inAnyCase(units) : units;
  }

  private peek(): string | undefined {
    return this.pattern[this.at];
  }

  private next(): string {
    const character = this.pattern[this.at++];
    if (character === undefined) throw new PatternError('ends with a \\');
    return character;
  }

  private take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.at++;
    return true;
  }
}
