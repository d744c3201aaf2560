/* Vectors as JSON has them: as a list of numbers, or as IEEE float32, little-endian, in base64. Neither way loses a bit of a float32. */

import type { EmbeddingVector } from '../../../domain/embeddings/embeddings.ts';

const BYTES_PER_NUMBER = 4;
/** The bits of a float32 that are all set in what is infinite or no number. */
const EXPONENT = 0x7f800000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The numbers of a JSON list; `null` for anything else, and for a number that no double holds. */
export function numbersIn(value: unknown): readonly number[] | null {
  if (!Array.isArray(value)) return null;
  for (const number of value) if (typeof number !== 'number' || !Number.isFinite(number)) return null;
  return value;
}

/** The numbers that a base64 text holds; `null` for what is none, and where one of them is no number or infinite. */
export function floatsIn(value: unknown): Float32Array | null {
  const bytes = bytesIn(value);
  if (bytes === null || bytes.length % BYTES_PER_NUMBER !== 0) return null;
  // A buffer of its own: that of a small `Buffer` is shared, and begins anywhere. All machines that this runs on are little-endian.
  const { buffer } = new Uint8Array(bytes);
  return areFinite(new Uint32Array(buffer)) ? new Float32Array(buffer) : null;
}

/** The numbers from -128 to 127 that the bytes of a base64 text hold; `null` for what is none. */
export function signedBytesIn(value: unknown): Float32Array | null {
  const bytes = bytesIn(value);
  return bytes === null ? null : Float32Array.from(bytes, (byte) => (byte << 24) >> 24);
}

/** By their bits: a batch has millions of numbers, and a call for each takes several times as long. */
function areFinite(bits: Uint32Array): boolean {
  for (let at = 0; at < bits.length; at++) if (((bits[at] ?? 0) & EXPONENT) === EXPONENT) return false;
  return true;
}

function bytesIn(value: unknown): Uint8Array | null {
  if (typeof value !== 'string' || value.length % 4 !== 0 || !BASE64.test(value)) return null;
  return Buffer.from(value, 'base64');
}

/**
 * A list of numbers. A float32 is written with all the digits of the double that equals it, so that nobody who reads it has to
 * know that it was one.
 */
export function vectorAsList(vector: EmbeddingVector): string {
  // `JSON.stringify` and `join` write -0 as 0.
  return `[${Array.from(vector, (number) => (Object.is(number, -0) ? '-0' : String(number))).join(',')}]`;
}

/** The base64 text, without quotes, each number as the nearest float32; `null` where one is larger than any. */
export function vectorAsBase64(vector: EmbeddingVector): string | null {
  const floats = vector instanceof Float32Array ? vector : Float32Array.from(vector);
  if (floats !== vector && !floats.every(Number.isFinite)) return null;
  return Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength).toString('base64');
}
