import { describe, expect, test } from 'bun:test';
import { CODE_BYTES, PlainSearchKernel, type SearchKernel, searchKernel } from './search-kernel.ts';
import { randomFrom } from './testing/vectors.ts';

const ENTRIES = 100;
const NUMBERS = 48;
const QUERY = 0;
const LIST = 1_024;
const OUT = 4_096;
const DATA = 8_192;

/** Returns memory full of random bytes, and a shuffled list of entry addresses. */
function filledMemory(): WebAssembly.Memory {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const random = randomFrom(7);
  const bytes = new Uint8Array(memory.buffer);
  for (let at = 0; at < bytes.length; at++) bytes[at] = 256 * random();
  const list = new Uint32Array(memory.buffer, LIST, ENTRIES);
  for (let at = 0; at < ENTRIES; at++) list[at] = DATA + CODE_BYTES * ((at * 37) % ENTRIES);
  return memory;
}

describe('the kernel in WebAssembly', () => {
  const memory = filledMemory();
  const [kernel, plain] = [searchKernel(memory), new PlainSearchKernel(memory)];

  test('is used on this machine', () => {
    expect(kernel).not.toBeInstanceOf(PlainSearchKernel);
  });

  test('counts differing bits', () => {
    const view = new DataView(memory.buffer);
    const bitsAt = (place: number) => view.getUint8(place).toString(2).padStart(8, '0');
    kernel.distances(LIST, LIST + 4 * ENTRIES, QUERY, OUT);
    for (let at = 0; at < ENTRIES; at++) {
      const entry = view.getUint32(LIST + 4 * at, true);
      let differing = 0;
      for (let byte = 0; byte < CODE_BYTES; byte++) {
        const [one, other] = [bitsAt(QUERY + byte), bitsAt(entry + byte)];
        for (let bit = 0; bit < 8; bit++) if (one[bit] !== other[bit]) differing++;
      }
      expect(view.getUint16(OUT + 2 * at, true)).toBe(differing);
    }
  });

  test('multiplies and adds signed numbers', () => {
    kernel.products(LIST, LIST + 4 * ENTRIES, QUERY, QUERY + 2 * NUMBERS, OUT);
    const view = new DataView(memory.buffer);
    for (let at = 0; at < ENTRIES; at++) {
      const entry = view.getUint32(LIST + 4 * at, true);
      let sum = 0;
      for (let place = 0; place < NUMBERS; place++) {
        sum += view.getInt8(entry + place) * view.getInt16(QUERY + 2 * place, true);
      }
      expect(view.getInt32(OUT + 4 * at, true)).toBe(sum);
    }
  });

  test('writes the same results as the JavaScript kernel, and nothing else', () => {
    const bytesAfter = (run: () => void) => {
      new Uint8Array(memory.buffer, OUT, DATA - OUT).fill(0xee);
      run();
      return new Uint8Array(memory.buffer).slice();
    };
    const runs = [
      (used: SearchKernel) => used.distances(LIST, LIST + 4 * ENTRIES, QUERY, OUT),
      (used: SearchKernel) => used.products(LIST, LIST + 4 * ENTRIES, QUERY, QUERY + 2 * NUMBERS, OUT),
    ];
    for (const run of runs) {
      expect(bytesAfter(() => run(kernel))).toEqual(bytesAfter(() => run(plain)));
    }
  });
});
