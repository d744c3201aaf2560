import { expect, test } from 'bun:test';
import { AZURE_BATCHES } from '../../../providers/azure-openai/batches.ts';
import { MISTRAL_BATCHES } from '../../../providers/mistral/batches.ts';
import type { FileBatchRules } from '../../../providers/shared/batch-rules.ts';
import { OPENAI_BATCHES } from '../../../providers/shared/batches.ts';
import { TOGETHER_BATCHES } from '../../../providers/together/batches.ts';
import type { RelayChannel } from '../../directory/relay-channel.ts';
import { sampleRelay } from '../../ports/testing/batch-samples.ts';
import type { UpstreamRequest } from '../../ports/upstream.ts';
import { FileBatches } from './file-batches.ts';
import { ProviderApi } from './provider-api.ts';

const AT_MS = 1_790_000_000_000;
const RELAY = sampleRelay({ upstreamFileId: 'mine', submittedAtMs: AT_MS });
const CHANNEL = {
  addressOf: () => ({ baseUrl: 'http://provider', headers: {} }),
  ...{
    secrets: { cleaned: (failure: unknown) => failure },
    timeouts: { whole: {} },
    isGuarded: false,
    local: undefined,
  },
} as unknown as RelayChannel;

/** Returns the batches of a provider that answers with what `answers` returns, and the requests that it gets. */
function at(rules: FileBatchRules, answers: (asked: string) => { readonly status?: number; readonly json: unknown }) {
  const asked: string[] = [];
  const send = async ({ method, url }: UpstreamRequest) => {
    const request = `${method} ${url.replace('http://provider', '')}`;
    asked.push(request);
    const { status = 200, json } = answers(request);
    const body = { read: async () => null, readAll: () => Buffer.from(JSON.stringify(json)), cancel: () => undefined };
    return { status, headers: { get: () => null }, body };
  };
  const client = { accountId: 'acme', signal: new AbortController().signal };
  return { asked, batches: new FileBatches(new ProviderApi({ send }, CHANNEL, client), CHANNEL, rules) };
}

const strangers = (count: number, input: object) =>
  Array.from({ length: count }, (_, number) => ({ id: `b${number}`, created_at: AT_MS / 1_000, ...input }));

test('a batch is found behind a page of others, by an id that follows', async () => {
  const { asked, batches } = at(OPENAI_BATCHES, (request) => ({
    json: request.includes('after=')
      ? { data: [{ id: 'found', input_file_id: 'mine' }], has_more: true }
      : { data: strangers(2, { input_file_id: 'theirs' }), has_more: true },
  }));
  expect(await batches.find(RELAY)).toBe('found');
  expect(asked).toEqual(['GET /batches?limit=100', 'GET /batches?limit=100&after=b1']);
});

test('a job is found behind a page of others, by the number of the page', async () => {
  const { asked, batches } = at(MISTRAL_BATCHES, (request) => ({
    json: {
      data: request.includes('page=0')
        ? strangers(100, { input_files: ['theirs'] })
        : [{ id: 'found', input_files: ['mine'] }],
    },
  }));
  expect(await batches.find(RELAY)).toBe('found');
  expect(asked).toEqual(['GET /batch/jobs?page=0&page_size=100', 'GET /batch/jobs?page=1&page_size=100']);
});

test('a batch is found in a list without pages, whatever its order', async () => {
  const old = { id: 'old', input_file_id: 'theirs', created_at: '2020-01-01T00:00:00Z' };
  const { batches } = at(TOGETHER_BATCHES, () => ({ json: [old, { id: 'found', input_file_id: 'mine' }, old] }));
  expect(await batches.find(RELAY)).toBe('found');
});

test('the search ends at batches that are older, also if they state a date', async () => {
  const created_at = new Date(AT_MS - 3_600_000).toISOString();
  const { asked, batches } = at(AZURE_BATCHES, () => ({ json: { data: [{ id: 'b', created_at }], has_more: true } }));
  expect(await batches.find(RELAY)).toBeNull();
  expect(asked).toHaveLength(1);
});

test('an answer that is no list leaves open whether the provider has the batch', async () => {
  const { batches } = at(TOGETHER_BATCHES, () => ({ json: { error: 'busy' } }));
  expect(await batches.find(RELAY)).toMatchObject({ status: null });
});

test.each([
  ['pending', { status: 425, isFinal: false }],
  ['error', { status: 400, isFinal: true }],
] as const)("no batch is created from Azure's file with the status %s", async (status, refusal) => {
  const { asked, batches } = at(AZURE_BATCHES, () => ({ json: { id: 'mine', status } }));
  expect(await batches.create(RELAY)).toMatchObject(refusal);
  expect(asked).toEqual(['GET /files/mine']);
});

test('a deployment whose queue is full is asked again later', async () => {
  const { batches } = at(AZURE_BATCHES, (request) =>
    request.startsWith('GET')
      ? { json: { id: 'mine', status: 'processed' } }
      : { status: 400, json: { error: { code: 'token_limit_exceeded', message: 'Full.' } } },
  );
  expect(await batches.create(RELAY)).toMatchObject({ status: 429, isFinal: false, message: 'Full.' });
});

test('what the provider still has is named', async () => {
  const { batches } = at(OPENAI_BATCHES, (request) => ({ status: request.endsWith('out') ? 500 : 404, json: {} }));
  expect(await batches.clear(RELAY, { id: 'b', isEnded: true, results: ['out'] })).toEqual(['out']);
});
