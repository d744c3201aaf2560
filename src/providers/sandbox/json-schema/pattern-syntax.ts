/** One character, or a test for a class of characters. */
export type CharacterSet = string | ((character: string) => boolean);

/** A regular expression as a tree. Groups, named or not, are replaced by their content, because captures are not needed. */
export type Pattern =
  | CharacterPattern
  | { readonly kind: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly item: Pattern; readonly least: number; readonly most: number }
  | { readonly kind: 'edge'; readonly edge: 'start' | 'end' }
  /** A lookaround or a word boundary: adds no text, and is not evaluated. */
  | { readonly kind: 'look' };

interface CharacterPattern {
  readonly kind: 'characters';
  readonly set: CharacterSet;
  /** An example character; `null` if none of the common ones is in the set. */
  readonly shown: string | null;
}

const MAXIMUM_NESTING = 50;
/** Longer patterns are not parsed; real ones have a few hundred characters. */
const MAXIMUM_PATTERN_LENGTH = 4_000;
/** Example characters for a class, tried in this order. */
const CHARACTERS = ['a', 'A', '0', '_', '-', ' ', '.', '/', '@', '#', '!', 'é', '漢', '\n'];

class UnsupportedPatternError extends Error {}

/** Returns `null` for unsupported patterns (back references) and invalid ones. */
export function parsePattern(pattern: string): Pattern | null {
  if (pattern.length > MAXIMUM_PATTERN_LENGTH) return null;
  try {
    const reader = new Reader(pattern);
    const tree = reader.choice(0);
    return reader.atEnd ? tree : null;
  } catch (error) {
    if (error instanceof UnsupportedPatternError) return null;
    throw error;
  }
}

export function contains(set: CharacterSet, character: string): boolean {
  return typeof set === 'string' ? set === character : set(character);
}

function characters(set: CharacterSet): CharacterPattern {
  return { kind: 'characters', set, shown: typeof set === 'string' ? set : (CHARACTERS.find(set) ?? null) };
}

