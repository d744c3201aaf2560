import { CODE_BYTES, searchKernel } from './search-kernel.ts';
import { mostDistance, SignCodes } from './sign-codes.ts';

/** The models of 2025 have 256 to 4,096. */
export const MOST_DIMENSIONS = 16_384;
/** The kernel's vectors are multiples of this length. */
const STEP = 16;
const PAGE_BYTES = 65_536;
const SLOTS_OF_CHUNK = 1_024;
/** The number of codes or vectors that one call of the kernel compares. */
const BLOCK = 4_096;
/** The number of nearest codes whose cosines are computed first: the best of them bound the distance of other candidates. */
const WEIGHED_FIRST = 64;

/** Addresses of the kernel's inputs and outputs, before the first chunk. */
const QUERY_CODE = 0;
const QUERY = CODE_BYTES;
const LIST = QUERY + 2 * MOST_DIMENSIONS;
const RESULTS = LIST + 4 * BLOCK;
const FIRST_CHUNK = 2 * PAGE_BYTES;

const LARGEST_OF_BYTE = 127;

/** A vector near the query. */
interface NearSlot {
  readonly slot: number;
  readonly cosine: number;
}

/** Returns the memory of one slot's vector, in bytes. */
export function bytesOfSlot(dimensions: number): number {
  return CODE_BYTES + rounded(dimensions);
}

/**
 * Vectors of one length in slots, with a search for the nearest. A slot holds a bit code, all of which are compared, and the vector in
 * one-byte numbers, which is used if its code is near: cosines of hundreds of dimensions are exact to 0.001, of a few to 0.004.
 */
export class VectorTable {
  private readonly memory = new WebAssembly.Memory({ initial: FIRST_CHUNK / PAGE_BYTES, maximum: 65_536 });
  private readonly kernel = searchKernel(this.memory);
  private readonly codes: SignCodes;
  private readonly numbers: number;
  /** The reciprocal length of each slot's quantized vector. Dividing by it, rather than by the original's, makes cosines near 1 exact. */
  private readonly factors: number[] = [];
  private readonly free: number[] = [];
  private readonly chunkBytes: number;
  private bytes = new Uint8Array(this.memory.buffer);
  private list = new Uint32Array(this.memory.buffer, LIST, BLOCK);
  /** The distances in bits of the latest search. */
  private distances = new Uint16Array(0);
  private readonly histogram = new Uint32Array(8 * CODE_BYTES + 1);

  constructor(readonly dimensions: number) {
    this.numbers = rounded(dimensions);
    this.codes = new SignCodes(dimensions);
    this.chunkBytes = SLOTS_OF_CHUNK * bytesOfSlot(dimensions);
  }

  /** Copies the vector into a slot and returns it; returns `null` if there is no memory, or the vector has no direction. */
  add(vector: Float32Array): number | null {
    if (!hasDirection(vector)) return null;
    const slot = this.free.pop() ?? this.newSlot();
    if (slot === null) return null;
    const code = this.codeAt(slot);
    this.codes.encode(vector, this.bytes.subarray(code, code + CODE_BYTES));
    const numbers = new Int8Array(this.memory.buffer, this.vectorAt(slot), this.numbers);
    this.factors[slot] = quantize(vector, numbers, LARGEST_OF_BYTE);
    return slot;
  }

  remove(slot: number): void {
    this.free.push(slot);
  }

  /** Returns the `most` nearest of `slots` whose cosine is at least `least`, the nearest first. */
  nearest(slots: readonly number[], vector: Float32Array, of: { readonly most: number; readonly least: number }) {
    const best = new Best(of.most, of.least);
    if (slots.length === 0 || of.most < 1 || !hasDirection(vector)) return best.found;
    const query = new Int16Array(this.memory.buffer, QUERY, this.numbers);
    const largest = Math.min(32_767, Math.floor((2 ** 31 - 1) / (LARGEST_OF_BYTE * this.numbers)));
    const factor = quantize(vector, query, largest);
    this.codes.encode(vector, this.bytes.subarray(QUERY_CODE, QUERY_CODE + CODE_BYTES));
    this.compareCodes(slots);
    const first = this.distanceOf(Math.max(WEIGHED_FIRST, 2 * of.most));
    const furthest = mostDistance(of.least);
    this.weigh(slots, { from: 0, to: Math.min(first, furthest), factor, best });
    this.weigh(slots, { from: first + 1, to: Math.min(furthest, mostDistance(best.least)), factor, best });
    return best.found;
  }

