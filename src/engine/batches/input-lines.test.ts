import { expect, test } from 'bun:test';
import { FILE_CHUNK_BYTES } from '../../domain/batches/stored-file.ts';
import { inputLines } from './input-lines.ts';

test('lines are whole wherever the chunks end, and the chunks are freed', async () => {
  const texts = ['first', '', ' \r', 'ä'.repeat(FILE_CHUNK_BYTES), 'x'.repeat(FILE_CHUNK_BYTES - 20), 'last'];
  const content = Buffer.from(texts.join('\n'));
  const given: Uint8Array[] = [];
  const chunk = async (_id: string, number: number) => {
    const bytes = new Uint8Array(content.subarray(number * FILE_CHUNK_BYTES, (number + 1) * FILE_CHUNK_BYTES));
    given.push(bytes);
    return bytes;
  };
  const found: (string | number)[][] = [];
  for await (const { number, offset, length, bytes } of inputLines(
    { chunk },
    { id: 'f', bytes: content.length },
    1e6,
  )) {
    expect(content.subarray(offset, offset + length).equals(bytes ?? new Uint8Array())).toBe(true);
    found.push([number, Buffer.from(bytes ?? []).toString()]);
  }
  expect(found).toEqual([1, 4, 5, 6].map((number) => [number, texts[number - 1] ?? '']));
  expect(given.map(({ length }) => length)).toEqual([0, 0, 0]);
});
