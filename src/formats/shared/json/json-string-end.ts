/* Finds the end of a JSON string, with the fastest search for each part, and resumably. */

/** Below this many bytes a loop is faster than a native search for the closing quote. */
const SHORT_STRING = 64;
/** How many bytes are examined one by one, once a string has escapes, before the next native search. */
const DENSE_BYTES = 512;
/** For fewer bytes, creating the four-byte view costs more than it saves. */
const LEAST_FOR_WORDS = 2_048;
const LONG_BACKSLASH_RUN = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns a view of the bytes as 32-bit words; `null` if that is not worthwhile. */
export function wordsOf({ buffer, byteOffset, length }: Uint8Array): Int32Array | null {
  return length < LEAST_FOR_WORDS || byteOffset % 4 !== 0 ? null : new Int32Array(buffer, byteOffset, length >> 2);
}

/** The closing quote is missing. */
export const BROKEN = Number.MIN_SAFE_INTEGER;

/**
 * Returns the offset after a string's closing quote; `from` is an offset within the string that is not inside an escape. If the
 * string continues past `limit`, returns minus the offset at which to resume.
 */
export function endOfString(bytes: Uint8Array, words: Int32Array | null, from: number, limit: number): number {
  let at = from;
  for (;;) {
    const near = Math.min(limit, at + (words === null || at === from ? SHORT_STRING : DENSE_BYTES));
    while (at < near) {
      // Skips four bytes at a time if none is a quote or a backslash: a third of the time of a plain loop.
      if (words !== null && (at & 3) === 0) at = skipPlain(words, at, near);
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      at += byte === BACKSLASH ? 2 : 1;
    }
    if (at >= limit) return at >= bytes.length ? BROKEN : -at;
    // A stretch with few escapes is searched natively, ten times as fast.
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return BROKEN;
    let backslash = quote - 1;
    while (backslash >= at && bytes[backslash] === BACKSLASH && quote - backslash <= LONG_BACKSLASH_RUN) backslash--;
    const count = quote - backslash - 1;
    if (count >= LONG_BACKSLASH_RUN) return endByLoop(bytes, at, limit);
    if (count % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** Returns the offset of the first aligned four bytes that contain a quote or a backslash, or that reach past `until`. */
function skipPlain(words: Int32Array, from: number, until: number): number {
  const end = until >> 2;
  let index = from >> 2;
  while (index < end) {
    const word = words[index] ?? 0;
    // XOR makes a matching byte 0, and then the highest bit of that byte of the sum is set.
    const quotes = word ^ 0x22222222;
    const backslashes = word ^ 0x5c5c5c5c;
    const found = ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
    if ((found & 0x80808080) !== 0) break;
    index++;
  }
  return index << 2;
}

function endByLoop(bytes: Uint8Array, from: number, limit: number): number {
  let at = from;
  while (at < limit) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return at >= bytes.length ? BROKEN : -at;
}
