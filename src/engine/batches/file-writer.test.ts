import { expect, test } from 'bun:test';
import { FILE_CHUNK_BYTES } from '../../domain/batches/stored-file.ts';
import { FileWriter } from './file-writer.ts';

/** A file in memory. It copies each chunk, because the writer uses the bytes again. */
function fileInMemory() {
  const chunks: Uint8Array[] = [];
  const writer = new FileWriter(
    {
      append: async (_id, number, bytes) => {
        chunks[number] = bytes.slice();
        return true;
      },
      finish: async () => true,
    },
    'file-1',
  );
  return { chunks, writer };
}

test('lines fill whole chunks, whatever characters lie at their ends', async () => {
  const { chunks, writer } = fileInMemory();
  const lines = Array.from({ length: 400 }, (_, index) => `${index} ${'aä€🚦'.repeat(100 + (index % 7))}`);
  lines.push('x'.repeat(2 * FILE_CHUNK_BYTES), '', 'y'.repeat(FILE_CHUNK_BYTES / 3));
  for (const line of lines) expect(await writer.writeLine(line)).toBe(true);
  const expected = Buffer.from(`${lines.join('\n')}\n`);
  expect(writer.bytes).toBe(expected.length);
  expect(await writer.finish(null)).toBe(true);
  expect(Buffer.concat(chunks).equals(expected)).toBe(true);
  expect(chunks.slice(0, -1).every(({ length }) => length === FILE_CHUNK_BYTES)).toBe(true);
});

test('a line that ends with its chunk begins the next one', async () => {
  const { chunks, writer } = fileInMemory();
  const start = 'a'.repeat(FILE_CHUNK_BYTES - 10);
  for (const line of [start, 'b'.repeat(8), 'c']) await writer.writeLine(line);
  await writer.finish(null);
  expect(chunks.map((chunk) => Buffer.from(chunk).toString())).toEqual([`${start}\n${'b'.repeat(8)}\n`, 'c\n']);
});
