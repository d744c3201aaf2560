/** A place is recorded every this many bytes or characters. */
const STEP = 1_024;
/** The most characters that searches for cited text may scan for one answer; further citations are not searched for. */
const SEARCHED_CHARACTERS = 16 * 1024 * 1024;

/**
 * Converts places in a text that an upstream counts in UTF-8 bytes or in characters to UTF-16 offsets. An answer may have
 * thousands of citations, and none of them scans the whole text again.
 */
export class TextOffsets {
  private bytes: readonly number[] | null = null;
  private characters: readonly number[] | null = null;

  constructor(readonly text: string) {}

  /** Returns an offset; a count that ends within a character ends before it, and one past the end is the end. */
  ofBytes(count: number): number {
    this.bytes ??= placesIn(this.text, bytesOf);
    return offsetOf(this.text, this.bytes, count, bytesOf);
  }

  ofCharacters(count: number): number {
    this.characters ??= placesIn(this.text, () => 1);
    return offsetOf(this.text, this.characters, count, () => 1);
  }
}

/** Searches untrusted texts for untrusted words, up to a total bound. */
export class BoundedSearch {
  private left = SEARCHED_CHARACTERS;

  /** Returns the offset of the words; -1 if they are absent or the bound is exhausted. */
  find(text: string, words: string): number {
    if (this.left < text.length) return -1;
    this.left -= text.length;
    return text.indexOf(words);
  }
}

/**
 * For each multiple of `STEP`, returns the offset of the first character that begins at or after it, and the count at which it
 * begins.
 */
function placesIn(text: string, sizeOf: (codePoint: number) => number): readonly number[] {
  const places = [0, 0];
  let count = 0;
  let next = STEP;
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    count += sizeOf(codePoint);
    at += unitsOf(codePoint);
    if (count < next) continue;
    places.push(at, count);
    next += STEP;
  }
  return places;
}

function offsetOf(
  text: string,
  places: readonly number[],
  wanted: number,
  sizeOf: (codePoint: number) => number,
): number {
  let place = 2 * Math.min(Math.max(0, Math.floor(wanted / STEP)), places.length / 2 - 1);
  // A recorded place may be slightly past its multiple.
  if (place > 0 && (places[place + 1] ?? 0) > wanted) place -= 2;
  let at = places[place] ?? 0;
  let count = places[place + 1] ?? 0;
  while (at < text.length) {
    const codePoint = text.codePointAt(at) ?? 0;
    count += sizeOf(codePoint);
    if (count > wanted) break;
    at += unitsOf(codePoint);
  }
  return at;
}

function unitsOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint > 0xffff ? 4 : 3;
}
