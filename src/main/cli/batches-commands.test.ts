import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Store } from '../../engine/ports/store.ts';
import { sampleBatch, sampleFile } from '../../engine/ports/testing/batch-samples.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  await run('accounts', 'create', 'acme', '--balance-usd', '1');
});

afterEach(() => fixture.remove());

const run = (...args: string[]) => fixture.outputOf(args);

async function inStore(use: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await fixture.openStore((await readFile(fixture.path('data/master-secret'), 'utf8')).trim());
  await use(store).finally(() => store.close());
}

test('batches are listed, shown and cancelled', async () => {
  expect(await run('batches', 'list')).toBe('No batches found.\n');
  const createdAtMs = fixture.clock.nowMs() - 600_000;
  await inStore(({ batches }) => batches.create(sampleBatch({ createdAtMs, costNanoUsd: 2_000_000_000n })));
  const [, row] = (await run('batches', 'list', '--open')).split('\n');
  expect(row?.split(/ {2,}/)).toEqual([
    ...['batch_1', '10 min', 'acme', 'ci', '/v1/chat/completions', 'validating', '0', '0', '0', '2'],
  ]);
  expect(await run('batches', 'cancel', 'batch_1')).toContain('batch_1 of acme will be cancelled');
  expect(JSON.parse(await run('batches', 'show', 'batch_1', '--json'))).toMatchObject({
    ...{ id: 'batch_1', cancel_requested_at: expect.any(String), metadata: { for: 'tests' } },
  });
  await expect(run('batches', 'show', 'batch_2')).rejects.toThrow('there is no batch "batch_2"');
});

test('files are listed and deleted', async () => {
  expect(await run('files', 'list')).toBe('No files found.\n');
  await inStore(async ({ files }) => {
    await files.create(sampleFile({ name: 'a.jsonl', createdAtMs: fixture.clock.nowMs(), expiresAtMs: null }));
    await files.append('file-1', 0, Uint8Array.of(1));
    await files.finish('file-1', 1, null);
  });
  expect(JSON.parse(await run('files', 'list', '--account', 'acme', '--json'))).toMatchObject([
    { id: 'file-1', bytes: 1, name: 'a.jsonl' },
  ]);
  expect(await run('files', 'delete', 'file-1')).toBe('deleted file-1 of acme, 1 bytes\n');
  expect(await run('files', 'list')).toBe('No files found.\n');
});
