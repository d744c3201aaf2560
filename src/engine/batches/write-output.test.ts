import { expect, test } from 'bun:test';
import { NO_BATCH_USAGE } from '../../domain/batches/batch.ts';
import type { StoredFile } from '../../domain/batches/stored-file.ts';
import { sampleBatch } from '../ports/testing/batch-samples.ts';
import { type OutputPorts, writeOutput } from './write-output.ts';

/** Files in memory, and two lines with results. */
function portsOf(stored: Map<string, StoredFile>, finish: () => void): OutputPorts {
  const result = { offset: 0, bytes: 1, costNanoUsd: 0n, usage: NO_BATCH_USAGE };
  const results = [
    { ...result, number: 1, outcome: 'succeeded' as const, json: '{}' },
    { ...result, number: 2, outcome: 'errored' as const, json: '{}' },
  ];
  return {
    batches: { results: async (_id, after) => results.filter(({ number }) => number > after) },
    files: {
      create: async (file) => {
        if (stored.has(file.id)) throw new Error('the file exists');
        stored.set(file.id, file);
      },
      delete: async (id) => stored.delete(id),
      append: async (id) => stored.has(id),
      finish: async (id, bytes) => {
        finish();
        const file = stored.get(id);
        if (file !== undefined) stored.set(id, { ...file, bytes, isWhole: true });
        return file !== undefined;
      },
      chunk: async () => null,
    },
    nowMs: () => 0,
  };
}

test('files that are written again after a crash replace those of before', async () => {
  const stored = new Map<string, StoredFile>();
  let finished = 0;
  const crash = () => {
    if (++finished === 2) throw new Error('the process has ended');
  };
  const batch = sampleBatch({ claim: 2 });
  await expect(writeOutput(portsOf(stored, crash), sampleBatch({ claim: 1 }), 1)).rejects.toThrow(
    'the process has ended',
  );
  const files = await writeOutput(portsOf(stored, crash), batch, 1);
  expect([...stored.values()].map(({ id, isWhole }) => [id, isWhole])).toEqual([
    [files.outputFileId ?? '', true],
    [files.errorFileId ?? '', true],
  ]);
  expect(await writeOutput(portsOf(stored, crash), batch, 1)).toEqual(files);
  // An owner that has lost the batch writes files of its own.
  await writeOutput(portsOf(stored, crash), sampleBatch({ claim: 1 }), 1);
  expect([files.outputFileId, files.errorFileId].every((id) => id !== null && stored.has(id))).toBe(true);
});
