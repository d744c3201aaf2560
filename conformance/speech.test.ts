import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { generateSpeech } from 'ai';
import OpenAI from 'openai';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { Workspace } from './shared/workspace.ts';
import {
  anySpeaker,
  audio,
  CHUNKED_HEAD,
  chunk,
  events,
  FAL_FILE,
  heard,
  MP3,
  PCM,
  type RawUpstream,
  type Speaker,
  type SpeechUpstream,
  startRaw,
  startSpeaker,
  strictSpeaker,
  TOKENS,
  WAV,
} from './speech/upstreams.ts';

/* POST /v1/audio/speech over every speech provider, from the client's side. */

setDefaultTimeout(600_000);

const ACME = clientKey('acme');

/** A model of each provider; its public id is also the upstream id. */
const MODELS: Readonly<Record<string, string>> = {
  openai: 'gpt-4o-mini-tts',
  'azure-openai': 'tts-1-hd',
  'openai-compatible': 'kokoro',
  groq: 'canopylabs/orpheus-v1-english',
  together: 'hexgrad/Kokoro-82M',
  openrouter: 'mistralai/voxtral-mini-tts-2603',
  mistral: 'voxtral-mini-tts-3-0',
  deepgram: 'aura-2',
  elevenlabs: 'eleven_v4',
  xai: 'grok-voice-tts-1.0',
  google: 'gemini-3.8-flash-tts',
  fal: 'fal-ai/kokoro/american-english',
  sandbox: 'sandbox-speech',
};

/** The providers whose requests differ from OpenAI's, with an option that costs nothing; `null` if there is none. */
const OPTIONS: Readonly<Record<string, readonly [string, unknown] | null>> = {
  mistral: null,
  deepgram: ['tag', 'mine'],
  elevenlabs: ['voice_settings', { stability: 0.5 }],
  xai: ['text_normalization', true],
  google: ['safetySettings', []],
  fal: ['seed', 7],
};

let upstream: SpeechUpstream;
let backup: SpeechUpstream;
let space: Workspace;
let serving: Serving;
/** Responds with 404 until a test sets a speaker: the gateway probes which server a new channel is. */
let speaker: Speaker = () => new Response(null, { status: 404 });
const raws: RawUpstream[] = [];
let sdk: OpenAI;
/** The bytes that the upstream of the model `anywhere` sends before it cuts the connection. */
let sentBeforeCut: Uint8Array = new Uint8Array(0);

function raw(script: Parameters<typeof startRaw>[0], isCut: boolean): string {
  const server = startRaw(script, isCut);
  raws.push(server);
  return server.baseUrl;
}

