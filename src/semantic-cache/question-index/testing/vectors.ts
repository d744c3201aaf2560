/** Returns reproducible numbers from 0 (inclusive) to 1 (exclusive). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns a random vector of length 1. */
export function direction(dimensions: number, random: () => number): Float32Array {
  return unit(Float32Array.from({ length: dimensions }, () => normal(random)));
}

/** Returns a vector of length 1 whose cosine to `vector` is about `cosine`. */
export function near(vector: Float32Array, cosine: number, random: () => number): Float32Array {
  const other = direction(vector.length, random);
  const part = Math.sqrt(1 - cosine * cosine);
  return unit(vector.map((number, at) => cosine * number + part * (other[at] ?? 0)));
}

export function cosineOf(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0);
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((number) => number / length);
}

/** Returns a nearly normal number, the sum of twelve uniform ones. */
function normal(random: () => number): number {
  let sum = -6;
  for (let at = 0; at < 12; at++) sum += random();
  return sum;
}
