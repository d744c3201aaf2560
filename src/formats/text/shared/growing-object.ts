import { parseJson } from '../../shared/json/json-text.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const HIGHEST_SPACE = 0x20;

/**
 * A JSON object that arrives in pieces. However often its completeness is tested, each character is examined once, and the whole
 * text is parsed once, at its last brace.
 */
export class GrowingObject {
  private text = '';
  /** Pieces since the last test. They are examined separately, because reading the joined text would copy all of it each time. */
  private unseen: string[] = [];
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** Whether the text up to the last brace is valid JSON; `null` before that brace. */
  private whole: boolean | null = null;

  push(piece: string): void {
    if (this.whole !== false) this.unseen.push(piece);
  }

  /** Returns whether the object is complete, so that only white space can follow. */
  isWhole(): boolean {
    for (const piece of this.unseen) this.lookAt(piece);
    this.unseen = [];
    return this.whole === true;
  }

  private lookAt(piece: string): void {
    for (let at = 0; at < piece.length && this.whole !== false; at++) {
      const code = piece.charCodeAt(at);
      if (this.whole === true || this.depth === 0) this.lookOutside(code);
      else if (this.endsWith(code)) this.whole = parseJson(this.text + piece.slice(0, at + 1)) !== undefined;
    }
    if (this.whole === null) this.text += piece;
    else this.text = '';
  }

  /** Returns whether this character is the object's last brace. */
  private endsWith(code: number): boolean {
    if (this.isEscaped) this.isEscaped = false;
    else if (this.inString) {
      if (code === BACKSLASH) this.isEscaped = true;
      else if (code === QUOTE) this.inString = false;
    } else if (code === QUOTE) this.inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.depth--;
    return this.depth === 0;
  }

  /** Handles text before or after the object: anything but white space and the first brace makes it invalid. */
  private lookOutside(code: number): void {
    if (code <= HIGHEST_SPACE) return;
    if (this.whole === null && code === OPEN_BRACE) this.depth = 1;
    else this.whole = false;
  }
}
