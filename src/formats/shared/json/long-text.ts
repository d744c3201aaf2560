/*
 * Handles texts of megabytes without blocking other requests. The engine holds a concatenation as a tree of pieces and flattens
 * it into one text only when characters of more than one piece are read: 45 ms for 50 MB. So a long text is built as a shallow
 * tree of equally long pieces, and is read here within the pieces. A text built in another way reads the same, only slower.
 *
 * The head before the data of a data URL is a piece of its own, because one format has it and another does not.
 */

/** Shorter texts are handled natively. */
const LONG_CHARACTERS = 1024 * 1024;
const PIECE_CHARACTERS = 128 * 1024;
const DATA_URL_HEAD = /^data:[^,]{0,250},/i;
const MOST_HEAD_CHARACTERS = 256;

/** Builds a text from pieces of any length. */
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

  /**
   * Returns the text; call it once. Pieces are joined in threes, so the tree of 200 MB is seven levels deep; the engine searches
   * eight.
   */
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

/** Yields the text in order, in pieces of about 128 KB that may end anywhere. */
export function* piecesOf(text: string): Generator<string, void, void> {
  const head =
    text.length > LONG_CHARACTERS ? (DATA_URL_HEAD.exec(startOf(text, MOST_HEAD_CHARACTERS))?.[0] ?? '') : '';
  if (head !== '') yield text.slice(0, head.length);
  for (let from = head.length; from < text.length; from += PIECE_CHARACTERS) {
    yield text.slice(from, from + PIECE_CHARACTERS);
  }
}

/** Returns the first `length` characters, at most 256 of a long text, to recognize its type. */
export function startOf(text: string, length: number): string {
  if (text.length <= LONG_CHARACTERS) return text.slice(0, length);
  // Characters are read one by one, because two of them may be in different pieces.
  let start = '';
  for (let at = 0; at < Math.min(length, MOST_HEAD_CHARACTERS); at++) start += text.slice(at, at + 1);
  return start;
}

/** Returns whether the text has no visible character. */
export function isBlank(text: string): boolean {
  if (text.length <= LONG_CHARACTERS) return text.trim() === '';
  for (const piece of piecesOf(text)) if (piece.trim() !== '') return false;
  return true;
}
