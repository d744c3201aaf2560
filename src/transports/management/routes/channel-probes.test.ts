import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { until } from '../../../domain/testing/until.ts';
import { createAccount } from '../../../engine/admin/accounts/change-accounts.ts';
import { createChannel } from '../../../engine/admin/channels/change-channels.ts';
import { ChannelTestSlots } from '../../../engine/channel-tests/test-channel.ts';
import type { UpstreamBody, UpstreamRequest } from '../../../engine/ports/upstream.ts';
import { providers } from '../../../providers/index.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { withTrail } from '../../../stores/sqlite/testing/trailed-store.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { channelProbeRoutes } from './channel-probes.ts';

const KEY = 'upstream-key-of-thirty-characters';
const ACME = token('acme');

let fixture: ManagementFixture;
let sent: UpstreamRequest[];
/** The answers by the end of the address; 404 for all others. */
let answers: Readonly<Record<string, readonly [status: number, body: unknown] | 'never'>>;
/** Produces pieces of a body that replaces all answers. */
let pieces: (() => Uint8Array) | null;
let read: { bytes: number; isCancelled: boolean };
const ask = (...args: Parameters<ManagementFixture['ask']>) => fixture.ask(...args);
const probe = async (body: object) => (await ask(ACME, 'POST /channels/probe', { api_key: KEY, ...body })).body;

const upstream = {
  interrupt() {},
  send: async (request: UpstreamRequest) => {
    sent.push(request);
    const path = Object.keys(answers).find((end) => request.url.endsWith(end));
    const answer = path === undefined ? ([404, {}] as const) : answers[path];
    if (answer === 'never') return new Promise<Failure>(() => undefined);
    const bytes = new TextEncoder().encode(JSON.stringify(answer?.[1]));
    const headers = new Headers({ 'content-type': 'application/json' });
    if (pieces !== null) return { status: 200, headers, body: endless(pieces) };
    const rest: (Uint8Array | null)[] = [bytes, null];
    const body = { read: async () => rest.shift() ?? null, readAll: async () => bytes, cancel() {} };
    return { status: answer?.[0] ?? 500, headers, body };
  },
};

function endless(next: () => Uint8Array): UpstreamBody {
  return {
    read: async () => {
      const piece = next();
      read.bytes += piece.length;
      return piece;
    },
    readAll: async () => new Failure('upstream_error', { kind: 'answer_too_large', message: 'Too large.' }),
    cancel: () => {
      read.isCancelled = true;
    },
  };
}

beforeEach(async () => {
  sent = [];
  pieces = null;
  read = { bytes: 0, isCancelled: false };
  answers = { '/models': [200, { data: [{ id: 'house-model' }, { id: 'gpt-5-mini' }, { id: 'two words' }] }] };
  fixture = await ManagementFixture.open(({ clock }) =>
    channelProbeRoutes({
      ...{ providers, upstream, clock, slots: new ChannelTestSlots({ all: 8, perAccount: 2 }) },
      addresses: { check: async (url) => (/127\.|10\.|localhost|inside/.test(url) ? 'forbidden' : 'public') },
    }),
  );
  const { store, clock } = fixture;
  for (const id of ['acme', 'other']) await createAccount(withTrail(store), clock, { id });
});
afterEach(closeTestStores);

