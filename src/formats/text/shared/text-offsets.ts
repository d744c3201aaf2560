/** Every so many bytes or characters a place is remembered. */
const STEP = 1_024;
/** What the searches for cited words may look through for one answer, in characters; after that no more are searched for. */
const SEARCHED_CHARACTERS = 16 * 1024 * 1024;

/**
 * Places in one text that an upstream counts in UTF-8 bytes or in characters, as offsets of UTF-16 code units. An answer may have
 * thousands of citations, and none of them goes through the whole text again.
 */
export class TextOffsets {
  private bytes: readonly number[] | null = null;
  private characters: readonly number[] | null = null;

  constructor(readonly text: string) {}

  /** A count that ends within a character ends before it; one past the end is the end. */
  ofBytes(count: number): number {
    this.bytes ??= placesIn(this.text, bytesOf);
    return offsetOf(this.text, this.bytes, count, bytesOf);
  }

  ofCharacters(count: number): number {
    this.characters ??= placesIn(this.text, () => 1);
    return offsetOf(this.text, this.characters, count, () => 1);
  }
}

/** Searches in foreign texts for foreign words, up to a bound in all. */
export class BoundedSearch {
  private left = SEARCHED_CHARACTERS;

  /** Where the words stand; -1 where they do not, or where enough has been searched. */
  find(text: string, words: string): number {
    if (this.left < text.length) return -1;
    this.left -= text.length;
    return text.indexOf(words);
  }
}

/** For each multiple of `STEP`: the offset of the first character that begins at it or after it, and where that begins. */
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
  // A place may lie a little behind its multiple.
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
