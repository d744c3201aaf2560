import type { EmbeddingVector } from './embeddings.ts';

/** Returns a copy with length 1; `null` for a vector without a direction (all zeros), or with a value that is not finite. */
export function unitVector(vector: EmbeddingVector): Float32Array<ArrayBuffer> | null {
  let squares = 0;
  for (const number of vector) squares += number * number;
  const length = Math.sqrt(squares);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return null;
  const unit = new Float32Array(vector.length);
  for (const [at, number] of vector.entries()) unit[at] = number / length;
  return unit;
}
