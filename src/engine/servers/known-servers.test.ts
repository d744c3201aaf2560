import { beforeEach, describe, expect, test } from 'bun:test';
import type { Channel } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { openaiCompatible } from '../../providers/openai-compatible/manifest.ts';
import { channelOf } from '../call/testing/sample-routes.ts';
import type { Upstream, UpstreamAnswer } from '../ports/upstream.ts';
import { KnownServers } from './known-servers.ts';
import { recognizeServer } from './recognize-server.ts';

const unreachable = () => new Failure('upstream_error', { message: 'Refused.', kind: 'connect_refused' });

let asked: string[] = [];
let answers: Readonly<Record<string, unknown>> = {};
let nowMs = 0;

beforeEach(() => {
  asked = [];
  answers = {};
  nowMs = 0;
});

/** Answers with JSON, or the failure, at the paths in `answers`, and with a 404 at all others. */
const upstream: Upstream = {
  interrupt: () => undefined,
  send: async ({ url }) => {
    const { pathname } = new URL(url);
    asked.push(pathname);
    const said = answers[pathname] ?? answers['*'];
    return said instanceof Failure ? said : answerOf(said);
  },
};

function answerOf(said: unknown): UpstreamAnswer {
  const bytes = new TextEncoder().encode(JSON.stringify(said ?? { error: 'Not Found' }));
  return {
    status: said === undefined ? 404 : 200,
    headers: new Headers(),
    body: { read: async () => bytes, readAll: () => bytes, cancel: () => undefined },
  };
}

function channel(settings: Readonly<Record<string, unknown>> = {}, baseUrl = 'http://127.0.0.1:8000/v1'): Channel {
  return { ...channelOf('a', 'openai-compatible'), baseUrl, settings };
}

const ofModels = (owned_by: string) => ({ '/v1/models': { data: [{ id: 'm', owned_by }] } });

describe('a server is recognized', () => {
  test.each([
    ['vllm', ofModels('vllm')],
    ['sglang', ofModels('sglang')],
    ['llama.cpp', ofModels('llamacpp')],
    ['lm-studio', ofModels('organization_owner')],
    ['ollama', ofModels('library')],
    ['vllm', { ...ofModels('me'), '/version': { version: '0.19.0' } }],
    ['llama.cpp', { '/props': { default_generation_settings: {}, total_slots: 1 } }],
    ['sglang', { '/get_model_info': { model_path: 'm', is_generation: true } }],
    ['ollama', { '/api/version': { version: '0.17.7' } }],
    ['tei', { '/info': { model_id: 'm', model_type: { embedding: {} }, max_client_batch_size: 32 } }],
  ])('as %s by %j', async (name, said) => {
    answers = said;
    expect(await recognizeServer(upstream, channel(), openaiCompatible)).toMatchObject({
      family: { name },
      source: 'detected',
    });
  });

  test('only by its own sign', async () => {
    answers = { ...ofModels('openai'), '/version': { version: '1', build: 'x' }, '/props': [], '/info': 'TEI' };
    expect(await recognizeServer(upstream, channel(), openaiCompatible)).toEqual({ family: null, source: null });
  });

  test('at its base URL without the version, wherever that is', async () => {
    await recognizeServer(upstream, channel({}, 'http://127.0.0.1:8000/team/v1'), openaiCompatible);
    expect(asked).toContain('/team/v1/models');
    expect(asked).toContain('/team/version');
    expect(new Set(asked).size).toBe(asked.length);
  });

  test('even if it requires another key for its models', async () => {
    answers = {
      '/v1/models': new Failure('upstream_error', { message: 'No.', kind: 'upstream_auth' }),
      '/version': { version: '0.19.0' },
    };
    expect(await recognizeServer(upstream, channel(), openaiCompatible)).toMatchObject({ family: { name: 'vllm' } });
  });
});

test('a server in the settings is not probed', async () => {
  expect(await recognizeServer(upstream, channel({ server: 'sglang' }), openaiCompatible)).toMatchObject({
    ...{ family: { name: 'sglang' }, source: 'set' },
  });
  expect(await recognizeServer(upstream, channel({ server: 'other' }), openaiCompatible)).toEqual({
    ...{ family: null, source: 'set' },
  });
  expect(asked).toEqual([]);
});

