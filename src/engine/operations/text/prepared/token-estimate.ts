import type { BodyScan } from '../../../../formats/shared/request/body-scan.ts';
import { roughTokens } from '../estimate-tokens.ts';
import { filledTexts } from './filled-texts.ts';

const BACKSLASH = 0x5c;

const { indexOf, utf8Slice } = Buffer.prototype;

/**
 * Returns a function that estimates the tokens of prompts which differ only in the texts of their messages.
 *
 * @param tokens the estimate for one of them, which `scan` has scanned
 */
export function tokenEstimate(tokens: number, scan: BodyScan | undefined): (other: BodyScan) => number {
  const around = tokens - (scan === undefined ? 0 : tokensOfTexts(scan));
  return (other) => around + tokensOfTexts(other);
}

function tokensOfTexts(scan: BodyScan): number {
  const { bytes } = scan;
  const texts = filledTexts(scan);
  let tokens = 0;
  for (let index = 0; index < texts.length; index += 2) {
    const [start = 0, end = 0] = [texts[index], texts[index + 1]];
    tokens += roughTokens(bytesOf(bytes, start, end));
  }
  return tokens;
}

/** Returns the number of bytes of a text without its quotes and escapes. */
function bytesOf(bytes: Uint8Array, start: number, end: number): number {
  const first = indexOf.call(bytes, BACKSLASH, start);
  if (first < 0 || first >= end) return end - start - 2;
  return Buffer.byteLength(String(JSON.parse(utf8Slice.call(bytes, start, end))));
}
