/** Longer names are compared by their beginning: nobody mistypes a model id of this length. */
const COMPARED_CHARACTERS = 256;

const FAMILY_PENALTY = 3;
const SAME_WORDS_PENALTY = 2;
const OTHER_RELEASE_PENALTY = 0.5;
const VENDOR_BONUS = 0.25;
const DIGIT_WEIGHT = 1.5;

/** A model id as people mean it: without case and separators, split where letters and digits meet. */
interface Name {
  readonly vendor: string;
  readonly compact: string;
  /** `gpt-4o-mini` and `GPT4o_mini` are both gpt, 4, o, mini. */
  readonly tokens: readonly string[];
}

/**
 * The model ids that were probably meant by one that does not exist, best first; empty where nothing is near enough to be
 * a help. Takes about a millisecond for 2,000 ids.
 */
export function suggestModels(wanted: string, ids: readonly string[], limit = 3): string[] {
  const spellings = spellingsOf(wanted);
  const scratch = new Scratch();
  const near: { id: string; score: number }[] = [];
  for (const id of ids) {
    if (id === wanted) continue;
    const name = nameOf(id);
    let score = Number.POSITIVE_INFINITY;
    for (const { spelling, penalty } of spellings) score = Math.min(score, penalty + scoreOf(spelling, name, scratch));
    if (score < Number.POSITIVE_INFINITY) near.push({ id, score });
  }
  near.sort((a, b) => a.score - b.score || a.id.length - b.id.length);
  return near.slice(0, limit).map(({ id }) => id);
}

/** As written, and without the release at its end: one dated release of a model is near every other. */
function spellingsOf(wanted: string): { spelling: Name; penalty: number }[] {
  const whole = nameOf(wanted);
  const undated = wanted.slice(0, COMPARED_CHARACTERS).replace(/[-@:_](?:\d{8}|\d{4}-\d\d-\d\d|\d{4}|latest)$/i, '');
  const spellings = [{ spelling: whole, penalty: 0 }];
  if (undated.length < wanted.length && wanted.length <= COMPARED_CHARACTERS) {
    spellings.push({ spelling: nameOf(undated), penalty: OTHER_RELEASE_PENALTY });
  }
  return spellings.filter(({ spelling }) => spelling.compact.length >= 2);
}

/** Lower is nearer; infinite where it would be no help. */
function scoreOf(wanted: Name, name: Name, scratch: Scratch): number {
  let score = spellingScore(wanted.compact, name.compact, scratch);
  if (score === Number.POSITIVE_INFINITY) score = wordScore(wanted.tokens, name.tokens);
  return wanted.vendor !== '' && wanted.vendor === name.vendor ? score - VENDOR_BONUS : score;
}

/** How many slips a name of this length may have and still be recognised. */
function slipsIn(length: number): number {
  if (length < 3) return 0;
  if (length < 8) return 1;
  if (length < 12) return 2;
  return Math.min(8, Math.floor(length / 4));
}

/** For a name that breaks off (`claude-3.5-sonet`, without the date), fewer: much begins like `text`. */
function slipsInBeginning(length: number): number {
  return length < 8 ? 0 : Math.min(8, Math.floor(length / 6));
}

function spellingScore(wanted: string, name: string, scratch: Scratch): number {
  const slips = slipsIn(wanted.length);
  if (name.length < wanted.length - slips) return Number.POSITIVE_INFINITY;
  const lastRow = scratch.distances(wanted, name, slips);
  if (lastRow === null) return Number.POSITIVE_INFINITY;
  const allowedInBeginning = slipsInBeginning(wanted.length);
  let best = Number.POSITIVE_INFINITY;
  for (let end = Math.max(0, wanted.length - slips); end <= Math.min(name.length, wanted.length + slips); end++) {
    const distance = lastRow[end] ?? Number.POSITIVE_INFINITY;
    const left = name.length - end;
    if (distance > (left === 0 ? slips : allowedInBeginning)) continue;
    best = Math.min(best, distance + Math.min(1.5, left * 0.05));
  }
  return best;
}

