import { expect, test } from 'bun:test';
import { MemoryFile } from './memory-file.ts';

test.each([0, 1, 65_536, 262_144, 262_145, 1_000_000])('a file of %p bytes can be read repeatedly', async (size) => {
  const bytes = new Uint8Array(size).map((_, index) => index * 7);
  const file = new MemoryFile(bytes);
  for (let time = 0; time < 2; time++) {
    const pieces = await Array.fromAsync(file.stream());
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  }
  expect(await file.bytes()).toEqual(bytes);
  expect([file.size, file.head.length]).toEqual([size, Math.min(size, 65_536)]);
});

test('a file without a name is called `file`', () => {
  expect(new MemoryFile(new Uint8Array(0))).toMatchObject({ name: 'file', declaredType: null });
});
