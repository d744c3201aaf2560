import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createAccount } from '../../../engine/admin/accounts/change-accounts.ts';
import { applyConfiguration } from '../../../engine/admin/configuration/apply-configuration.ts';
import { sampleConfiguration } from '../../../engine/admin/testing/sample-configuration.ts';
import { providers } from '../../../providers/index.ts';
import { MemoryRateCounters } from '../../../stores/in-process/rate-counters.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { withTrail } from '../../../stores/sqlite/testing/trailed-store.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { channelRoutes } from './channels.ts';

const KEY = 'upstream-key-of-thirty-characters';
const OWN = { id: 'own', provider: 'openai', api_key: KEY, models: ['gpt-5-mini'] };
const ACME = token('acme');
const OTHER = token('other');
const counters = new MemoryRateCounters({ monotonicMs: () => 0 });
const STATED = { channelId: 'own', upstreamModel: 'gpt-5-mini', unit: 'requests', limit: 60, left: 3 } as const;
const LOAD = { counters, limiters: { runningAt: () => 2, waitingFor: () => 5 }, stated: () => [STATED] };

let fixture: ManagementFixture;
const ask = (...args: Parameters<ManagementFixture['ask']>) => fixture.ask(...args);
const error = async (...args: Parameters<ManagementFixture['ask']>) => {
  const { status, body } = await ask(...args);
  return [status, body.error.param];
};

beforeEach(async () => {
  fixture = await ManagementFixture.open(({ store, clock }) =>
    channelRoutes({
      ...{ store, clock, providers, sandbox: false, load: LOAD },
      addresses: { check: async (url) => (/127\.|10\.|localhost|inside/.test(url) ? 'forbidden' : 'public') },
    }),
  );
  const store = withTrail(fixture.store);
  for (const id of ['acme', 'other']) await createAccount(store, fixture.clock, { id });
  const channels = [{ ...OWN, id: 'filed', owner: 'acme', base_url: 'http://10.0.0.5/v1' }];
  await applyConfiguration(store.directory, fixture.clock, sampleConfiguration({ channels }));
});
afterEach(closeTestStores);

describe('the limits of a channel', () => {
  test('are stored, shown and removed, and their use can be read', async () => {
    const limits = { max_concurrent: 4, models: { 'gpt-5-mini': { requests_per_minute: 60 } } };
    const queue = { max_waiting: 20 };
    const made = await ask(ACME, 'POST /channels', { ...OWN, limits, queue, follow_provider_limits: false });
    const none = { max_concurrent: null, requests_per_minute: null, tokens_per_minute: null };
    expect(made.body).toMatchObject({
      limits: { ...none, max_concurrent: 4, models: { 'gpt-5-mini': { ...none, requests_per_minute: 60 } } },
      queue: { max_waiting: 20, max_wait_ms: 10_000 },
      follow_provider_limits: false,
    });
    const scope = '{channel:own}:model:gpt-5-mini:requests';
    counters.add({ scope, limit: 60, windowMs: 60_000, amount: 1 }, 7);
    expect((await ask(ACME, 'GET /channels/own/load')).body).toEqual({
      ...{ object: 'channel_load', id: 'own', running: 2, max_concurrent: 4, waiting: 5 },
      ...{ requests_per_minute: null, tokens_per_minute: null },
      models: [{ id: 'gpt-5-mini', requests_per_minute: { limit: 60, used: 7 }, tokens_per_minute: null }],
      stated: [{ upstream_model: 'gpt-5-mini', unit: 'requests', limit: 60, left: 3 }],
    });
    expect((await ask(OTHER, 'GET /channels/own/load')).status).toBe(404);
    const without = await ask(ACME, 'PATCH /channels/own', { limits: {}, queue: null });
    expect(without.body).toMatchObject({ limits: null, queue: null, follow_provider_limits: false });
  });

  test.each([
    [{ limits: { max_concurrent: 0 } }, 'limits.max_concurrent'],
    [{ limits: { models: { a: { requests: 1 } } } }, 'limits.models.a.requests'],
    [{ queue: { max_wait_ms: 1_000 } }, 'queue.max_waiting'],
    [{ queue: { max_waiting: 10_001 } }, 'queue.max_waiting'],
  ])('%j are refused', async (fields, param) => {
    expect(await error(ACME, 'POST /channels', { ...OWN, ...fields })).toEqual([400, param]);
  });
});