const DIGIT = /\d/;
const WORD = /\w/;
const SPACE = /\s/;
const CLASSES: Readonly<Record<string, (character: string) => boolean>> = {
  d: (character) => DIGIT.test(character),
  w: (character) => WORD.test(character),
  s: (character) => SPACE.test(character),
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', '0': '\0' };
const LINE_ENDS = ['\n', '\r', '\u2028', '\u2029'];
const LOOK: Pattern = { kind: 'look' };

/** Reads the pattern once, from left to right. */
class Reader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
  }

  get atEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  choice(nesting: number): Pattern {
    if (nesting > MAXIMUM_NESTING) throw new UnsupportedPatternError();
    const options = [this.#sequence(nesting)];
    while (this.#take('|')) options.push(this.#sequence(nesting));
    const [only] = options;
    return only !== undefined && options.length === 1 ? only : { kind: 'choice', options };
  }

  #sequence(nesting: number): Pattern {
    const items: Pattern[] = [];
    while (!this.atEnd && this.#next() !== '|' && this.#next() !== ')') {
      items.push(this.#repeated(this.#atom(nesting)));
    }
    return { kind: 'sequence', items };
  }

  #atom(nesting: number): Pattern {
    const character = this.#read();
    switch (character) {
      case '^':
        return { kind: 'edge', edge: 'start' };
      case '$':
        return { kind: 'edge', edge: 'end' };
      case '.':
        return characters((other) => !LINE_ENDS.includes(other));
      case '(':
        return this.#group(nesting);
      case '[':
        return this.#characterClass();
      case '\\':
        return /[bB]/.test(this.#next() ?? '') ? this.#border() : characters(this.#escape());
      case '*':
      case '+':
      case '?':
        throw new UnsupportedPatternError();
      default:
        return characters(character);
    }
  }

  #border(): Pattern {
    this.#read();
    return LOOK;
  }

  #group(nesting: number): Pattern {
    let counts = true;
    if (this.#take('?') && !this.#take(':')) {
      const isName = this.#take('<') && this.#next() !== '=' && this.#next() !== '!';
      if (isName) while (this.#read() !== '>');
      else {
        this.#read();
        counts = false;
      }
    }
    const inner = this.choice(nesting + 1);
    if (!this.#take(')')) throw new UnsupportedPatternError();
    return counts ? inner : LOOK;
  }

  #characterClass(): CharacterPattern {
    const negated = this.#take('^');
    const members: CharacterSet[] = [];
    while (!this.#take(']')) {
      const low = this.#classMember();
      if (typeof low === 'string' && this.#next() === '-' && this.#characters[this.#at + 1] !== ']') {
        this.#read();
        const high = this.#classMember();
        if (typeof high !== 'string') throw new UnsupportedPatternError();
        members.push((character) => character >= low && character <= high, low);
      } else members.push(low);
    }
    const isMember = (character: string): boolean => members.some((member) => contains(member, character));
    if (negated) return characters((character) => !isMember(character));
    const own = members.find((member) => typeof member === 'string');
    const found = characters(isMember);
    return found.shown === null && own !== undefined ? { ...found, shown: own } : found;
  }

  #classMember(): CharacterSet {
    const character = this.#read();
    return character === '\\' ? this.#escape() : character;
  }

  #escape(): CharacterSet {
    const character = this.#read();
    const named = CLASSES[character.toLowerCase()];
    if (named !== undefined) return character === character.toLowerCase() ? named : (other) => !named(other);
    if (character === 'p' || character === 'P') return this.#property(character === 'P');
    if (character === 'u' || character === 'x') return this.#codePoint(character === 'u' ? 4 : 2);
    if (character in CONTROLS) return CONTROLS[character] ?? character;
    if (/[bB1-9k]/.test(character)) throw new UnsupportedPatternError();
    return character;
  }

  #property(negated: boolean): CharacterSet {
    let name = '';
    if (!this.#take('{')) throw new UnsupportedPatternError();
    for (let character = this.#read(); character !== '}'; character = this.#read()) name += character;
    // The name becomes part of a generated expression.
    if (!/^[\w=]{1,60}$/.test(name)) throw new UnsupportedPatternError();
    try {
      const test = new RegExp(`^\\${negated ? 'P' : 'p'}{${name}}$`, 'u');
      return (character) => test.test(character);
    } catch {
      throw new UnsupportedPatternError();
    }
  }

  #codePoint(digits: number): string {
    const braced = this.#take('{');
    let hex = '';
    while (braced ? !this.#take('}') : hex.length < digits) hex += this.#read();
    const code = /^[0-9a-f]+$/i.test(hex) ? Number.parseInt(hex, 16) : Number.NaN;
    if (!(code <= 0x10ffff)) throw new UnsupportedPatternError();
    return String.fromCodePoint(code);
  }

  #repeated(item: Pattern): Pattern {
    const times = this.#quantifier();
    if (times === null) return item;
    // A lazy quantifier matches the same texts.
    this.#take('?');
    return { kind: 'repeat', item, least: times[0], most: times[1] };
  }

  #quantifier(): readonly [number, number] | null {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    const [braces, low, comma, high] =
      /^\{(\d+)(,?)(\d*)\}/.exec(this.#characters.slice(this.#at, this.#at + 20).join('')) ?? [];
    if (braces === undefined) return null;
    this.#at += braces.length;
    const least = Number(low);
    if (comma === '') return [least, least];
    return [least, high === '' ? Number.POSITIVE_INFINITY : Number(high)];
  }

  #next(): string | undefined {
    return this.#characters[this.#at];
  }

  #take(character: string): boolean {
    if (this.#next() !== character) return false;
    this.#at += 1;
    return true;
  }

  #read(): string {
    const character = this.#next();
    if (character === undefined) throw new UnsupportedPatternError();
    this.#at += 1;
    return character;
  }
}