beforeAll(async () => {
  upstream = startSpeaker((call) => speaker(call));
  backup = startSpeaker(strictSpeaker);
  space = await Workspace.create();
  const channel = (provider: string, model: string) =>
    provider === 'sandbox'
      ? { id: provider, provider, models: [model] }
      : {
          id: provider,
          provider,
          base_url: `${upstream.baseUrl}/${provider}`,
          api_key: 'upstream-key',
          models: [model],
        };
  const never = { breaker: { minimum_requests: 1_000_000 }, api_key: 'upstream-key', provider: 'openai-compatible' };
  const head = MP3.subarray(0, 2_000);
  const timeouts = { idle_ms: 1_000, first_byte_ms: 1_000 };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      ...Object.entries(MODELS).map(([provider, model]) => channel(provider, model)),
      ...Object.keys(OPTIONS).map((provider) => ({
        ...channel(provider, ''),
        ...{ id: `${provider}-own`, owner: 'acme', models: { [`${provider}-own`]: MODELS[provider] } },
      })),
      {
        ...channel('fal', ''),
        id: 'fal-first',
        models: { spanish: 'fal-ai/kokoro/spanish' },
        priority: 0,
      },
      { id: 'fal-second', ...never, base_url: `${backup.baseUrl}/v1`, models: ['spanish'], priority: 1 },
      { id: 'first', ...never, base_url: `${upstream.baseUrl}/v1`, models: ['both'], priority: 0 },
      { id: 'second', ...never, base_url: `${backup.baseUrl}/v1`, models: ['both'], priority: 1 },
      { id: 'lone', ...never, base_url: `${upstream.baseUrl}/v1`, models: ['alone'] },
      {
        id: 'wav-only',
        ...never,
        provider: 'groq',
        base_url: `${upstream.baseUrl}/groq`,
        models: { mixed: 'orpheus' },
        priority: 0,
      },
      { id: 'has-mp3', ...never, base_url: `${backup.baseUrl}/v1`, models: ['mixed'], priority: 1 },
      { ...never, id: 'anywhere', timeouts, models: ['anywhere'], base_url: raw(() => [sentBeforeCut], true) },
      { id: 'cut', ...never, timeouts, base_url: raw([CHUNKED_HEAD, chunk(head)], true), models: ['cut'] },
      {
        id: 'stalls',
        ...never,
        timeouts,
        base_url: raw([CHUNKED_HEAD, chunk(head), 'stall'], false),
        models: ['stalls'],
      },
      {
        id: 'short',
        ...never,
        timeouts,
        base_url: raw([`HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\ncontent-length: 9000\r\n\r\n`, head], true),
        models: ['short'],
      },
      { id: 'dies', ...never, timeouts, base_url: raw([CHUNKED_HEAD], true), models: ['failing'], priority: 0 },
      { id: 'silent', ...never, timeouts, base_url: raw(['stall'], false), models: ['failing'], priority: 1 },
      {
        id: 'mute',
        ...never,
        timeouts,
        base_url: raw([CHUNKED_HEAD, 'stall'], false),
        models: ['failing'],
        priority: 2,
      },
      { id: 'rescue', ...never, base_url: `${backup.baseUrl}/v1`, models: ['failing'], priority: 3 },
    ],
    models: [
      ...['both', 'alone', 'spanish', 'mixed', 'cut', 'stalls', 'short', 'failing', 'anywhere', 'kokoro'],
      ...Object.keys(OPTIONS).map((provider) => `${provider}-own`),
    ].map((id) => ({ id, category: 'tts', pricing: 'free' })),
    accounts: [accountWith('acme', [keyNamed('acme')])],
    media: { allow_http: true, allowed_ranges: ['127.0.0.0/8'] },
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
  sdk = new OpenAI({ baseURL: serving.baseUrl, apiKey: ACME, maxRetries: 0 });
});
afterAll(async () => {
  await space?.remove();
  await upstream?.stop();
  await backup?.stop();
  for (const one of raws) one.stop();
});
beforeEach(() => {
  speaker = strictSpeaker;
});

