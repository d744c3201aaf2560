import { expect, test } from 'bun:test';
import { contentBytesOf } from '../shared/response-size.ts';
import { describeStoreContract, describeStoreLaws } from '../shared/testing/contract.ts';
import { sampleResponse } from '../shared/testing/samples.ts';
import { openMemoryStore } from './memory-store.ts';

describeStoreContract('memory', async (clock) => openMemoryStore({ clock }));
describeStoreLaws('memory', async (clock) => openMemoryStore({ clock }), 400);

test('the oldest responses are evicted at the limit', async () => {
  const responseCapacityBytes = 2 * contentBytesOf(sampleResponse());
  const { responses } = openMemoryStore({ clock: { nowMs: () => 0 }, responseCapacityBytes });
  for (const id of ['resp_1', 'resp_2', 'resp_3']) await responses.put(sampleResponse({ id }));
  expect(await responses.get('acme', 'resp_1')).toBeNull();
  expect(await responses.get('acme', 'resp_2')).not.toBeNull();
  expect(await responses.get('acme', 'resp_3')).not.toBeNull();
});
