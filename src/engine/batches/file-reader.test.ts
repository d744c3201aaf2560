import { expect, test } from 'bun:test';
import { FILE_CHUNK_BYTES } from '../../domain/batches/stored-file.ts';
import { FileRanges } from './file-reader.ts';

test('ranges that are read at the same time get their bytes, and chunks are freed when nobody needs them', async () => {
  const content = Uint8Array.from({ length: 3 * FILE_CHUNK_BYTES + 10 }, (_, index) => (index * 7) % 251);
  const given: Uint8Array[] = [];
  const chunk = async (_id: string, number: number) => {
    const bytes = content.slice(number * FILE_CHUNK_BYTES, (number + 1) * FILE_CHUNK_BYTES);
    given.push(bytes);
    return bytes.length === 0 ? null : bytes;
  };
  const ranges = new FileRanges({ chunk }, 'file-1');
  const places: [number, number][] = [
    ...[
      [0, 9],
      [5, 0],
      [FILE_CHUNK_BYTES - 3, 8],
      [20, 30],
      [FILE_CHUNK_BYTES * 2, 7],
      [1, FILE_CHUNK_BYTES * 3],
    ],
    ...[
      [FILE_CHUNK_BYTES * 3 + 5, 5],
      [0, 4],
    ],
  ] as [number, number][];
  const read = await Promise.all(places.map(([from, length]) => ranges.read(from, length)));
  for (const [index, [from, length]] of places.entries()) {
    expect(Buffer.from(read[index] ?? []).equals(content.slice(from, from + length))).toBe(true);
  }
  // The last chunk is kept for the next range.
  expect(given.filter(({ length }) => length > 0)).toHaveLength(1);
  expect(await ranges.read(FILE_CHUNK_BYTES * 3 + 5, 6)).toBeNull();
  expect(await ranges.read(FILE_CHUNK_BYTES * 4, 1)).toBeNull();
});

test('a chunk that could not be read is read again', async () => {
  let reads = 0;
  const chunk = async () => {
    if (++reads === 1) throw new Error('the store is away');
    return reads === 2 ? null : new Uint8Array([1, 2, 3]);
  };
  const ranges = new FileRanges({ chunk }, 'file-1');
  await expect(ranges.read(0, 2)).rejects.toThrow('the store is away');
  expect(await ranges.read(0, 2)).toBeNull();
  expect(await ranges.read(1, 2)).toEqual(new Uint8Array([2, 3]));
});