describe('a key before it is saved', () => {
  test('is tested by its model list, and nothing is stored', async () => {
    const before = await fixture.store.directory.state();
    expect(await probe({ provider: 'openai' })).toMatchObject({
      ...{ object: 'channel_probe', provider: 'openai', ok: true, checked_by: 'model_list', error: null, listed: true },
      models: [
        { id: 'gpt-5-mini', category: 'chat', known: true, priced: true },
        { id: 'house-model', known: false, priced: false },
      ],
    });
    expect(sent.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', 'https://api.openai.com/v1/models', null],
    ]);
    expect(sent[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(await fixture.store.directory.state()).toEqual(before);
  });

  test('that is refused is reported with advice, and never repeated', async () => {
    answers = { '/models': [401, { error: { message: `Incorrect API key provided: ${KEY}.` } }] };
    const told = await probe({ provider: 'openai' });
    expect(told).toMatchObject({ ok: false, models: [], error: { kind: 'upstream_auth', hint: expect.any(String) } });
    expect(JSON.stringify(told)).not.toContain(KEY);
  });

  test('is sent as the provider requires', async () => {
    await probe({ provider: 'anthropic' });
    expect(sent[0]?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' });
    await probe({ provider: 'google' });
    expect(sent.find(({ url }) => url.includes('pageSize'))?.headers).toMatchObject({ 'x-goog-api-key': KEY });
  });

  test.each([
    ['nvidia', 'an open list says nothing of the key'],
    ['openai', 'there is no list'],
  ])('%s is tested by a small request, since %s', async (provider) => {
    const { '/models': list } = answers;
    answers = provider === 'openai' || list === undefined ? {} : { '/models': list };
    const told = await probe({ provider });
    expect([told.ok, told.checked_by, told.listed]).toEqual([false, 'request', provider === 'nvidia']);
    expect(sent.at(-1)?.method).toBe('POST');
  });

  test('of a provider without text models is tested by its check, or not at all', async () => {
    answers = { '/v1/account': [200, { username: 'acme' }] };
    const told = await probe({ provider: 'replicate' });
    expect([told.ok, told.checked_by, told.listed, told.models.length > 0]).toEqual([true, 'key_check', false, true]);
    expect(await probe({ provider: 'voyage' })).toMatchObject({ ok: null, checked_by: null, listed: false });
  });

  test('is sent only where a stored key would be sent', async () => {
    for (const [body, param] of [
      [{ provider: 'openai', base_url: 'https://inside.example/v1' }, 'base_url'],
      [{ provider: 'openai', base_url: 'http://public.example/v1' }, 'base_url'],
      [{ provider: 'openai', owner: 'other' }, 'owner'],
      [{ provider: 'opnai' }, 'provider'],
      [{ provider: 'openai', settings: { nonsense: 1 } }, 'settings.nonsense'],
      [{ provider: 'sandbox' }, 'provider'],
      [{ provider: 'vertex', api_key: '{"type":"external_account"}' }, 'api_key'],
    ] as const) {
      expect([body, (await probe(body)).error.param]).toEqual([body, param]);
    }
    // The model list is on another host than the given address: the key must not be sent there.
    await probe({ provider: 'github-models', base_url: 'https://own.example/v1' });
    expect(sent.filter(({ url }) => !url.startsWith('https://own.example/'))).toEqual([]);
  });

  test('is limited to two concurrent tests per account', async () => {
    answers = { '/models': 'never' };
    for (const _ of [1, 2]) void probe({ provider: 'openai' });
    await until('both are asked for', () => sent.length === 2);
    expect((await ask(ACME, 'POST /channels/probe', { provider: 'openai', api_key: KEY })).status).toBe(409);
    expect(sent).toHaveLength(2);
  });
});

const MIB = 1024 * 1024;
const repeated = (text: string) => new TextEncoder().encode(text.repeat(Math.ceil((MIB / 4 - 1) / text.length)));

describe('an endless list', () => {
  test('of models is cut, and the response says so', async () => {
    answers = { '/models': [200, { data: Array.from({ length: 200_000 }, (_, index) => ({ id: `m-${index}` })) }] };
    const told = await probe({ provider: 'openai' });
    expect(told).toMatchObject({ ok: true, checked_by: 'model_list', listed: true, models_cut: true });
    expect(told.models).toHaveLength(2_000);
    answers = { '/models': [200, { data: [{ id: 'house-model' }] }] };
    expect((await probe({ provider: 'openai' })).models_cut).toBe(false);
  });

  test.each([
    ['models', '', '{"id":"model"},'],
    ['brackets', '', '['],
    ['objects', '', '{"a":'],
    ['names', '{', '"a":1,'],
    ['spaces', '', ' '],
    ['a text', '{"id":"', 'x'],
  ])('of %s is read for 4 MiB', async (_name, begin, text) => {
    const first = new TextEncoder().encode(`{"data":[{"id":"gpt-5-mini"},${begin}`);
    const [all, then] = [repeated(text), [first]];
    pieces = () => then.shift() ?? all;
    const told = await probe({ provider: 'openai' });
    expect(read.isCancelled).toBe(true);
    expect(read.bytes).toBeLessThan(5 * MIB);
    // The response before the cut is a valid list.
    expect([told.listed, told.models_cut, told.models[0].id]).toEqual([true, true, 'gpt-5-mini']);
  });

  test('does not report missing models', async () => {
    const models = { old: 'gpt-gone' };
    await createChannel(fixture.store.directory, providers, {
      id: 'own',
      provider: 'openai',
      owner: 'acme',
      api_key: KEY,
      models,
    });
    answers = { '/models': [200, { data: Array.from({ length: 3_000 }, (_, index) => ({ id: `m-${index}` })) }] };
    const { body } = await ask(ACME, 'GET /channels/own/reachable-models');
    expect([body.listed, body.models_cut, body.not_offered, body.models.length]).toEqual([true, true, [], 2_000]);
  });
});

test('a stored channel lists new and missing models, to its own account only', async () => {
  const models = { mini: 'gpt-5-mini', old: 'gpt-gone' };
  const channel = { id: 'own', provider: 'openai', owner: 'acme', api_key: KEY, models };
  await createChannel(fixture.store.directory, providers, channel);
  const { body } = await ask(ACME, 'GET /channels/own/reachable-models');
  expect(body).toMatchObject({ ok: true, error: null, listed: true, not_offered: ['gpt-gone'] });
  expect(body.models.map(({ id, served_as }: Record<string, unknown>) => [id, served_as])).toEqual([
    ['gpt-5-mini', ['mini']],
    ['house-model', []],
  ]);
  for (const requester of [token('other'), { ...ACME, scopes: ['keys:read'] as const }]) {
    expect((await ask(requester, 'GET /channels/own/reachable-models')).status).toBeGreaterThan(400);
  }
  answers = { '/models': [503, {}] };
  const failed = (await ask(OPERATOR, 'GET /channels/own/reachable-models')).body;
  expect([failed.ok, failed.error.kind, failed.not_offered]).toEqual([false, 'http_503', []]);
});
