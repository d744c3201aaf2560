import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { type ConfiguredChannel, type Gateway, startGatewayWith } from './shared/gateway.ts';
import { asObject } from './shared/json.ts';

/* The default model for requests that name none, with the sandbox beside real channels. */

const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) =>
    url.includes('/suno/')
      ? Response.json({ code: 'success', data: 'upstream-task' })
      : Response.json({ text: 'Hello.', results: [{ flagged: false, categories: {}, category_scores: {} }] }),
});
let gateway: Gateway | undefined;
afterEach(() => gateway?.stop());
afterAll(() => upstream.stop(true));

function channel(provider: string, ...models: readonly string[]): ConfiguredChannel {
  return {
    ...{ id: provider, name: provider, provider, api_key: 'upstream-key' },
    base_url: upstream.url.href.replace(/\/$/, ''),
    models: Object.fromEntries(models.map((id) => [id, id])),
  };
}

async function modelFor(path: string, body: object | FormData): Promise<unknown> {
  const isForm = body instanceof FormData;
  const answer = await fetch(`${gateway?.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway?.apiKey}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
  const { model, _routing: routing, error } = asObject(await answer.json());
  return error ?? model ?? asObject(asObject(routing).channel).id;
}

const song = (more: object = {}) => modelFor('/v1/music/generations', { prompt: 'a shanty', ...more });

describe('with the sandbox configured', () => {
  test("music and lyrics default to Suno's own models", async () => {
    gateway = await startGatewayWith([channel('suno', 'suno_music', 'suno_lyrics')], { sandbox: true });
    expect([await song(), await song({ action: 'LYRICS' })]).toEqual(['suno_music', 'suno_lyrics']);
  });

  test('lyrics default to the song model if Suno has no lyrics model', async () => {
    gateway = await startGatewayWith([channel('suno', 'suno-music')], {
      sandbox: true,
      models: [{ id: 'suno-music', category: 'music' }],
    });
    expect([await song(), await song({ action: 'LYRICS' })]).toEqual(['suno-music', 'suno-music']);
  });

  test("a real model is preferred to the sandbox's default, whatever its id", async () => {
    gateway = await startGatewayWith(
      [
        channel('suno', 'z-songs'),
        channel('openai', 'z-moderation', 'z-translator'),
        // The sandbox serves an id that is a default model of OpenAI.
        { ...channel('sandbox'), id: 'made-up', models: { 'omni-moderation-latest': 'sandbox-moderation' } },
      ],
      {
        sandbox: true,
        models: [
          { id: 'z-songs', category: 'music' },
          { id: 'z-moderation', category: 'chat', operations: ['moderations'] },
          { id: 'z-translator', category: 'translation' },
        ],
      },
    );
    expect(await song()).toBe('z-songs');
    expect(await modelFor('/v1/moderations', { input: 'Hi' })).toBe('openai');
    const form = new FormData();
    form.set('file', new File([new Uint8Array([0xff, 0xfb, 0x90, 0x64, ...new Uint8Array(500)])], 'a.mp3'));
    expect(await modelFor('/v1/audio/translations', form)).toBe('openai');
  });

  test('the sandbox writes lyrics if no real model can', async () => {
    gateway = await startGatewayWith([channel('suno', 'z-songs')], {
      sandbox: true,
      models: [{ id: 'z-songs', category: 'music' }],
    });
    expect(await song({ action: 'LYRICS' })).toBe('sandbox-lyrics');
  });
});
