const MAXIMUM_LENGTH = 1_000;
const MAXIMUM_NESTING = 50;
/** Tried in this order for a character that only has to be of some class. */
const CHARACTERS = ['a', 'A', '0', '_', '-', ' ', '.', '/', '@', '#', '!', 'é', '漢', '\n'];

class UnsupportedPatternError extends Error {}

/**
 * A string that the regular expression matches, by walking it: the first alternative, the smallest repetition plus
 * `extra` where more is allowed. `null` for what it does not understand (back references, very long repetitions).
 */
export function samplePattern(pattern: string, extra: number): string | null {
  try {
    const walk = new Walk(pattern, extra);
    const sample = walk.alternatives(0);
    return walk.atEnd ? sample : null;
  } catch (error) {
    if (error instanceof UnsupportedPatternError) return null;
    throw error;
  }
}

/** Reads the pattern from left to right and returns, for every construct, a text that matches it. */
class Walk {
  readonly #characters: readonly string[];
  readonly #extra: number;
  #at = 0;

  constructor(pattern: string, extra: number) {
    this.#characters = [...pattern];
    this.#extra = extra;
  }

  get atEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  alternatives(nesting: number): string {
    if (nesting > MAXIMUM_NESTING) throw new UnsupportedPatternError();
    const first = this.#sequence(nesting);
    while (this.#take('|')) this.#sequence(nesting);
    return first;
  }

  #sequence(nesting: number): string {
    let text = '';
    while (!this.atEnd && this.#next() !== '|' && this.#next() !== ')') {
      const atom = this.#atom(nesting);
      const times = this.#repetitions();
      if (text.length + atom.length * times > MAXIMUM_LENGTH) throw new UnsupportedPatternError();
      text += atom.repeat(times);
    }
    return text;
  }

  #atom(nesting: number): string {
    const character = this.#read();
    switch (character) {
      case '^':
      case '$':
        return '';
      case '.':
        return 'a';
      case '(':
        return this.#group(nesting);
      case '[':
        return this.#characterClass();
      case '\\':
        return representative(this.#escape());
      default:
        return character;
    }
  }

  #group(nesting: number): string {
    let counts = true;
    if (this.#take('?') && !this.#take(':')) {
      const isName = this.#take('<') && this.#next() !== '=' && this.#next() !== '!';
      if (isName) while (this.#read() !== '>');
      else {
        // Looking ahead or behind adds no text; whether it holds is for the test that follows.
        this.#read();
        counts = false;
      }
    }
    const text = this.alternatives(nesting + 1);
    if (!this.#take(')')) throw new UnsupportedPatternError();
    return counts ? text : '';
  }

  #characterClass(): string {
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
    if (negated) return representative((character) => !isMember(character));
    const preferred = CHARACTERS.find(isMember);
    const literal = members.find((member) => typeof member === 'string');
    if (preferred === undefined && typeof literal !== 'string') throw new UnsupportedPatternError();
    return preferred ?? String(literal);
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
    const code = Number.parseInt(hex, 16);
    if (!(code <= 0x10ffff)) throw new UnsupportedPatternError();
    return String.fromCodePoint(code);
  }

  #repetitions(): number {
    const times = this.#quantifier();
    // A lazy quantifier matches the same texts.
    if (times !== null) this.#take('?');
    return times ?? 1;
  }

  #quantifier(): number | null {
    if (this.#take('*')) return this.#extra;
    if (this.#take('+')) return 1 + this.#extra;
    if (this.#take('?')) return Math.min(1, this.#extra);
    const [braces, low, comma, high] =
      /^\{(\d+)(,?)(\d*)\}/.exec(this.#characters.slice(this.#at, this.#at + 20).join('')) ?? [];
    if (braces === undefined) return null;
    this.#at += braces.length;
    const least = Number(low);
    if (comma === '') return least;
    return high === '' ? least + this.#extra : Math.min(Number(high), least + this.#extra);
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

/** One character, or the test for a class of them. */
type CharacterSet = string | ((character: string) => boolean);

const CLASSES: Readonly<Record<string, (character: string) => boolean>> = {
  d: (character) => /\d/.test(character),
  w: (character) => /\w/.test(character),
  s: (character) => /\s/.test(character),
};

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', '0': '\0' };

function contains(set: CharacterSet, character: string): boolean {
  return typeof set === 'string' ? set === character : set(character);
}

function representative(set: CharacterSet): string {
  if (typeof set === 'string') return set;
  const character = CHARACTERS.find(set);
  if (character === undefined) throw new UnsupportedPatternError();
  return character;
}