const ask = (body: object | string) =>
  fetch(`${serving.baseUrl}/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ACME}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const refusalOf = async (response: Response) => {
  const error = asObject(asObject(await response.json()).error);
  return [response.status, error.code, error.param];
};
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const channelOf = (response: Response) =>
  asObject(asObject(parseJson(response.headers.get('x-routing') ?? '{}')).channel).id;

describe('each provider', () => {
  for (const [provider, model] of Object.entries(MODELS)) {
    const hasMp3 = !['groq', 'google', 'fal'].includes(provider);

    test(`${provider}, by the openai SDK`, async () => {
      const response = await sdk.audio.speech.create({ model, input: 'Hello there', voice: 'alloy' });
      const bytes = await bytesOf(response);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        hasMp3 ? 'audio/mpeg' : 'audio/wav',
      ]);
      expect(bytes.length).toBeGreaterThan(500);
      expect(channelOf(response)).toBe(provider);
      const isOwn = ['openai', 'azure-openai', 'openai-compatible', 'openrouter', 'sandbox'].includes(provider);
      const losses = response.headers.get('x-switchyard-losses');
      if (isOwn) expect(losses).toBeNull();
      else expect(losses).toContain('voice');
    });

    test(`${provider}, by the ai SDK`, async () => {
      const openai = createOpenAI({ baseURL: serving.baseUrl, apiKey: ACME });
      const outputFormat = hasMp3 ? 'mp3' : 'wav';
      const { audio: made } = await generateSpeech({
        model: openai.speech(model),
        text: 'Hello',
        voice: 'nova',
        outputFormat,
      });
      expect(made.uint8Array.length).toBeGreaterThan(500);
    });

    test(`${provider}, as events`, async () => {
      const format = hasMp3 ? 'mp3' : 'wav';
      const response = await ask({ model, input: 'Hello', stream_format: 'sse', response_format: format });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      const { audio: made, last } = heard(await response.text());
      if (provider !== 'sandbox' && hasMp3) expect(made).toEqual(MP3);
      if (!hasMp3) expect(made.subarray(44)).toEqual(PCM);
      expect(last).toMatchObject({ type: 'speech.audio.done', _routing: { channel: { id: provider } } });
      expect(asObject(last.usage).total_tokens).toBeGreaterThan(0);
      if (provider === 'openai') expect(last.usage).toEqual(TOKENS);
    });

    test(`${provider}, as wav and as raw samples`, async () => {
      const wav = await ask({ model, input: 'Hello', response_format: 'wav' });
      if (provider === 'openrouter') expect(wav.headers.get('x-switchyard-losses')).toBeNull();
      const file = await bytesOf(wav);
      expect([wav.status, wav.headers.get('content-type')]).toEqual([200, 'audio/wav']);
      expect(new TextDecoder().decode(file.subarray(0, 4))).toBe('RIFF');
      const pcm = await ask({ model, input: 'Hello', response_format: 'pcm' });
      expect([pcm.status, pcm.headers.get('content-type')]).toEqual([200, 'audio/pcm']);
      expect(await bytesOf(pcm)).toEqual(provider === 'sandbox' ? file.slice(44) : PCM);
      if (provider !== 'sandbox') expect(file.slice(44)).toEqual(PCM);
    });
  }

  test('keys are sent the way each provider requires', async () => {
    const wanted: Readonly<Record<string, readonly [string, string]>> = {
      openai: ['authorization', 'Bearer upstream-key'],
      'azure-openai': ['api-key', 'upstream-key'],
      deepgram: ['authorization', 'Token upstream-key'],
      elevenlabs: ['xi-api-key', 'upstream-key'],
      google: ['x-goog-api-key', 'upstream-key'],
      xai: ['authorization', 'Bearer upstream-key'],
    };
    for (const [provider, [name, value]] of Object.entries(wanted)) {
      await bytesOf(await ask({ model: MODELS[provider], input: 'a' }));
      expect([provider, upstream.calls.at(-1)?.headers.get(name)]).toEqual([provider, value]);
    }
  });
});

describe('provider options', () => {
  const taken = async (body: object) => {
    const response = await ask({ input: 'a', ...body });
    const bytes = await bytesOf(response);
    expect([response.status, bytes.length > 500]).toEqual([200, true]);
    return upstream.calls.findLast(({ method }) => method === 'POST');
  };

  test.each(Object.entries(OPTIONS))(
    'of %s: all are sent over a private channel, harmless ones over every channel',
    async (provider, known) => {
      const model = MODELS[provider];
      const provider_options = { an_option: { deep: 1 } };
      const asked = upstream.calls.length;
      const refusal = await ask({ model, input: 'a', provider_options });
      expect(await refusalOf(refusal)).toEqual([400, 'unsupported_parameter', 'provider_options.an_option']);
      expect(upstream.calls.length).toBe(asked);
      // The option is invented, and some providers refuse unknown ones.
      speaker = anySpeaker;
      const sent = await taken({ model: `${provider}-own`, provider_options });
      speaker = strictSpeaker;
      // Deepgram's options are in the query, and only those that the wire knows are sent.
      if (provider !== 'deepgram') expect(sent?.text).toContain('"an_option":{"deep":1}');
      if (known === null) return;
      const [name, value] = known;
      const shared = await taken({ model, provider_options: { [name]: value } });
      expect(`${shared?.path} ${shared?.text}`).toContain(name);
    },
  );

  test('of a compatible server are sent, except for those that choose another model', async () => {
    expect((await taken({ model: 'alone', provider_options: { seed: 7 } }))?.body.seed).toBe(7);
    const dearer = await ask({ model: 'alone', input: 'a', provider_options: { models: ['dearer'] } });
    expect(await refusalOf(dearer)).toEqual([400, 'unsupported_parameter', 'models[0]']);
  });
});

describe('audio that the upstream stores at a URL', () => {
  const fal = MODELS.fal ?? '';
  const elsewhere = (url: unknown): Speaker => {
    return (call) =>
      call.method === 'GET' && !call.path.endsWith('/status') && call.path.includes('/requests/')
        ? Response.json({ audio: { url, content_type: 'audio/wav' } })
        : strictSpeaker(call);
  };

  test('is fetched from another host without the key', async () => {
    speaker = elsewhere(`${backup.baseUrl}/fal${FAL_FILE}`);
    const [before, asked] = [upstream.calls.length, backup.calls.length];
    expect(await bytesOf(await sdk.audio.speech.create({ model: fal, input: 'Hi', voice: 'alloy' }))).toEqual(WAV);
    const calls = upstream.calls.slice(before).map(({ method, path }) => `${method} ${path}`);
    expect(calls).toEqual([
      'POST /fal/fal-ai/kokoro/american-english',
      'GET /fal/fal-ai/kokoro/requests/job-1/status',
      'GET /fal/fal-ai/kokoro/requests/job-1',
    ]);
    expect(
      upstream.calls.slice(before).every(({ headers }) => headers.get('authorization') === 'Key upstream-key'),
    ).toBe(true);
    const fetched = backup.calls.slice(asked);
    expect(fetched.map(({ path }) => path)).toEqual([`/fal${FAL_FILE}`]);
    expect(JSON.stringify([...(fetched[0]?.headers ?? [])])).not.toContain('upstream-key');
  });

  for (const delivery of ['audio', 'sse']) {
    test(`is requested three times, and the job is not repeated if it cannot be fetched (${delivery})`, async () => {
      let fetches = 0;
      const broken = startSpeaker(() => {
        fetches++;
        return new Response('gone', { status: 503 });
      });
      speaker = elsewhere(`${broken.baseUrl}/a.wav`);
      const before = backup.calls.length;
      const response = await ask({ model: 'spanish', input: 'Hola', stream_format: delivery });
      const text = await response.text();
      expect([response.status, fetches, backup.calls.length]).toEqual([502, 3, before]);
      expect(text).toContain('cannot be fetched');
      expect(text).not.toContain('a.wav');
      await broken.stop();
    });
  }

  test('is never fetched from a forbidden address', async () => {
    for (const url of ['file:///etc/passwd', 'http://10.0.0.1/a.wav', 'http://user:pw@127.0.0.1/a.wav', 'no URL']) {
      speaker = elsewhere(url);
      expect([url, (await ask({ model: fal, input: 'a' })).status]).toEqual([url, 502]);
    }
  });

  test('is not audio: another channel answers', async () => {
    const pages = startSpeaker(() => new Response('<html>', { headers: { 'content-type': 'text/html' } }));
    for (const url of [`${pages.baseUrl}/a.wav`, 5, null]) {
      speaker = elsewhere(url);
      const response = await ask({ model: 'spanish', input: 'Hola', response_format: 'wav' });
      expect([url, response.status, channelOf(response)]).toEqual([url, 200, 'fal-second']);
      expect(await bytesOf(response)).toEqual(WAV);
    }
    await pages.stop();
  });
});

describe('the request', () => {
  const taken = async (body: object) => {
    const response = await ask({ model: 'alone', input: 'a', ...body });
    await response.arrayBuffer();
    return response.status;
  };

  test('every limit is accepted, and a value beyond it is refused', async () => {
    const within: readonly object[] = [
      { input: '😀'.repeat(4_096) },
      { instructions: 'i'.repeat(4_096) },
      { speed: 0.25 },
      { speed: 4 },
      { voice: 'v'.repeat(256) },
      { language: 'pt-BR' },
    ];
    for (const body of within)
      expect([JSON.stringify(body).slice(0, 40), await taken(body)]).toEqual([JSON.stringify(body).slice(0, 40), 200]);
    const past: readonly (readonly [object, string, string])[] = [
      [{ input: 'a'.repeat(4_097) }, 'invalid_value', 'input'],
      [{ input: '' }, 'invalid_value', 'input'],
      [{ input: undefined }, 'missing_required_parameter', 'input'],
      [{ instructions: 'i'.repeat(4_097) }, 'invalid_value', 'instructions'],
      [{ speed: 0.2499 }, 'invalid_value', 'speed'],
      [{ speed: 4.0001 }, 'invalid_value', 'speed'],
      [{ voice: 'v'.repeat(257) }, 'invalid_value', 'voice'],
      [{ voice: { name: 'x' } }, 'invalid_type', 'voice.id'],
      [{ response_format: 'ogg' }, 'invalid_value', 'response_format'],
      [{ stream_format: 'json' }, 'invalid_value', 'stream_format'],
      [{ language: 'english' }, 'invalid_value', 'language'],
      [{ provider_options: 'x' }, 'invalid_type', 'provider_options'],
      [{ model: 'no-such-model' }, 'model_not_found', 'model'],
    ];
    for (const [body, code, param] of past) {
      const response = await ask({ model: 'alone', input: 'a', ...body });
      expect([JSON.stringify(body).slice(0, 40), ...(await refusalOf(response)).slice(1)]).toEqual([
        JSON.stringify(body).slice(0, 40),
        code,
        param,
      ]);
    }
  });

  test('the catalog can raise or lower the limits of a model', async () => {
    const long = await ask({ model: MODELS.elevenlabs, input: 'a'.repeat(10_000) });
    await long.arrayBuffer();
    expect(long.status).toBe(200);
    expect(await refusalOf(await ask({ model: MODELS.elevenlabs, input: 'a'.repeat(10_001) }))).toEqual([
      400,
      'invalid_value',
      'input',
    ]);
    const short = await ask({ model: MODELS.groq, input: 'a'.repeat(200) });
    await short.arrayBuffer();
    expect(short.status).toBe(200);
    expect(await refusalOf(await ask({ model: MODELS.groq, input: 'a'.repeat(201) }))).toEqual([
      400,
      'invalid_value',
      'input',
    ]);
  });

  test('invalid JSON, an empty body and another method are refused', async () => {
    expect((await ask('{"model":')).status).toBe(400);
    expect((await ask('')).status).toBe(400);
    const got = await fetch(`${serving.baseUrl}/audio/speech`, { headers: { authorization: `Bearer ${ACME}` } });
    expect(got.status).toBe(405);
  });

  test('a chat model is refused with a hint', async () => {
    const [status, code, param] = await refusalOf(await ask({ model: 'sandbox-chat', input: 'a' }));
    expect([code, param]).toEqual(['model_not_found', 'model']);
    expect(Number(status)).toBeGreaterThanOrEqual(400);
  });

  test('a format that the model lacks goes to another channel, or is refused with the supported ones', async () => {
    const mixed = await ask({ model: 'mixed', input: 'a', response_format: 'mp3' });
    expect([mixed.status, channelOf(mixed), await bytesOf(mixed)]).toEqual([200, 'has-mp3', MP3]);
    const usual = await ask({ model: 'mixed', input: 'a', response_format: 'wav' });
    expect([usual.status, channelOf(usual), await bytesOf(usual)]).toEqual([200, 'wav-only', WAV]);
    const response = await ask({ model: MODELS.google, input: 'a', response_format: 'mp3' });
    const error = asObject(asObject(await response.json()).error);
    expect([response.status, error.code, error.param]).toEqual([400, 'unsupported_parameter', 'response_format']);
    expect(String(error.message)).toContain('`wav`, `pcm`');
  });

  test('a voice that would leave the provider’s path is refused', async () => {
    const asked = upstream.calls.length;
    const response = await ask({ model: MODELS.elevenlabs, input: 'a', voice: '../../v1/user' });
    expect(await refusalOf(response)).toEqual([400, 'invalid_value', 'voice']);
    expect(upstream.calls.length).toBe(asked);
  });
});

describe('an upstream that fails or returns an invalid response', () => {
  const text = 'not audio at all, '.repeat(100);
  const lies: readonly (readonly [string, Speaker])[] = [
    ['a status of 500', () => new Response('broken', { status: 500 })],
    ['a status of 429', () => new Response('{}', { status: 429 })],
    ['a page', () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })],
    ['a text with an audio type', () => audio(new TextEncoder().encode(text), 'audio/mpeg')],
    ['a short text without a type', () => new Response(new TextEncoder().encode('no'))],
    ['an error under a 200', () => Response.json({ error: { message: 'overloaded', code: 503 } })],
    ['an empty object', () => Response.json({})],
    ['half an object', () => new Response('{"a":', { headers: { 'content-type': 'application/json' } })],
    ['nothing', () => audio(new Uint8Array(0), 'audio/mpeg')],
    ['an empty response without a type', () => new Response(null)],
    ['no events', () => events()],
    ['an event with an error', () => events({ error: { message: 'no' } })],
    ['an event that is not JSON', () => events('{"type"')],
    ['audio that is not base64', () => events({ type: 'speech.audio.delta', audio: '<html>' })],
    ['an end without audio', () => events({ type: 'speech.audio.done', usage: TOKENS })],
    ['another format than requested', () => audio(WAV, 'audio/mpeg')],
  ];
  for (const [name, lie] of lies) {
    for (const delivery of ['audio', 'sse']) {
      test(`${name}: another channel answers (${delivery})`, async () => {
        speaker = lie;
        const response = await ask({ model: 'both', input: 'a', response_format: 'mp3', stream_format: delivery });
        expect([response.status, channelOf(response)]).toEqual([200, 'second']);
        const bytes = await bytesOf(response);
        expect(delivery === 'sse' ? heard(new TextDecoder().decode(bytes)).audio : bytes).toEqual(MP3);
      });
    }
  }

  test('without another channel, the error says whose fault it is', async () => {
    speaker = () => audio(new Uint8Array(0), 'audio/mpeg');
    const [status, code] = await refusalOf(await ask({ model: 'alone', input: 'a' }));
    expect([status, code]).toEqual([502, 'upstream_error']);
  });

  test('an endless text is not read to its end', async () => {
    let sent = 0;
    speaker = () => {
      const piece = new Uint8Array(64 * 1024).fill(0x61);
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent += piece.length;
          controller.enqueue(piece);
        },
      });
      return new Response(endless, { headers: { 'content-type': 'audio/mpeg' } });
    };
    expect((await ask({ model: 'alone', input: 'a' })).status).toBe(502);
    expect(sent).toBeLessThan(10 * 1024 * 1024);
  });

  test('a connection that is cut, silent, or silent after its head fails over to the next channel', async () => {
    const response = await ask({ model: 'failing', input: 'a' });
    expect([response.status, channelOf(response), await bytesOf(response)]).toEqual([200, 'rescue', MP3]);
    expect(asObject(parseJson(response.headers.get('x-routing') ?? '')).retryCount).toBeGreaterThanOrEqual(3);
  });

  for (const model of ['cut', 'stalls', 'short']) {
    test(`a stream that begins and then ${model}: the client's connection is cut, too`, async () => {
      const response = await ask({ model, input: 'a' });
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
      const sse = await ask({ model, input: 'a', stream_format: 'sse' });
      const { last } = heard(await sse.text());
      expect(last.error).toBeDefined();
    });
  }

  test('a response that is cut anywhere never looks complete', async () => {
    const whole = Buffer.concat([
      Buffer.from(CHUNKED_HEAD),
      chunk(MP3.subarray(0, 300)),
      chunk(MP3.subarray(300, 500)),
    ]);
    const head = CHUNKED_HEAD.length;
    const places = [0, 10, head - 1, head, head + 2, head + 5, head + 100, head + 304, head + 310, whole.length];
    for (const place of places) {
      sentBeforeCut = whole.subarray(0, place);
      const ended = await ask({ model: 'anywhere', input: 'a' }).then(
        async (response) =>
          response.status === 200
            ? bytesOf(response).then(
                () => 'complete',
                () => 'cut',
              )
            : 'refused',
        () => 'cut',
      );
      expect([place, ended]).toEqual([place, ended === 'cut' ? 'cut' : 'refused']);
    }
    sentBeforeCut = Buffer.concat([whole, Buffer.from('0\r\n\r\n')]);
    expect(await bytesOf(await ask({ model: 'anywhere', input: 'a' }))).toEqual(MP3.slice(0, 500));
  });

  test('events that break off after audio was sent cut the client’s connection', async () => {
    speaker = () => events({ type: 'speech.audio.delta', audio: MP3.toBase64() });
    // All events arrive at once, so the connection may be cut before the response head is sent.
    await expect(ask({ model: 'alone', input: 'a' }).then(bytesOf)).rejects.toThrow();
  });

  test('a slow client exerts backpressure on the upstream', async () => {
    let sent = 0;
    speaker = () => {
      const piece = new Uint8Array(256 * 1024).fill(0x80);
      const long = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (sent >= 200 * 1024 * 1024) return controller.close();
          sent += piece.length;
          controller.enqueue(piece);
        },
      });
      return new Response(long, { headers: { 'content-type': 'audio/pcm' } });
    };
    const leaving = new AbortController();
    const response = await fetch(`${serving.baseUrl}/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ACME}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'alone', input: 'a', response_format: 'pcm' }),
      signal: leaving.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    // While this client does not read, other clients are answered as usual.
    for (let others = 0; others < 20; others++) {
      const other = await ask({ model: 'mixed', input: 'a', response_format: 'mp3' });
      expect([other.status, await bytesOf(other)]).toEqual([200, MP3]);
    }
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    leaving.abort();
  });
});
