import { beforeEach, expect, test } from 'bun:test';
import { sampleRelay } from '../../ports/testing/batch-samples.ts';
import type { UpstreamBody, UpstreamRequest } from '../../ports/upstream.ts';
import { AnthropicBatches } from './anthropic-batches.ts';
import { customIdOf } from './custom-ids.ts';
import { ProviderApi } from './provider-api.ts';
import { ProviderRefusal } from './provider-refusal.ts';

const AT_MS = 1_790_000_000_000;
const RELAY = sampleRelay({ id: 'relay_1', lines: 2, submittedAtMs: AT_MS });
const OWN = { custom_id: customIdOf('relay_1', 2), result: { type: 'canceled' } };
const OTHER = { custom_id: 'theirs', result: { type: 'canceled' } };
const NOTHING = new Set<string>();

/** A batch in the provider's list, and the first line of its results. */
interface Listed {
  readonly id: string;
  readonly lines?: number;
  readonly isRunning?: boolean;
  /** Absent: its results are gone. */
  readonly result?: object;
  readonly ageMs?: number;
}

/** Newest first. */
let listed: Listed[] = [];
let asked: string[] = [];
let strangers: Set<string>;
beforeEach(() => {
  asked = [];
  strangers = new Set();
});

const PAGE = 2;

function bodyOf(text: string): UpstreamBody {
  const bytes = Buffer.from(text);
  let isRead = false;
  const read = async () => {
    if (isRead) return null;
    isRead = true;
    return bytes;
  };
  return { read, readAll: () => bytes, cancel: () => undefined };
}

async function send({ url }: Pick<UpstreamRequest, 'url'>) {
  const path = url.replace('http://provider/messages/batches', '');
  asked.push(path);
  const answer = (status: number, text: string) => ({ status, headers: { get: () => null }, body: bodyOf(text) });
  if (path.startsWith('?')) {
    const after = new URLSearchParams(path).get('after_id');
    const from = listed.findIndex(({ id }) => id === after) + 1;
    const data = listed.slice(from, from + PAGE).map(({ id, lines = 2, isRunning = false, ageMs = 0 }) => ({
      ...{ id, processing_status: isRunning ? 'in_progress' : 'ended' },
      created_at: new Date(AT_MS - ageMs).toISOString(),
      request_counts: { processing: isRunning ? lines : 0, succeeded: 0, errored: isRunning ? 0 : lines },
    }));
    return answer(200, JSON.stringify({ data, has_more: from + PAGE < listed.length }));
  }
  const { result } = listed.find(({ id }) => path === `/${id}/results`) ?? {};
  return result === undefined ? answer(404, '{}') : answer(200, `${JSON.stringify(result)}\n`);
}

function find(others: ReadonlySet<string> = NOTHING) {
  const channel = {
    addressOf: () => ({ baseUrl: 'http://provider', headers: {} }),
    ...{ secrets: { cleaned: (failure: unknown) => failure }, timeouts: {}, isGuarded: false, local: undefined },
  } as never;
  const client = { accountId: 'acme', signal: new AbortController().signal };
  const api = new ProviderApi({ send: send as never }, channel, client);
  const bodies = { take: () => true, giveBack: () => undefined };
  return new AnthropicBatches(api, channel, strangers, bodies, 'acme').find(RELAY, others);
}

test('a batch is found by an id of its results, on a later page, beside others of its size', async () => {
  listed = [
    { id: 'larger', lines: 3, result: OTHER },
    { id: 'other', result: OTHER },
    { id: 'running', isRunning: true },
    { id: 'own', result: OWN },
  ];
  expect(await find()).toBe('own');
  expect(asked.filter((path) => !path.startsWith('?'))).toEqual(['/other/results', '/own/results']);
  // Batches that are known to be of others are not read again.
  asked = [];
  expect(await find()).toBe('own');
  expect(asked.filter((path) => !path.startsWith('?'))).toEqual(['/own/results']);
});

test('nothing is known while a batch of its size runs, unless it is another of the gateway', async () => {
  listed = [{ id: 'running', isRunning: true }];
  const unknown = await find();
  expect(unknown).toBeInstanceOf(ProviderRefusal);
  expect(unknown).toMatchObject({ status: null, message: expect.stringContaining('running') });
  expect(await find(new Set(['running']))).toBeNull();
});

test('there is no batch if all of its size and time are of others, or have no results any more', async () => {
  listed = [{ id: 'other', result: OTHER }, { id: 'gone' }];
  expect(await find()).toBeNull();
  expect([...strangers]).toEqual(['other', 'gone']);
});

test('older pages are not searched', async () => {
  const old = 3_600_000;
  listed = [
    { id: 'one', lines: 1 },
    { id: 'two', lines: 1, ageMs: old },
    { id: 'own', result: OWN, ageMs: 2 * old },
  ];
  expect(await find()).toBeNull();
  expect(asked).toHaveLength(1);
});
