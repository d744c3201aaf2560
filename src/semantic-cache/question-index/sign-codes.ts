import { CODE_BYTES } from './search-kernel.ts';

const BITS = 8 * CODE_BYTES;
/** The exponent of the error probability, e^-15 (one in three million), that a vector differs in more bits than its cosine implies. */
const UNLIKELY = 15;
/** Cosines are computed from rounded numbers. */
const ROUNDING = 0.002;

/**
 * 512-bit codes: the side of 512 planes through the origin on which a vector lies. The planes are effectively random, so each separates two
 * vectors with a probability of their angle over π (Charikar, "Similarity estimation techniques from rounding algorithms", 2002). The
 * coordinate planes would not do: coordinates that are zero, or have the same sign in all vectors, separate nothing.
 */
export class SignCodes {
  private readonly rotated: Float32Array;
  private readonly signs: readonly Float32Array[];

  constructor(dimensions: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(BITS, dimensions)));
    this.rotated = new Float32Array(size);
    const random = numbersFrom(1);
    this.signs = [0, 1].map(() => Float32Array.from({ length: size }, () => (random() & 1 ? 1 : -1)));
  }

  /** Writes the vector's code to `code`, 64 bytes. */
  encode(vector: Float32Array, code: Uint8Array): void {
    const { rotated } = this;
    rotated.fill(0);
    rotated.set(vector);
    // Two rounds: after one, sparse vectors still lie on many of the planes.
    for (const signs of this.signs) {
      for (let at = 0; at < rotated.length; at++) rotated[at] = (rotated[at] ?? 0) * (signs[at] ?? 0);
      transform(rotated);
    }
    for (let byte = 0; byte < CODE_BYTES; byte++) {
      let bits = 0;
      for (let bit = 0; bit < 8; bit++) if ((rotated[8 * byte + bit] ?? 0) > 0) bits |= 1 << bit;
      code[byte] = bits;
    }
  }
}

/** Returns the maximum number of differing bits for this cosine (Chernoff's bound of the binomial distribution). */
export function mostDistance(cosine: number): number {
  const chance = Math.acos(Math.max(-1, Math.min(1, cosine) - ROUNDING)) / Math.PI;
  let distance = Math.ceil(BITS * chance);
  while (distance < BITS && BITS * divergence(distance / BITS, chance) < UNLIKELY) distance++;
  return distance;
}

/** Computes the Kullback-Leibler divergence of two coins. */
function divergence(part: number, chance: number): number {
  const other = part < 1 ? (1 - part) * Math.log((1 - part) / (1 - chance)) : 0;
  return part * Math.log(part / chance) + other;
}

/** Computes the fast Walsh-Hadamard transform, which is a rotation except for scale. The length is a power of 2. */
function transform(numbers: Float32Array): void {
  for (let half = 1; half < numbers.length; half *= 2) {
    for (let start = 0; start < numbers.length; start += 2 * half) {
      for (let at = start; at < start + half; at++) {
        const one = numbers[at] ?? 0;
        const other = numbers[at + half] ?? 0;
        numbers[at] = one + other;
        numbers[at + half] = one - other;
      }
    }
  }
}

/** Returns Marsaglia's xorshift generator: the same numbers in every process. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 16;
  };
}
