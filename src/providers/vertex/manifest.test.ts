import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { UnsignedRequest } from '../manifest.ts';
import { type AccessToken, tokenSigner } from './authorize.ts';
import { vertex } from './manifest.ts';

const SETTINGS = { project: 'my-project', location: 'europe-west1' };

function urlOf(format: string, model: string, stream: boolean, settings: Readonly<Record<string, unknown>> = SETTINGS) {
  const path = vertex.formats.find((entry) => entry.format === format)?.path;
  return `${vertex.baseUrlOf?.(settings)}${typeof path === 'function' ? path({ model, stream, settings }) : path}`;
}

const PARENT = 'https://europe-west1-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west1';
const BETA_PARENT = PARENT.replace('/v1/', '/v1beta1/');

test('ranking has its own host', () => {
  const wire = vertex.wires?.find(({ wire }) => wire === 'vertex-ranking');
  const call = { model: 'semantic-ranker-default@latest', stream: false, settings: SETTINGS };
  const path = typeof wire?.path === 'function' ? wire.path(call) : null;
  expect(`${wire?.baseUrl}${path}`).toBe(
    'https://discoveryengine.googleapis.com/v1/projects/my-project/locations/global/rankingConfigs/default_ranking_config:rank',
  );
});

describe('URLs', () => {
  test.each([
    ['gemini', 'gemini-2.5-pro', false, `${BETA_PARENT}/publishers/google/models/gemini-2.5-pro:generateContent`],
    [
      'gemini',
      'gemini-2.5-pro',
      true,
      `${BETA_PARENT}/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse`,
    ],
    ['gemini', 'endpoints/123', false, `${BETA_PARENT}/endpoints/123:generateContent`],
    [
      'anthropic-messages',
      'claude-haiku-4-5@20251001',
      false,
      `${PARENT}/publishers/anthropic/models/claude-haiku-4-5@20251001:rawPredict`,
    ],
    [
      'anthropic-messages',
      'claude-opus-5',
      true,
      `${PARENT}/publishers/anthropic/models/claude-opus-5:streamRawPredict`,
    ],
  ])('%s %s, stream %j', (format, model, stream, url) => {
    expect(urlOf(format, model, stream)).toBe(url);
  });

  test('use the global location by default, and need no project in express mode', () => {
    expect(urlOf('gemini', 'g', false, { project: 'p' })).toBe(
      'https://aiplatform.googleapis.com/v1beta1/projects/p/locations/global/publishers/google/models/g:generateContent',
    );
    expect(urlOf('gemini', 'g', false, {})).toBe(
      'https://aiplatform.googleapis.com/v1beta1/publishers/google/models/g:generateContent',
    );
    expect(vertex.baseUrlOf?.({ location: 'eu' })).toBe('https://aiplatform.eu.rep.googleapis.com');
  });

  test('keep a model id in its path segment', () => {
    expect(urlOf('gemini', '../x?y', false)).toBe(`${BETA_PARENT}/publishers/google/models/..%2Fx%3Fy:generateContent`);
  });

  test.each([
    [{ location: 'x.evil.example/' }, false],
    [{ project: 'a/b' }, false],
    [{ project: 'example.com:my-project', location: 'us-east5' }, true],
    [{ location: 'global' }, true],
    [{ location: 'us' }, true],
  ])('have settings %j', (settings, isValid) => {
    expect(vertex.settings?.safeParse(settings).success).toBe(isValid);
  });

  test('serve each model in one format', () => {
    const [gemini, messages] = vertex.formats;
    for (const { id } of vertex.models?.() ?? []) {
      expect(gemini?.models?.test(id)).toBe(!id.startsWith('claude-'));
      expect(messages?.models?.test(id)).toBe(id.startsWith('claude-'));
    }
    expect(messages?.body).toMatchObject({ remove: ['model'], add: { anthropic_version: '"vertex-2023-10-16"' } });
  });
});

const REQUEST: UnsignedRequest = { method: 'POST', url: 'https://example.com/', headers: {}, body: null };

