/* Vectors in JSON: a list of numbers, or little-endian IEEE float32 in base64. Both preserve every bit of a float32. */

import type { EmbeddingVector } from '../../../domain/embeddings/embeddings.ts';

const BYTES_PER_NUMBER = 4;
/** The bits of a float32 that are all set in NaN and infinity. */
const EXPONENT = 0x7f800000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns the numbers of a JSON list; `null` for anything else, and for a number outside the range of a double. */
export function numbersIn(value: unknown): readonly number[] | null {
  if (!Array.isArray(value)) return null;
  for (const number of value) if (typeof number !== 'number' || !Number.isFinite(number)) return null;
  return value;
}

/** Returns the numbers in a base64 text; `null` for anything else, and if one of them is NaN or infinite. */
export function floatsIn(value: unknown): Float32Array | null {
  const bytes = bytesIn(value);
  if (bytes === null || bytes.length % BYTES_PER_NUMBER !== 0) return null;
  // Copies the bytes: a small `Buffer` shares memory at an arbitrary offset. All supported machines are little-endian.
  const { buffer } = new Uint8Array(bytes);
  return areFinite(new Uint32Array(buffer)) ? new Float32Array(buffer) : null;
}

/** Returns the bytes of a base64 text as numbers from -128 to 127; `null` for anything else. */
export function signedBytesIn(value: unknown): Float32Array | null {
  const bytes = bytesIn(value);
  return bytes === null ? null : Float32Array.from(bytes, (byte) => (byte << 24) >> 24);
}

/** Checks bits: a batch has millions of numbers, and a function call for each takes several times as long. */
function areFinite(bits: Uint32Array): boolean {
  for (let at = 0; at < bits.length; at++) if (((bits[at] ?? 0) & EXPONENT) === EXPONENT) return false;
  return true;
}

function bytesIn(value: unknown): Uint8Array | null {
  if (typeof value !== 'string' || value.length % 4 !== 0 || !BASE64.test(value)) return null;
  return Buffer.from(value, 'base64');
}

/**
 * Returns a list of numbers. A float32 is written with all digits of the double that equals it, so that a reader does not have to
 * know its origin.
 */
export function vectorAsList(vector: EmbeddingVector): string {
  // `JSON.stringify` and `join` write -0 as 0.
  return `[${Array.from(vector, (number) => (Object.is(number, -0) ? '-0' : String(number))).join(',')}]`;
}

/** Returns base64 text without quotes, each number as the nearest float32; `null` if one is too large. */
export function vectorAsBase64(vector: EmbeddingVector): string | null {
  const floats = vector instanceof Float32Array ? vector : Float32Array.from(vector);
  if (floats !== vector && !floats.every(Number.isFinite)) return null;
  return Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength).toString('base64');
}
