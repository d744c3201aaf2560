/* Text within text: base64, as documents are sent and as values are hidden, and data URLs. */

const SHORTEST_RUN = 16;
const SHORTEST_FILE = 1_000;
const RUNS = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
const WHOLE = /^[A-Za-z0-9+/_\s-]+={0,2}\s*$/;
/** The beginning that is decoded first, to tell text from images and other files. */
const PROBE = 256;
const TEXT_TYPES = /^(?:text\/|image\/svg|application\/(?:[\w.+-]*(?:json|xml|yaml|csv|javascript|toml)))/i;
/** Space that base64 never has, as it is broken into lines only. */
const BLANK = /[^\S\r\n]/;
const IMAGE_URL = /^data:image\/[\w.+-]{1,60}(?:;[^,;]{1,100}){0,5}?;base64,/i;
const DATA_URL = /^data:([^,;]{0,100})((?:;[^,;]{1,100}){0,5}?)(;base64)?,/i;

const strict = new TextDecoder('utf-8', { fatal: true });
const lenient = new TextDecoder('utf-8');

/** Returns the text that a base64 string encodes; `null` if it is not base64 or no text. */
export function textInBase64(encoded: string): string | null {
  if (encoded.length < SHORTEST_RUN || !WHOLE.test(encoded.slice(0, PROBE)) || !isText(encoded.slice(0, PROBE), false))
    return null;
  if (!WHOLE.test(encoded)) return null;
  return isText(encoded, true) ? strict.decode(bytesOf(encoded)) : null;
}

/** Returns whether a string is a file in base64, such as an image. Shorter strings may be words. */
export function isFileInBase64(text: string): boolean {
  return text.length >= SHORTEST_FILE && isBase64(text);
}

function isBase64(text: string): boolean {
  return WHOLE.test(text.slice(0, PROBE)) && !BLANK.test(text) && WHOLE.test(text);
}

export function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** A part of a text that is base64 of another text. */
export interface EncodedRun {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns at most `most` runs of base64 within a text. */
export function encodedRuns(text: string, most: number): readonly EncodedRun[] {
  const runs: EncodedRun[] = [];
  if (text.length < SHORTEST_RUN) return runs;
  for (const match of text.matchAll(RUNS)) {
    const decoded = textInBase64(match[0]);
    if (decoded === null) continue;
    runs.push({ start: match.index, end: match.index + match[0].length, text: decoded });
    if (runs.length >= most) break;
  }
  return runs;
}

/** A data URL whose content is text. */
export interface TextUrl {
  /** Everything up to the comma, as an URL of base64 begins. */
  readonly head: string;
  readonly text: string;
}

/** Returns the text of a data URL, whatever type it states; `null` if it is none, or has an image or another file. */
export function textInDataUrl(url: string): TextUrl | null {
  const match = DATA_URL.exec(url.slice(0, 800));
  if (match === null) return null;
  const [whole, type = '', parameters = '', base64] = match;
  const content = url.slice(whole.length);
  const head = `data:${type}${parameters};base64,`;
  if (type !== '' && !TEXT_TYPES.test(type)) {
    const text = base64 === undefined ? null : textInBase64(content);
    return text === null ? null : { head, text };
  }
  if (base64 !== undefined) return { head, text: lenient.decode(bytesOf(content)) };
  return { head, text: percentDecoded(content) };
}

/** Returns whether a text is a data URL of an image in base64, and nothing else. */
export function isImageUrl(text: string): boolean {
  const [head] = IMAGE_URL.exec(text.slice(0, 800)) ?? [];
  return head !== undefined && isBase64(text.slice(head.length));
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function bytesOf(encoded: string): Uint8Array {
  return Buffer.from(encoded, 'base64');
}

/** Returns whether the bytes are UTF-8 without control characters; the end of a probe may be within a character. */
function isText(encoded: string, isWhole: boolean): boolean {
  const bytes = bytesOf(isWhole ? encoded : encoded.slice(0, encoded.length - (encoded.length % 4)));
  if (bytes.length === 0) return false;
  for (const byte of bytes) if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return false;
  if (!isWhole) return true;
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
