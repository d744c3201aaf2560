import { afterEach, expect, test } from 'bun:test';
import { parquetMetadataAsync } from 'hyparquet';
import type { ExportedLine } from '../../engine/ports/export-destination.ts';
import { sampleRecord } from '../../engine/ports/testing/samples.ts';
import { type NamedFile, ParquetBatch } from './parquet-batch.ts';
import { ParquetThread } from './parquet-thread.ts';

const HOUR_MS = 3_600_000;
const HOURS = 30;
const LINES_PER_HOUR = 400;

const thread = new ParquetThread('a test');
afterEach(() => thread.close());

test('lines of many hours are compressed before each hour has a whole group of rows', async () => {
  const files: NamedFile[] = [];
  const batch = new ParquetBatch({
    thread,
    partOf: ({ record }) => `hour ${Math.floor(record.atMs / HOUR_MS)}`,
    send: async (file) => void files.push(file),
  });
  for (let hour = 0; hour < HOURS; hour++) {
    const lines = Array.from({ length: LINES_PER_HOUR }, (_, index): ExportedLine => {
      const id = hour * LINES_PER_HOUR + index + 1;
      return { id, record: sampleRecord({ requestId: `req_${id}`, atMs: hour * HOUR_MS }), names: null };
    });
    await batch.add(lines);
  }
  expect(batch.size).toBeGreaterThan(0);
  expect(await batch.send()).toEqual([]);
  expect(files).toHaveLength(HOURS);
  for (const { bytes } of files) {
    const { num_rows: rows } = await parquetMetadataAsync(bytes.buffer);
    expect(rows).toBe(BigInt(LINES_PER_HOUR));
  }
});
