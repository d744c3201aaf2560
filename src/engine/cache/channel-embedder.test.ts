import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../domain/catalog/model.ts';
import { until } from '../../domain/testing/until.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import { fakePorts } from '../call/testing/fake-ports.ts';
import type { FakeUpstream, Scripted } from '../call/testing/fake-upstream.ts';
import { json, refusal } from '../call/testing/sample-answers.ts';
import { channelOf, MODEL } from '../call/testing/sample-routes.ts';
import { sampleDirectory, sampleProvider } from '../directory/testing/sample-directory.ts';
import { sampleModel } from '../ports/testing/samples.ts';
import { ChannelEmbedder } from './channel-embedder.ts';

const PROVIDERS: readonly ProviderManifest[] = [
  sampleProvider({
    name: 'embedding',
    formats: [],
    wires: [{ wire: 'openai-embeddings', path: '/embeddings' }],
  }),
];
const CHANNELS = ['a', 'b', 'c'].map((id) => channelOf(id, 'embedding'));
const { signal } = new AbortController();
const untilAborted = (_ms: number, given: AbortSignal) =>
  new Promise<void>((resolve) => given.addEventListener('abort', () => resolve()));
const atOnce = async () => {};

function answer(...numbers: readonly number[]): Scripted {
  const data = [{ object: 'embedding', index: 0, embedding: numbers }];
  return json({ object: 'list', data, model: 'up', usage: { prompt_tokens: 3, total_tokens: 3 } });
}

interface Setting {
  readonly channels?: readonly Channel[];
  readonly model?: Partial<DeclaredModel>;
  readonly script?: (upstream: FakeUpstream) => void;
  readonly sleep?: (ms: number, given: AbortSignal) => Promise<void>;
}

function embedderWith({ channels = CHANNELS, model = {}, script, sleep = untilAborted }: Setting) {
  const models = [sampleModel({ id: MODEL, category: 'embedding', ...model })];
  const directory = sampleDirectory({ channels, models }, PROVIDERS);
  const fakes = fakePorts({ directory: () => directory, sleep });
  script?.(fakes.upstream);
  const embedder = new ChannelEmbedder({ ...fakes.ports, logger: fakes.ports.logger }, MODEL);
  return { ...fakes, embedder, embed: (text = 'What is it?') => embedder.embed('acme', text, signal) };
}

describe('a text', () => {
  test('is embedded by the first channel as a vector of length 1', async () => {
    const { embed, embedder, upstream, records, lines } = embedderWith({
      script: (fake) => fake.script('a', answer(3, 0, 4)),
    });
    expect(await embed('Wie viele?\n"Zehn" 🙂')).toEqual(Float32Array.of(0.6, 0, 0.8));
    expect(JSON.parse(upstream.sent[0]?.text ?? '')).toEqual({ model: 'up', input: 'Wie viele?\n"Zehn" 🙂' });
    expect(upstream.sent[0]?.request).toMatchObject({
      url: 'http://a.example/v1/embeddings',
      headers: { authorization: 'Bearer key-of-a' },
      client: { accountId: 'acme' },
    });
    expect(embedder.name).toBe(MODEL);
    expect([records, lines]).toEqual([[], []]);
  });

  test('is not sent if it is empty or too long', async () => {
    const { embed, upstream } = embedderWith({});
    expect([await embed(''), await embed('x'.repeat(20_000))]).toEqual([null, null]);
    expect(upstream.sent).toEqual([]);
  });

  test.each([
    ['is refused', refusal(500)],
    ['gets no vector', json({ object: 'list', data: [] })],
    ['gets a zero vector', answer(0, 0)],
    ['gets invalid JSON', { pieces: ['<html>'] }],
  ])('goes to one other channel if it %s, and is logged without its content', async (_, failure) => {
    const script = (fake: FakeUpstream) =>
      fake.script('a', failure).script('b', answer(0, 2)).script('c', answer(1, 0));
    const { embed, upstream } = embedderWith({ script });
    expect(await embed()).toEqual(Float32Array.of(0, 1));
    expect(upstream.asked).toEqual(['a', 'b']);
    const failing = embedderWith({ script: (fake) => fake.script('a', failure).script('b', refusal(500, 'secret')) });
    expect(await failing.embed('secret')).toBeNull();
    expect(failing.upstream.asked).toEqual(['a', 'b']);
    expect(failing.lines).toMatchObject([{ level: 'warn', modelId: MODEL, reason: expect.any(String) }]);
    expect(JSON.stringify(failing.lines)).not.toContain('secret');
    expect(failing.attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
  });
});

describe('the model', () => {
  test('may be hidden from clients', async () => {
    const { embed } = embedderWith({ model: { status: 'hidden' }, script: (fake) => fake.script('a', answer(1)) });
    expect(await embed()).toEqual(Float32Array.of(1));
  });

  test.each<[string, Setting]>([
    ['is on hold', { model: { status: 'hold' } }],
    ['has no channel', { channels: [] }],
    ['has only an account’s own channel', { channels: [channelOf('a', 'embedding', { owner: 'acme' })] }],
    ['is not an embedding model', { model: { category: 'chat' } }],
  ])('is not called if it %s, which is logged once', async (_, setting) => {
    const { embed, upstream, lines } = embedderWith(setting);
    expect([await embed(), await embed()]).toEqual([null, null]);
    expect(upstream.sent).toEqual([]);
    expect(lines).toHaveLength(1);
  });
});

describe('the time', () => {
  const never = (fake: FakeUpstream) =>
    fake.script('a', ...Array.from({ length: 9 }, () => new Promise<Scripted>(() => {})));

  test('is limited, which does not affect the channel’s health', async () => {
    const { embed, attempts } = embedderWith({ script: never, sleep: atOnce });
    expect(await embed()).toBeNull();
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['abandoned']);
  });

  test('is not spent again for a while after several timeouts', async () => {
    const channels = CHANNELS.slice(0, 1);
    const { embed, upstream, clock, lines } = embedderWith({ channels, script: never, sleep: atOnce });
    for (let text = 0; text < 5; text++) expect(await embed()).toBeNull();
    expect(upstream.sent).toHaveLength(3);
    expect(lines).toHaveLength(1);
    clock.advance(30_000);
    await embed();
    expect(upstream.sent).toHaveLength(4);
  });

  test('ends when the client disconnects, before or during the request, without a log line', async () => {
    const { embedder, upstream, lines } = embedderWith({ script: never });
    const leaving = new AbortController();
    const embedded = embedder.embed('acme', 'text', leaving.signal);
    await until('it is asked', () => upstream.sent.length === 1);
    leaving.abort();
    expect(await embedded).toBeNull();
    expect(await embedder.embed('acme', 'text', leaving.signal)).toBeNull();
    expect(upstream.sent).toHaveLength(1);
    expect(lines).toEqual([]);
  });
});
