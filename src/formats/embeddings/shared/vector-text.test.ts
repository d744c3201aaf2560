import { expect, test } from 'bun:test';
import { floatsIn, numbersIn, vectorAsBase64, vectorAsList } from './vector-text.ts';

const LARGEST = 3.4028234663852886e38;
const CORNERS = [0, -0, 1, -1, 0.1, 1e-45, -1e-45, 1.1754943508222875e-38, 1.1754942106924411e-38, LARGEST, -LARGEST];

/** Returns random bit patterns, except NaN and infinity. */
function randomFloats(length: number): Float32Array {
  const bits = new Uint32Array(length);
  const floats = new Float32Array(bits.buffer);
  for (let at = 0; at < length; at++) {
    do bits[at] = Math.floor(Math.random() * 2 ** 32);
    while (!Number.isFinite(floats[at]));
  }
  return floats;
}
const bitsOf = (floats: Float32Array | null) =>
  floats === null ? null : [...new Uint32Array(floats.buffer, floats.byteOffset, floats.length)];

test('100,000 numbers survive both encodings bit by bit', () => {
  for (const floats of [Float32Array.from(CORNERS), ...Array.from({ length: 100 }, () => randomFloats(1_000))]) {
    const text = vectorAsBase64(floats) ?? '';
    expect(bitsOf(floatsIn(text))).toEqual(bitsOf(floats));
    const numbers = numbersIn(JSON.parse(vectorAsList(floats)));
    expect(numbers).toEqual([...floats]);
    expect(vectorAsBase64(numbers ?? [])).toBe(text);
  }
});

test('doubles survive a list unrounded, and -0 stays', () => {
  const doubles = [0.1, -0, 1 / 3, 5e-324, Number.MAX_VALUE, 1e21, -1e-7];
  const text = vectorAsList(doubles);
  expect(JSON.parse(text)).toEqual(doubles);
  expect(vectorAsList([-0])).toBe('[-0]');
});

test('base64 has the nearest float32, little-endian', () => {
  expect(vectorAsBase64([1, 0.1])).toBe(Buffer.from([0, 0, 128, 63, 205, 204, 204, 61]).toString('base64'));
  expect(vectorAsBase64([LARGEST * 1.01])).toBeNull();
  // The shortest decimal for a float32 is read back as that float32.
  expect(vectorAsBase64([0.0023064255])).toBe(vectorAsBase64(Float32Array.of(0.0023064255)));
});

test('a view into a larger buffer is encoded alone', () => {
  expect(vectorAsBase64(Float32Array.of(9, 1, 9).subarray(1, 2))).toBe(vectorAsBase64([1]));
});

test.each([
  [null],
  [[1]],
  ['AAA'],
  ['AAAA'],
  ['AAAAAA=A'],
  ['AAA*'],
  ['AAAA AAA'],
  [Buffer.from(Float32Array.of(Number.NaN).buffer).toString('base64')],
  [Buffer.from(Float32Array.of(1, -Infinity).buffer).toString('base64')],
])('%p is not a base64 vector', (value) => {
  expect(floatsIn(value)).toBeNull();
});

test.each([[null], ['1'], [{ 0: 1 }], [[1, null]], [[1, '2']], [[Infinity]], [[[1]]]])(
  '%p is not a list of numbers',
  (value) => {
    expect(numbersIn(value)).toBeNull();
  },
);