test('an unreachable address is probed once', async () => {
  answers = { '*': unreachable() };
  expect(await recognizeServer(upstream, channel(), openaiCompatible)).toBeInstanceOf(Failure);
  expect(asked).toEqual(['/v1/models']);
});

describe('known servers', () => {
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const quirksOf = (servers: KnownServers, of: Channel) => servers.manifestFor(of, openaiCompatible).formats[0]?.quirks;
  const takesThoughts = (servers: KnownServers, of: Channel) =>
    quirksOf(servers, of)?.some((quirk) => quirk.kind === 'reasoning-input' && quirk.field === 'reasoning');

  function open() {
    const changed: (string | null)[] = [];
    const servers = new KnownServers({ upstream, clock, logger: { info: () => undefined } });
    servers.changed = (owner) => changed.push(owner);
    return { servers, changed };
  }

  test('bring their rules once recognized, and report that targets must be rebuilt', async () => {
    answers = ofModels('vllm');
    const { servers, changed } = open();
    expect(servers.manifestFor(channel(), openaiCompatible)).toBe(openaiCompatible);
    await servers.nearOnesKnown();
    expect(changed).toEqual([null]);
    expect(takesThoughts(servers, channel())).toBe(true);
    expect(asked).toEqual(['/v1/models']);
  });

  test('are probed again after an hour, and may have changed', async () => {
    answers = ofModels('vllm');
    const { servers, changed } = open();
    servers.manifestFor(channel(), openaiCompatible);
    await servers.nearOnesKnown();
    nowMs = 3_599_999;
    servers.manifestFor(channel(), openaiCompatible);
    await servers.nearOnesKnown();
    expect(asked).toHaveLength(1);
    nowMs = 3_600_000;
    answers = ofModels('sglang');
    servers.manifestFor(channel(), openaiCompatible);
    await servers.nearOnesKnown();
    expect(takesThoughts(servers, channel())).toBe(false);
    expect(changed).toEqual([null, null]);
  });

  test('that are unreachable are probed again later, and keep their rules', async () => {
    answers = ofModels('vllm');
    const { servers } = open();
    servers.manifestFor(channel(), openaiCompatible);
    await servers.nearOnesKnown();
    answers = { '*': unreachable() };
    nowMs = 3_600_000;
    servers.manifestFor(channel(), openaiCompatible);
    await servers.nearOnesKnown();
    expect(takesThoughts(servers, channel())).toBe(true);
    nowMs += 9_999;
    servers.manifestFor(channel(), openaiCompatible);
    await servers.nearOnesKnown();
    expect(asked).toHaveLength(2);
    nowMs += 1;
    servers.manifestFor(channel(), openaiCompatible);
    await servers.nearOnesKnown();
    expect(asked).toHaveLength(3);
  });

  test('that start late are found, and given up in the end', async () => {
    answers = { '*': unreachable() };
    const { servers, changed } = open();
    servers.manifestFor(channel(), openaiCompatible);
    await servers.nearOnesKnown();
    const later = async (ms: number) => {
      nowMs += ms;
      servers.look();
      await servers.nearOnesKnown();
    };
    await later(9_999);
    expect(asked).toHaveLength(1);
    answers = ofModels('vllm');
    await later(1);
    expect([asked.length, changed]).toEqual([2, [null]]);
    answers = { '*': unreachable() };
    nowMs += 3_600_000;
    servers.manifestFor(channel(), openaiCompatible);
    await servers.nearOnesKnown();
    for (let hour = 0; hour < 24; hour++) await later(3_600_000);
    expect(asked).toHaveLength(2 + 1 + 6);
  });

  test('of several channels are probed at most eight at once', async () => {
    const gate = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const slow: Upstream = {
      ...upstream,
      send: async (request) => {
        most = Math.max(most, ++running);
        await gate.promise;
        running--;
        return upstream.send(request);
      },
    };
    const servers = new KnownServers({ upstream: slow, clock, logger: { info: () => undefined } });
    for (let at = 0; at < 20; at++) {
      servers.manifestFor({ ...channel(), id: `c${at}` }, openaiCompatible);
    }
    gate.resolve();
    while (running > 0) await servers.nearOnesKnown();
    expect(most).toBe(8);
  });
});
