import { afterEach, beforeEach, expect, test } from 'bun:test';
import { FILE_CHUNK_BYTES } from '../../../domain/batches/stored-file.ts';
import { AdminError } from '../../../engine/admin/admin-error.ts';
import type { AuditTrail } from '../../../engine/admin/audit/audit-trail.ts';
import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleBatch, sampleFile } from '../../../engine/ports/testing/batch-samples.ts';
import { closeTestStores, openTestStore } from '../../../stores/sqlite/testing/test-store.ts';
import type { ManagementCall } from '../route.ts';
import { batchRoutes } from './batches.ts';

const NOW = 1_790_000_000_000;

let store: Store;
let noted: unknown[];

beforeEach(async () => {
  noted = [];
  store = await openTestStore();
  await store.batches.create(sampleBatch());
  await store.batches.create(sampleBatch({ id: 'batch_2', accountId: 'other', createdAtMs: NOW + 1 }));
  await store.files.create(sampleFile({ expiresAtMs: null }));
  await store.files.append('file-1', 0, new Uint8Array(FILE_CHUNK_BYTES).fill(65));
  await store.files.append('file-1', 1, Uint8Array.of(10));
  await store.files.finish('file-1', FILE_CHUNK_BYTES + 1, null);
});
afterEach(closeTestStores);

async function ask(operationId: string, call: Partial<ManagementCall> = {}) {
  const routes = batchRoutes({ store, clock: new FakeClock(NOW) });
  const route = routes.find((one) => one.operationId === operationId);
  const trail: Pick<AuditTrail, 'note'> = {
    note: async (entry) => {
      noted.push(entry);
    },
  };
  const { directory } = store;
  // These routes read nothing else of a call.
  const answer = await route?.handle({ accountId: 'acme', query: {}, directory, trail, ...call } as ManagementCall);
  const body = typeof answer?.body === 'string' ? JSON.parse(answer.body) : answer?.body;
  if (body !== undefined) expect(route?.answer.schema?.parse(body)).toEqual(body);
  return { ...answer, body };
}

const idsOf = async (operationId: string, call: Partial<ManagementCall>) =>
  (await ask(operationId, call)).body.data.map(({ id }: { id: string }) => id);

test('an account sees its own batches, an operator those of all', async () => {
  expect(await idsOf('listManagedBatches', {})).toEqual(['batch_1']);
  expect(await idsOf('listManagedBatches', { accountId: null })).toEqual(['batch_2', 'batch_1']);
  const { next } = (await ask('listManagedBatches', { accountId: null, query: { limit: 1 } })).body;
  expect(await idsOf('listManagedBatches', { accountId: null, query: { after: next } })).toEqual(['batch_1']);
  expect(await idsOf('listManagedBatches', { query: { open: true } })).toEqual(['batch_1']);
  expect(await idsOf('listManagedBatches', { query: { stage: 'completed' } })).toEqual([]);
  await expect(ask('getManagedBatch', { params: { id: 'batch_2' } })).rejects.toBeInstanceOf(AdminError);
});

test('a batch shows how its lines have ended so far', async () => {
  const usage = { inputTokens: 3, cachedTokens: 0, outputTokens: 5, reasoningTokens: 0 };
  await store.batches.addLines(
    'batch_1',
    0,
    [1, 2].map((number) => ({ number, offset: 0, bytes: 1 })),
  );
  await store.batches.finishLines('batch_1', 0, [
    { number: 2, outcome: 'succeeded', json: '{}', costNanoUsd: 1_500n, usage },
  ]);
  expect((await ask('getManagedBatch', { params: { id: 'batch_1' } })).body).toMatchObject({
    ...{ stage: 'validating', succeeded: 1, errored: 0, cost_usd: '0.0000015', metadata: { for: 'tests' } },
    tokens: { input: 3, cached_input: 0, output: 5, reasoning: 0 },
  });
});

test('cancelling is noted once, and refused after the end', async () => {
  const params = { id: 'batch_1' };
  expect((await ask('cancelManagedBatch', { params })).body).toMatchObject({ cancel_requested_at: expect.any(String) });
  await ask('cancelManagedBatch', { params });
  expect(noted).toEqual([{ action: 'batch.cancel', accountId: 'acme', objectId: 'batch_1' }]);
  await store.batches.change('batch_1', 0, { stage: 'cancelled' });
  await expect(ask('cancelManagedBatch', { params })).rejects.toThrow('is cancelled, which is final');
});

test('a file is listed, downloaded and deleted by its account', async () => {
  const params = { id: 'file-1' };
  expect(await idsOf('listManagedFiles', {})).toEqual(['file-1']);
  expect(await idsOf('listManagedFiles', { accountId: 'other' })).toEqual([]);
  await expect(ask('getManagedFileContent', { params, accountId: 'other' })).rejects.toBeInstanceOf(AdminError);
  const { raw } = await ask('getManagedFileContent', { params });
  const text = await new Response(raw?.body).text();
  expect([text.length, text.at(-1)]).toEqual([FILE_CHUNK_BYTES + 1, '\n']);
  expect(noted).toEqual([]);
  await ask('deleteManagedFile', { params });
  expect(await idsOf('listManagedFiles', {})).toEqual([]);
  expect(noted).toMatchObject([{ action: 'file.delete', objectId: 'file-1' }]);
});

test('an operator who downloads a file leaves an entry in the audit log of its account', async () => {
  const requester = { isOperator: true } as ManagementCall['requester'];
  await ask('getManagedFileContent', { params: { id: 'file-1' }, accountId: null, requester });
  expect(noted).toEqual([{ action: 'file.read', accountId: 'acme', objectId: 'file-1' }]);
});

test('a file that is deleted while it is read does not look complete', async () => {
  const { raw } = await ask('getManagedFileContent', { params: { id: 'file-1' } });
  // The content of a file that an open batch reads is kept until the batch has ended.
  for (const id of ['batch_1', 'batch_2']) await store.batches.change(id, 0, { stage: 'cancelled' });
  await store.files.delete('file-1', 'acme');
  await expect(new Response(raw?.body).text()).rejects.toThrow('was deleted');
});