describe('an account', () => {
  test('creates, sees, changes and deletes its own channel, whose key is never returned', async () => {
    const { id: _id, ...unnamed } = OWN;
    const made = await ask(ACME, 'POST /channels', unnamed);
    expect([made.status, made.body.type, made.body.owner, made.body.api_key_preview]).toEqual([
      201,
      'PRIVATE',
      'acme',
      '…ters',
    ]);
    const path = `/channels/${made.body.id}`;
    const read = await ask(ACME, `GET ${path}`);
    expect(read.body).toEqual(made.body);
    const etag = read.headers.get('etag') ?? '';
    expect((await ask(ACME, `PATCH ${path}`, { priority: 3 }, { 'if-match': etag })).body.priority).toBe(3);
    expect(await error(ACME, `PATCH ${path}`, { priority: 4 }, { 'if-match': etag })).toEqual([412, 'If-Match']);
    const lost = { only_here: ['gpt-5-mini'], only_here_count: 1 };
    expect((await ask(ACME, `GET ${path}/impact`)).body).toMatchObject({ object: 'channel_impact', only_here: [] });
    await ask(ACME, 'POST /channels/filed/disable');
    expect((await ask(ACME, `GET ${path}/impact`)).body).toMatchObject(lost);
    expect((await ask(ACME, `POST ${path}/disable`)).body).toMatchObject({
      state: 'disabled',
      only_here: lost.only_here,
    });
    expect((await ask(ACME, `GET ${path}/impact`)).body).toMatchObject({ only_here: [], only_here_count: 0 });
    await ask(ACME, 'POST /channels/filed/enable');
    expect((await ask(ACME, 'GET /channels?state=disabled')).body.data).toHaveLength(1);
    expect((await ask(ACME, `DELETE ${path}`)).body).toMatchObject({ deleted: true, only_here: [] });
    expect(
      JSON.stringify([made, read, await fixture.store.audit.page({ order: 'newest', after: null, limit: 50 })]),
    ).not.toContain(KEY);
  });

  test('cannot learn of other channels', async () => {
    await ask(OPERATOR, 'POST /channels', { ...OWN, id: 'shared' });
    await ask(ACME, 'POST /channels', OWN);
    expect((await ask(OTHER, 'GET /channels')).body.data).toEqual([]);
    for (const id of ['own', 'shared', 'filed']) {
      for (const line of [
        `GET /channels/${id}`,
        `DELETE /channels/${id}`,
        `POST /channels/${id}/reset`,
        `GET /channels/${id}/impact`,
      ]) {
        const { status, body } = await ask(OTHER, line);
        expect([line, status, body.error.message.includes('did you mean')]).toEqual([line, 404, false]);
      }
      const taken = await ask(OTHER, 'POST /channels', { ...OWN, id });
      expect([taken.status, taken.body.error.message]).toEqual([
        409,
        `id: "${id}" is taken: choose another id, or leave it out.`,
      ]);
    }
    expect(await error(OTHER, 'POST /channels', { ...OWN, id: 'x', owner: 'acme' })).toEqual([403, 'owner']);
    expect(await error(ACME, 'PATCH /channels/own', { owner: null })).toEqual([403, 'owner']);
  });

  test.each([
    [{ base_url: 'https://127.0.0.1/v1' }, 400, 'base_url'],
    [{ base_url: 'https://inside.example/v1' }, 400, 'base_url'],
    [{ base_url: 'http://api.example.com/v1' }, 400, 'base_url'],
    [{ provider: 'ollama', api_key: null }, 400, 'base_url'],
    [{ provider: 'sandbox', api_key: null }, 403, 'provider'],
    [{ provider: 'vertex', api_key: null }, 400, 'api_key'],
    [{ provider: 'vertex', api_key: '{"type":"external_account"}' }, 400, 'api_key'],
    [{ provider: 'vertex', api_key: '{"type":"service_account","token_uri":"http://10.0.0.1/"}' }, 400, 'api_key'],
  ])('cannot have the gateway reach inside: %p', async (fields, status, param) => {
    expect(await error(ACME, 'POST /channels', { ...OWN, ...fields })).toEqual([status, param]);
    if (!('provider' in fields)) {
      await ask(ACME, 'POST /channels', OWN);
      expect(await error(ACME, 'PATCH /channels/own', fields)).toEqual([status, param]);
    }
  });

  test('cannot send a stored key to another address', async () => {
    await ask(ACME, 'POST /channels', OWN);
    const moved = { base_url: 'https://elsewhere.example/v1' };
    expect(await error(ACME, 'PATCH /channels/own', moved)).toEqual([400, 'api_key']);
    expect((await ask(ACME, 'PATCH /channels/own', { ...moved, api_key: KEY })).status).toBe(200);
  });

  test('cannot change a channel of the file, and is told so', async () => {
    expect((await ask(ACME, 'GET /channels/filed')).body.managed_by).toBe('file');
    const { status, body } = await ask(ACME, 'PATCH /channels/filed', { name: 'X' });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('configuration file')]);
  });
});

describe('an operator', () => {
  test('can send a stored key to another address after signing in, but not with a token', async () => {
    await ask(OPERATOR, 'POST /channels', { ...OWN, id: 'shared' });
    const moved = { base_url: 'https://elsewhere.example/v1' };
    const robot = token('house', { isOperator: true });
    expect(await error(robot, 'PATCH /channels/shared', moved)).toEqual([400, 'api_key']);
    expect((await ask(robot, 'PATCH /channels/shared', { ...moved, api_key: KEY })).status).toBe(200);
    const back = { base_url: 'https://third.example/v1' };
    expect((await ask(OPERATOR, 'PATCH /channels/shared', back)).status).toBe(200);
  });

  test('creates PLATFORM channels, and PRIVATE ones for a named account', async () => {
    const inside = { ...OWN, base_url: 'http://10.0.0.9/v1' };
    const shared = await ask(OPERATOR, 'POST /channels', { ...inside, id: 'shared' });
    expect([shared.status, shared.body.type]).toEqual([201, 'PLATFORM']);
    expect(await error(OPERATOR, 'POST /channels?account_id=acme', inside)).toEqual([400, 'base_url']);
    expect((await ask(OPERATOR, 'POST /channels?account_id=acme', OWN)).body.owner).toBe('acme');
    const ids = async (query: string) =>
      (await ask(OPERATOR, `GET /channels${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual(['filed', 'own', 'shared']);
    expect(await ids('?scope=platform')).toEqual(['shared']);
    expect(await ids('?account_id=acme')).toEqual(['filed', 'own']);
    expect(await ids('?provider=anthropic')).toEqual([]);
  });
});
