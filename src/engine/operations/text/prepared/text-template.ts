import { endOfString } from '../../../../formats/shared/json/json-string-end.ts';
import { filledTexts, type Texts } from './filled-texts.ts';

const QUOTE = 0x22;
const QUOTE_BYTES = 2;

const { compare, copy } = Buffer.prototype;

/** The bytes that go upstream for all requests with one outline, except the texts of their messages. Empty texts belong to the bytes. */
export class TextTemplate {
  private constructor(
    private readonly pieces: readonly Uint8Array[],
    private readonly pieceBytes: number,
  ) {}

  /**
   * Makes the template from what was sent for one request.
   *
   * @returns `null` if the request's texts were not sent as they are, in the same order
   */
  static of(request: Texts, sent: Texts): TextTemplate | null {
    const texts = request.contents ?? [];
    const places = sent.contents ?? [];
    if (texts.length !== places.length) return null;
    for (let index = 0; index < places.length; index += 2) {
      const [start = 0, end = 0] = places.slice(index, index + 2);
      const [textStart = 0, textEnd = 0] = texts.slice(index, index + 2);
      if (compare.call(request.bytes, sent.bytes, start, end, textStart, textEnd) !== 0) return null;
    }
    return TextTemplate.around(sent.bytes, filledTexts(sent));
  }

  /** Makes the template of bytes with texts at these offsets, in pairs. */
  static around(bytes: Uint8Array, places: readonly number[]): TextTemplate {
    const pieces: Uint8Array[] = [];
    let from = 0;
    for (let index = 0; index < places.length; index += 2) {
      pieces.push(bytes.slice(from, places[index]));
      from = places[index + 1] ?? 0;
    }
    pieces.push(bytes.slice(from));
    return new TextTemplate(
      pieces,
      pieces.reduce((sum, { length }) => sum + length, 0),
    );
  }

  /** Returns the offsets of the texts in bytes that this template may give; `null` if they differ elsewhere, or a text is empty. */
  textsIn(bytes: Uint8Array): number[] | null {
    const texts: number[] = [];
    const { pieces } = this;
    let at = 0;
    for (let index = 0; ; index++) {
      const piece = pieces[index];
      if (piece === undefined || at + piece.length > bytes.length) return null;
      if (compare.call(piece, bytes, at, at + piece.length) !== 0) return null;
      at += piece.length;
      if (index === pieces.length - 1) return at === bytes.length ? texts : null;
      if (bytes[at] !== QUOTE) return null;
      const end = endOfString(bytes, null, at + 1, bytes.length);
      if (end <= at + QUOTE_BYTES) return null;
      texts.push(at, end);
      at = end;
    }
  }

  /** Returns the bytes that go upstream for a request with the same outline. */
  filled(request: Texts): Uint8Array<ArrayBuffer> {
    const { bytes } = request;
    const texts = filledTexts(request);
    let length = this.pieceBytes;
    for (let index = 0; index < texts.length; index += 2) length += (texts[index + 1] ?? 0) - (texts[index] ?? 0);
    const out = new Uint8Array(length);
    let to = 0;
    let index = 0;
    for (const piece of this.pieces) {
      to += copy.call(piece, out, to);
      if (index < texts.length) to += copy.call(bytes, out, to, texts[index], texts[index + 1]);
      index += 2;
    }
    return out;
  }
}