/** Names of the same words in another order or with more words, and names of the same family. */
function wordScore(wanted: readonly string[], name: readonly string[]): number {
  const isTelling = wanted.some((token) => token.length >= 4 && !isDigit(token.charCodeAt(0)));
  if (isTelling && hasAll(name, wanted)) return SAME_WORDS_PENALTY + 0.1 * (name.length - wanted.length);
  let shared = 0;
  while (shared < wanted.length && wanted[shared] === name[shared]) shared++;
  if (shared < 2 || shared * 2 < wanted.length) return Number.POSITIVE_INFINITY;
  return FAMILY_PENALTY + (wanted.length - shared) + 0.1 * (name.length - shared);
}

function hasAll(name: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length > name.length) return false;
  const left = [...name];
  for (const token of wanted) {
    const at = left.indexOf(token);
    if (at === -1) return false;
    left.splice(at, 1);
  }
  return true;
}

function nameOf(id: string): Name {
  const lower = id.slice(0, COMPARED_CHARACTERS).toLowerCase();
  const slash = lower.lastIndexOf('/');
  const tokens: string[] = [];
  let start = slash + 1;
  for (let at = start; at <= lower.length; at++) {
    const kind = kindAt(lower, at);
    if (at > start && kind !== kindAt(lower, start)) {
      if (kindAt(lower, start) !== 'separator') tokens.push(lower.slice(start, at));
      start = at;
    }
  }
  return { vendor: slash === -1 ? '' : lower.slice(0, slash), compact: tokens.join(''), tokens };
}

type Kind = 'letter' | 'digit' | 'separator' | 'end';

function kindAt(text: string, at: number): Kind {
  if (at >= text.length) return 'end';
  const code = text.charCodeAt(at);
  if (isDigit(code)) return 'digit';
  // Any script's letters count: everything that is no ASCII punctuation.
  return (code >= 97 && code <= 122) || code > 127 ? 'letter' : 'separator';
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The three rows that the distance needs, made once for all ids. */
class Scratch {
  #beforeLast = new Float64Array(COMPARED_CHARACTERS + 16);
  #last = new Float64Array(COMPARED_CHARACTERS + 16);
  #current = new Float64Array(COMPARED_CHARACTERS + 16);

  /**
   * Damerau–Levenshtein distances (optimal string alignment) from `wanted` to every beginning of `name`, indexed by that
   * beginning's length and meaningful within `bound` of the diagonal; `null` where none is within `bound`. A digit
   * more or less counts one and a half, so that another version is further away than a slip.
   */
  distances(wanted: string, name: string, bound: number): Float64Array | null {
    const width = Math.min(name.length, wanted.length + bound);
    for (let column = 0; column <= width; column++) this.#last[column] = column;
    for (let row = 1; row <= wanted.length; row++) {
      const nearest = this.#fillRow(wanted, name, row, bound, width);
      if (nearest > bound) return null;
      const recycled = this.#beforeLast;
      this.#beforeLast = this.#last;
      this.#last = this.#current;
      this.#current = recycled;
    }
    return this.#last;
  }

  #fillRow(wanted: string, name: string, row: number, bound: number, width: number): number {
    const [beforeLast, last, current] = [this.#beforeLast, this.#last, this.#current];
    const from = Math.max(1, row - bound);
    const to = Math.min(width, row + bound);
    current[from - 1] = from === 1 ? row : Number.POSITIVE_INFINITY;
    let nearest = current[from - 1] ?? Number.POSITIVE_INFINITY;
    const letter = wanted.charCodeAt(row - 1);
    const dropWeight = weightOf(letter);
    for (let column = from; column <= to; column++) {
      const other = name.charCodeAt(column - 1);
      // The cell above the band's right edge was never written in the row before.
      const above = column - (row - 1) > bound ? Number.POSITIVE_INFINITY : (last[column] ?? 0);
      let distance = Math.min(
        above + dropWeight,
        (current[column - 1] ?? 0) + weightOf(other),
        (last[column - 1] ?? 0) + exchange(letter, other),
      );
      const isSwap = row > 1 && column > 1 && letter !== other && letter === name.charCodeAt(column - 2);
      if (isSwap && other === wanted.charCodeAt(row - 2))
        distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      current[column] = distance;
      if (distance < nearest) nearest = distance;
    }
    return nearest;
  }
}

function weightOf(code: number): number {
  return isDigit(code) ? DIGIT_WEIGHT : 1;
}

function exchange(letter: number, other: number): number {
  if (letter === other) return 0;
  return isDigit(letter) && isDigit(other) ? 2 * DIGIT_WEIGHT : 1;
}