describe('credentials', () => {
  test('of express mode are sent in a header, and a credential file never is', () => {
    expect(vertex.authorize?.({ apiKey: 'AQ.key', settings: {} }, 'gemini')).toEqual({ 'x-goog-api-key': 'AQ.key' });
    expect(vertex.signer?.({ apiKey: 'AQ.key', settings: {} })).toBeNull();
    expect(vertex.authorize?.({ apiKey: '{"private_key":"secret"}', settings: {} }, 'gemini')).toEqual({});
    expect(typeof vertex.signer?.({ apiKey: null, settings: {} })).toBe('function');
  });

  test.each(['{oh', '{"type":"service_account","client_email":"a@example.com","private_key":"no key"}'])(
    'that are not a credential file are a failure: %s',
    async (apiKey) => {
      const outcome = await vertex.signer?.({ apiKey, settings: {} })?.(REQUEST);
      expect(outcome).toBeInstanceOf(Failure);
      expect(outcome).toMatchObject({ kind: 'upstream_auth', retry: 'other-target' });
      expect(JSON.stringify(outcome)).not.toContain('no key');
    },
  );
});

describe('tokens', () => {
  /** Issues `t1`, `t2` … for an hour each, or what `answers` returns. */
  function fixture(answers: (count: number) => Promise<AccessToken>) {
    let fetched = 0;
    const clock = { now: 0 };
    const sign = tokenSigner(
      () => answers(++fetched),
      () => clock.now,
      20,
    );
    return { clock, sign: () => sign(REQUEST), fetched: () => fetched };
  }
  const hour = 3_600_000;

  test('are fetched once for all waiters, cached, and renewed before they expire', async () => {
    const start = fixture(async (count) => ({ token: `t${count}`, expiresAtMs: count * hour }));
    const first = { authorization: 'Bearer t1' };
    expect(await Promise.all([start.sign(), start.sign(), start.sign()])).toEqual([first, first, first]);
    start.clock.now = hour - 5 * 60_000 - 1;
    expect(await start.sign()).toEqual(first);
    expect(start.fetched()).toBe(1);
    start.clock.now += 1;
    expect(await start.sign()).toEqual({ authorization: 'Bearer t2' });
  });

  test('that cannot be renewed are used until they expire', async () => {
    const { clock, sign } = fixture(async (count) => {
      if (count > 1) throw new Error('invalid_grant');
      return { token: 't1', expiresAtMs: hour };
    });
    await sign();
    clock.now = hour - 1;
    expect(await sign()).toEqual({ authorization: 'Bearer t1' });
    clock.now = hour;
    const outcome = await sign();
    expect(outcome instanceof Failure ? outcome.message : outcome).toContain('invalid_grant');
  });

  test('that are not received fail soon, and are requested again', async () => {
    const { sign } = fixture((count) =>
      count === 1 ? new Promise(() => {}) : Promise.resolve({ token: 't', expiresAtMs: hour }),
    );
    expect(await sign()).toMatchObject({ kind: 'token_unavailable', retry: 'other-target' });
    expect(await sign()).toEqual({ authorization: 'Bearer t' });
  });

  // Errors that google-auth-library 10 has thrown.
  test.each([
    ['upstream_auth', 'Error code invalid_grant: Invalid JWT Signature.', 400],
    ['upstream_auth', 'Error code unauthorized_client: no', 401],
    ['upstream_auth', 'error:1E08010C:DECODER routines::unsupported', 'ERR_OSSL_UNSUPPORTED'],
    ['upstream_auth', 'The incoming JSON object does not contain a client_email field', undefined],
    ['upstream_auth_expired', 'Token must be a short-lived token and in a reasonable timeframe. Check iat.', 400],
    ['token_unavailable', 'Error code unavailable', 503],
    ['token_unavailable', 'Error code slow_down', 429],
    ['token_unavailable', 'getaddrinfo ENOTFOUND oauth2.googleapis.com', 'ENOTFOUND'],
    ['token_unavailable', 'ECONNREFUSED: Unable to connect.', 'ECONNREFUSED'],
    ['token_unavailable', 'Could not load the default credentials. Browse to …', undefined],
  ])('are refused or unavailable: %s, %s', async (kind, message, code) => {
    const { sign } = fixture(() =>
      Promise.reject(Object.assign(new Error(message), code === undefined ? {} : { code })),
    );
    expect(await sign()).toMatchObject({ code: 'upstream_error', side: 'upstream', kind, retry: 'other-target' });
  });
});