  /** Fills `distances` and `histogram`. */
  private compareCodes(slots: readonly number[]): void {
    const { list, histogram } = this;
    if (this.distances.length < slots.length) this.distances = new Uint16Array(Math.ceil(1.25 * slots.length));
    const results = new Uint16Array(this.memory.buffer, RESULTS, BLOCK);
    histogram.fill(0);
    for (let start = 0; start < slots.length; start += BLOCK) {
      const count = Math.min(BLOCK, slots.length - start);
      for (let at = 0; at < count; at++) list[at] = this.codeAt(slots[start + at] ?? 0);
      this.kernel.distances(LIST, LIST + 4 * count, QUERY_CODE, RESULTS);
      for (let at = 0; at < count; at++) {
        const distance = results[at] ?? 0;
        this.distances[start + at] = distance;
        histogram[distance] = (histogram[distance] ?? 0) + 1;
      }
    }
  }

  /** Returns the distance within which at least `count` vectors lie, if there are that many. */
  private distanceOf(count: number): number {
    let found = 0;
    let distance = -1;
    while (found < count && distance < this.histogram.length - 1) found += this.histogram[++distance] ?? 0;
    return distance;
  }

  /** Computes the cosines of all vectors in this range of distances, in memory order, which is much faster than by distance. */
  private weigh(
    slots: readonly number[],
    { from, to, factor, best }: { from: number; to: number; factor: number; best: Best },
  ): void {
    const { list, distances } = this;
    const block: number[] = [];
    for (let at = 0; at < slots.length; at++) {
      const distance = distances[at] ?? 0;
      if (distance < from || distance > to) continue;
      const slot = slots[at] ?? 0;
      list[block.length] = this.vectorAt(slot);
      block.push(slot);
      if (block.length === BLOCK) this.multiply(block, factor, best);
    }
    if (block.length > 0) this.multiply(block, factor, best);
  }

  /** Computes the block's cosines and empties it. */
  private multiply(block: number[], factor: number, best: Best): void {
    this.kernel.products(LIST, LIST + 4 * block.length, QUERY, QUERY + 2 * this.numbers, RESULTS);
    const results = new Int32Array(this.memory.buffer, RESULTS, block.length);
    for (let at = 0; at < block.length; at++) {
      const slot = block[at] ?? 0;
      best.offer(slot, (results[at] ?? 0) * factor * (this.factors[slot] ?? 0));
    }
    block.length = 0;
  }

  private newSlot(): number | null {
    const slot = this.factors.length;
    const missingBytes = this.vectorAt(slot) + this.numbers - this.memory.buffer.byteLength;
    if (missingBytes <= 0) return slot;
    try {
      this.memory.grow(Math.ceil(Math.max(missingBytes, this.chunkBytes) / PAGE_BYTES));
    } catch {
      return null;
    }
    this.bytes = new Uint8Array(this.memory.buffer);
    this.list = new Uint32Array(this.memory.buffer, LIST, BLOCK);
    return slot;
  }

  /** Returns a code's address. A chunk's codes are contiguous before its vectors, since a search reads almost only codes. */
  private codeAt(slot: number): number {
    const place = slot % SLOTS_OF_CHUNK;
    return FIRST_CHUNK + ((slot - place) / SLOTS_OF_CHUNK) * this.chunkBytes + place * CODE_BYTES;
  }

  private vectorAt(slot: number): number {
    const place = slot % SLOTS_OF_CHUNK;
    const chunk = FIRST_CHUNK + ((slot - place) / SLOTS_OF_CHUNK) * this.chunkBytes;
    return chunk + SLOTS_OF_CHUNK * CODE_BYTES + place * this.numbers;
  }
}

/** Keeps the best candidates in order. */
class Best {
  readonly found: NearSlot[] = [];

  constructor(
    private readonly most: number,
    /** The threshold, which rises as candidates are found. */
    public least: number,
  ) {}

  offer(slot: number, cosine: number): void {
    if (!(cosine >= this.least)) return;
    let place = this.found.length;
    while (place > 0 && (this.found[place - 1]?.cosine ?? 0) < cosine) place--;
    this.found.splice(place, 0, { slot, cosine: Math.min(1, cosine) });
    if (this.found.length > this.most) this.found.pop();
    if (this.found.length === this.most) this.least = this.found.at(-1)?.cosine ?? this.least;
  }
}

function rounded(dimensions: number): number {
  return STEP * Math.ceil(dimensions / STEP);
}

/** Returns whether the vector is finite and not zero. */
function hasDirection(vector: Float32Array): boolean {
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += Math.abs(vector[at] ?? 0);
  return sum > 0 && sum < Number.POSITIVE_INFINITY;
}

/** Writes whole numbers up to `largest`, padded with zeros. Returns the reciprocal length of the result. */
function quantize(vector: Float32Array, numbers: Int8Array | Int16Array, largest: number): number {
  let most = 0;
  for (let at = 0; at < vector.length; at++) most = Math.max(most, Math.abs(vector[at] ?? 0));
  const scale = largest / most;
  let squares = 0;
  for (let at = 0; at < numbers.length; at++) {
    const number = Math.round((vector[at] ?? 0) * scale);
    numbers[at] = number;
    squares += number * number;
  }
  return 1 / Math.sqrt(squares);
}
