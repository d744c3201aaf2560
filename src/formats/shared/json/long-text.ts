/*
 * Handles texts of megabytes without blocking other requests. The engine holds a concatenation as a tree of its pieces and copies
 * them into one text only when characters of more than one piece are read: 45 ms for 50 MB. So a long text is put together as a
 * tree that is not deep, of pieces of one length, and is read here within the pieces. A text that was put together otherwise
 * reads the same, only slower.
 *
 * What stands before the data of a data URL is a piece of its own, since that is what one format has and another has not.
 */

/** Shorter texts are read and written as they are. */
const LONG_CHARACTERS = 1024 * 1024;
const PIECE_CHARACTERS = 128 * 1024;
const DATA_URL_HEAD = /^data:[^,]{0,250},/i;
const MOST_HEAD_CHARACTERS = 256;

/** Puts a text together from pieces of any length. */
export class TextBuilder {
  private head: string | null = null;
  private readonly pieces: string[] = [];
  private rest = '';

  add(text: string): void {
    if (this.head === null) {
      const head = DATA_URL_HEAD.exec(text)?.[0] ?? '';
      this.head = head;
      this.rest = text.slice(head.length);
    } else this.rest += text;
    while (this.rest.length >= PIECE_CHARACTERS) {
      this.pieces.push(this.rest.slice(0, PIECE_CHARACTERS));
      this.rest = this.rest.slice(PIECE_CHARACTERS);
    }
  }

  /** The text, once. Of 200 MB each piece is five levels deep; the engine looks for one eight levels deep. */
  build(): string {
    let level = this.pieces;
    if (this.rest !== '') level.push(this.rest);
    while (level.length > 1) {
      const above: string[] = [];
      for (let index = 0; index < level.length; index += 3) {
        const [first = '', second = '', third = ''] = level.slice(index, index + 3);
        above.push(first.concat(second, third));
      }
      level = above;
    }
    return (this.head ?? '') + (level[0] ?? '');
  }
}

/** The text from its beginning on, in pieces of about 128 KB that end anywhere. */
export function* piecesOf(text: string): Generator<string, void, void> {
  const head =
    text.length > LONG_CHARACTERS ? (DATA_URL_HEAD.exec(startOf(text, MOST_HEAD_CHARACTERS))?.[0] ?? '') : '';
  if (head !== '') yield text.slice(0, head.length);
  for (let from = head.length; from < text.length; from += PIECE_CHARACTERS) {
    yield text.slice(from, from + PIECE_CHARACTERS);
  }
}

/** The first `length` characters, at most 256 of a long text; for a look at what it is. */
export function startOf(text: string, length: number): string {
  if (text.length <= LONG_CHARACTERS) return text.slice(0, length);
  // One by one, since two of them may stand in two pieces.
  let start = '';
  for (let at = 0; at < Math.min(length, MOST_HEAD_CHARACTERS); at++) start += text.slice(at, at + 1);
  return start;
}

/** Whether it has no visible character. */
export function isBlank(text: string): boolean {
  if (text.length <= LONG_CHARACTERS) return text.trim() === '';
  for (const piece of piecesOf(text)) if (piece.trim() !== '') return false;
  return true;
}
