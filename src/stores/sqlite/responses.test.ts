import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../engine/ports/store.ts';
import { sampleResponse } from '../../engine/ports/testing/samples.ts';
import { SecretBoxError } from '../shared/secret-box.ts';
import { SQLITE, Values } from '../sql/program.ts';
import { chainWalk } from '../sql/responses.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { copyEmptyDatabase } from './testing/empty-database.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let path: string;
let nowMs: number;
let stores: Store[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-responses-'));
  path = join(folder, 'switchyard.db');
  await copyEmptyDatabase(path);
  nowMs = 1_790_000_000_000;
  stores = [];
});

afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(secret = 'master'): Promise<Store> {
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const store = await openSqliteStore({ path, secret, clock, logger });
  stores.push(store);
  return store;
}

function storedCount(): number {
  const tool = new Database(path);
  const row = tool.query<{ count: number }, []>('SELECT count(*) AS count FROM responses').get();
  tool.close();
  return row?.count ?? 0;
}

function editByHand(sql: string): void {
  const tool = new Database(path);
  tool.run(sql);
  tool.close();
}

test('responses survive reopening', async () => {
  const first = await open();
  await first.responses.put(sampleResponse());
  await first.close();
  expect(await (await open()).responses.get('acme', 'resp_1')).toEqual(sampleResponse());
});

test('closing waits for pending writes', async () => {
  const first = await open();
  const putting = first.responses.put(sampleResponse());
  await first.close();
  expect(await putting).toBe('stored');
  expect(await (await open()).responses.get('acme', 'resp_1')).toEqual(sampleResponse());
});

test('storing a response does not change the version of the directory', async () => {
  const store = await open();
  const before = await store.directory.state();
  await store.responses.put(sampleResponse());
  expect(await store.directory.state()).toEqual(before);
});

describe('content', () => {
  test('is never in the files as plain text, neither while stored nor after deletion', async () => {
    const { responses } = await open();
    const words = { inputJson: '["the-private-question"]', responseJson: '{"text":"the-private-answer"}' };
    await responses.put(sampleResponse(words));
    const everything = () => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
    expect(everything().includes('resp_1')).toBe(true);
    expect(everything().includes('the-private')).toBe(false);
    await responses.delete('acme', 'resp_1');
    expect(everything().includes('the-private')).toBe(false);
  });

  test('of another secret is refused by name, without revealing it', async () => {
    await (await open()).responses.put(sampleResponse({ inputJson: '["the-private-question"]' }));
    editByHand('DELETE FROM secret_check');
    const reading = (await open('other')).responses.get('acme', 'resp_1');
    await expect(reading).rejects.toBeInstanceOf(SecretBoxError);
    await expect(reading).rejects.toThrow(/resp_1.*SWITCHYARD_SECRET/);
    await expect(reading).rejects.not.toThrow(/private/);
  });

  test('moved to another row, or another account, does not open', async () => {
    const { responses } = await open();
    for (const id of ['resp_1', 'resp_2']) await responses.put(sampleResponse({ id }));
    editByHand(`UPDATE responses SET sealed_input = (SELECT sealed_input FROM responses WHERE id = 'resp_1')`);
    await expect(responses.get('acme', 'resp_2')).rejects.toThrow('resp_2');
    editByHand(`UPDATE responses SET account_id = 'other' WHERE id = 'resp_1'`);
    await expect(responses.get('other', 'resp_1')).rejects.toThrow('other');
  });
});

test('a chain is followed by the index, not by scanning the table for each link', async () => {
  await open();
  const tool = new Database(path);
  const limits = { maxResponses: 1, maxBytes: 1 };
  const walk = chainWalk(SQLITE, new Values(SQLITE), { accountId: 'acme', id: 'a', nowMs, limits });
  const steps = tool.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${walk}`).all();
  tool.close();
  const onTheTable = steps.map(({ detail }) => detail).filter((detail) => /\b(newest|earlier)\b/.test(detail));
  expect(onTheTable).toHaveLength(2);
  for (const detail of onTheTable) expect(detail).toMatch(/^SEARCH .*\(account_id=\? AND id=\?\)/);
});

describe('expiry', () => {
  test('a batch of large rows ends early, and all expired rows are removed in the end', async () => {
    const { responses } = await open();
    const inputJson = 'x'.repeat(6 * 1024 * 1024);
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      await responses.put(sampleResponse({ id, expiresAtMs: nowMs, inputJson }));
    const removed: number[] = [];
    do removed.push(await responses.removeExpired(nowMs, 500));
    while (removed.at(-1) !== 0);
    expect(removed).toEqual([2, 2, 1, 0]);
    expect(storedCount()).toBe(0);
  });
});
