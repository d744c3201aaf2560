import {
  type AssembledFunction,
  assemble,
  I32,
  I64,
  i16x8,
  i32,
  i32x4,
  i64,
  local,
  repeatWhile,
  V128,
  v128,
} from './wasm-assembler.ts';

/** 512 bits. */
export const CODE_BYTES = 64;

/**
 * The two inner loops of a search, over one memory. All arguments are addresses in it. `list` up to `end` (which must differ from `list`)
 * contains the addresses to compare, 4 bytes each; results are written consecutively at `out`.
 */
export interface SearchKernel {
  /** Computes the number of bits in which each code differs from the code at `query`; 2 bytes per result. */
  distances(list: number, end: number, query: number, out: number): void;
  /**
   * Computes the inner product of each vector, a multiple of 16 one-byte numbers, with the vector of two-byte numbers from `query` to
   * `queryEnd`; 4 bytes per result. All numbers are signed. No sum may exceed 31 bits.
   */
  products(list: number, end: number, query: number, queryEnd: number, out: number): void;
}

/**
 * Returns a kernel in WebAssembly, or in JavaScript at a twentieth of its speed if the processor lacks the SIMD instructions (AVX on
 * x86-64).
 */
export function searchKernel(memory: WebAssembly.Memory): SearchKernel {
  const bytes = assemble([distances(), products()]);
  if (!WebAssembly.validate(bytes)) return new PlainSearchKernel(memory);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { search: { memory } });
  // The exports are the functions assembled above.
  return exports as unknown as SearchKernel;
}

/** Counts bits in 64-bit words, which takes one or a few instructions on both kinds of processors; the query's words stay in registers. */
function distances(): AssembledFunction {
  const [list, end, query, out, entry, queryWord] = [0, 1, 2, 3, 4, 5];
  const words = Array.from({ length: CODE_BYTES / 8 }, (_, word) => word);
  const differences = words.map((word) =>
    i64.popcnt(i64.xor(i64.load(8 * word, local.get(entry)), local.get(queryWord + word))),
  );
  return {
    name: 'distances',
    parameters: [I32, I32, I32, I32],
    locals: [I32, ...words.map((): typeof I64 => I64)],
    body: [
      ...words.map((word) => local.set(queryWord + word, i64.load(8 * word, local.get(query)))),
      repeatWhile(i32.lt_u(local.get(list), local.get(end)), [
        local.set(entry, i32.load(0, local.get(list))),
        i32.store16(0, local.get(out), i32.wrap_i64(differences.reduce((sum, one) => i64.add(sum, one)))),
        local.set(list, i32.add(local.get(list), i32.const(4))),
        local.set(out, i32.add(local.get(out), i32.const(2))),
      ]),
    ],
  };
}

/** Processes sixteen numbers at a time in two halves: the one-byte numbers are widened to two bytes, multiplied, and added to four sums. */
function products(): AssembledFunction {
  const [list, end, query, queryEnd, out, entry, at, numbers, sums] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const low = i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(local.get(numbers)), v128.load(0, local.get(at)));
  const high = i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(local.get(numbers)), v128.load(16, local.get(at)));
  const lanes = [0, 1, 2, 3].map((lane) => i32x4.extract_lane(lane, local.get(sums)));
  return {
    name: 'products',
    parameters: [I32, I32, I32, I32, I32],
    locals: [I32, I32, V128, V128],
    body: [
      repeatWhile(i32.lt_u(local.get(list), local.get(end)), [
        local.set(entry, i32.load(0, local.get(list))),
        local.set(at, local.get(query)),
        local.set(sums, v128.zero),
        repeatWhile(i32.lt_u(local.get(at), local.get(queryEnd)), [
          local.set(numbers, v128.load(0, local.get(entry))),
          local.set(sums, i32x4.add(i32x4.add(local.get(sums), low), high)),
          local.set(entry, i32.add(local.get(entry), i32.const(16))),
          local.set(at, i32.add(local.get(at), i32.const(32))),
        ]),
        i32.store(
          0,
          local.get(out),
          lanes.reduce((sum, lane) => i32.add(sum, lane)),
        ),
        local.set(list, i32.add(local.get(list), i32.const(4))),
        local.set(out, i32.add(local.get(out), i32.const(4))),
      ]),
    ],
  };
}

/** The JavaScript implementation. */
export class PlainSearchKernel implements SearchKernel {
  constructor(private readonly memory: WebAssembly.Memory) {}

  distances(list: number, end: number, query: number, out: number): void {
    const { buffer } = this.memory;
    const words = new Int32Array(buffer);
    const lists = new Uint32Array(buffer);
    const results = new Uint16Array(buffer);
    for (let at = list; at < end; at += 4) {
      const entry = (lists[at / 4] ?? 0) / 4;
      let sum = 0;
      for (let word = 0; word < CODE_BYTES / 4; word++) {
        sum += bitsOf((words[entry + word] ?? 0) ^ (words[query / 4 + word] ?? 0));
      }
      results[(out + (at - list) / 2) / 2] = sum;
    }
  }

  products(list: number, end: number, query: number, queryEnd: number, out: number): void {
    const { buffer } = this.memory;
    const numbers = new Int8Array(buffer);
    const asked = new Int16Array(buffer);
    const lists = new Uint32Array(buffer);
    const results = new Int32Array(buffer);
    const count = (queryEnd - query) / 2;
    for (let at = list; at < end; at += 4) {
      const entry = lists[at / 4] ?? 0;
      let sum = 0;
      for (let place = 0; place < count; place++) {
        sum += (numbers[entry + place] ?? 0) * (asked[query / 2 + place] ?? 0);
      }
      results[(out + at - list) / 4] = sum;
    }
  }
}

/** Counts bits by adding within pairs, fours and bytes. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
