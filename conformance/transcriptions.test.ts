import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import OpenAI from 'openai';
import { accountWith, clientKey, keyNamed, refusal } from './first-light/upstream.ts';
import { answerOf } from './shared/answer.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';
import {
  type AudioAnswering,
  type AudioUpstream,
  fileOf,
  refusedAt,
  startAudioUpstream,
  textsOf,
  tone,
  wave,
  waveOf,
} from './transcripts/bed.ts';

/* POST /v1/audio/transcriptions and /v1/audio/translations over OpenAI's own wire and over the sandbox. */

setDefaultTimeout(600_000);

const ACME = clientKey('acme');
const MODEL = 'speech-one';
const TEXT = 'The sun was setting. Then came the night.';
const QUALITY = { temperature: 0, compression_ratio: 1, no_speech_prob: 0 };
const SEGMENTS = [
  { id: 0, seek: 0, start: 0, end: 1.5, text: ' The sun was setting.', tokens: [1], avg_logprob: -0.3, ...QUALITY },
  {
    id: 1,
    seek: 0,
    start: 1.5,
    end: 2.5,
    text: ' Then came the night.',
    tokens: [2],
    avg_logprob: -0.4,
    ...QUALITY,
  },
];
const DURATION_USAGE = { type: 'duration', seconds: 3 };
const VERBOSE = { task: 'transcribe', language: 'english', duration: 2.5, text: TEXT, segments: SEGMENTS };
const SRT =
  '1\n00:00:00,000 --> 00:00:01,500\nThe sun was setting.\n\n2\n00:00:01,500 --> 00:00:02,500\nThen came the night.\n\n';
/** Every invalid response must reach a client, so the breaker must never open. */
const NEVER_OPEN = { minimum_requests: 1_000_000 };

const event = (members: object) => `data: ${JSON.stringify(members)}\n\n`;
const STREAM = [
  event({ type: 'transcript.text.delta', delta: 'The sun', logprobs: [] }),
  event({ type: 'transcript.text.delta', delta: ' was setting.' }),
  event({
    type: 'transcript.text.done',
    text: 'The sun was setting.',
    usage: {
      type: 'tokens',
      input_tokens: 25,
      input_token_details: { text_tokens: 5, audio_tokens: 20 },
      output_tokens: 4,
    },
  }),
].join('');
const streamed = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } });

/** Responds like OpenAI, and refuses what OpenAI refuses. */
const usual: AudioAnswering = async (request) => {
  const refused = await refusedAt('openai', request);
  if (refused !== null) return refused;
  const { response_format: format, stream, model } = textsOf(request);
  if (stream === 'true' && model !== 'whisper-1') return streamed(STREAM);
  if (format === 'verbose_json') return Response.json({ ...VERBOSE, usage: DURATION_USAGE });
  return Response.json({ text: TEXT, usage: DURATION_USAGE });
};

let first: AudioUpstream;
let second: AudioUpstream;
let space: Workspace;
let serving: Serving;
let answer: AudioAnswering = usual;
let recording: File;

beforeAll(async () => {
  first = startAudioUpstream((request) => answer(request));
  second = startAudioUpstream(usual);
  space = await Workspace.create();
  const upstream = (at: AudioUpstream, more: object) => ({
    base_url: `${at.origin}/v1`,
    api_key: 'upstream-key',
    ...more,
  });
  const lone = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, 'whisper-1']));
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      upstream(first, {
        id: 'first',
        provider: 'openai',
        models: { [MODEL]: 'whisper-1' },
        priority: 0,
        breaker: NEVER_OPEN,
      }),
      upstream(second, { id: 'second', provider: 'openai', models: { [MODEL]: 'whisper-1' }, priority: 1 }),
      upstream(first, {
        ...{ id: 'alone', provider: 'openai', breaker: NEVER_OPEN },
        models: {
          ...lone('alone', 'dear', 'whisper-1', 'unseen'),
          tokens: 'gpt-4o-transcribe',
          tells: 'gpt-4o-transcribe-diarize',
        },
      }),
      upstream(first, { id: 'lacking', provider: 'cerebras', models: lone('no-wire') }),
      { id: 'sandbox', provider: 'sandbox', models: ['sandbox-transcription', 'sandbox-chat'] },
    ],
    models: [
      // A hundred nano-USD per millisecond.
      { id: MODEL, category: 'stt', operations: BOTH, pricing: { per_second: '0.0001' } },
      { id: 'dear', category: 'stt', pricing: { per_second: '1' } },
      { id: 'tokens', category: 'stt', pricing: { input_per_1m: '1', audio_input_per_1m: '2', output_per_1m: '10' } },
      { id: 'unseen', category: 'stt', status: 'hidden' },
      ...['alone', 'no-wire', 'tells'].map((id) => ({ id, category: 'stt', pricing: 'free' })),
      { id: 'whisper-1', category: 'stt', operations: BOTH, pricing: 'free' },
    ],
    accounts: [
      accountWith('acme', [keyNamed('acme'), keyNamed('narrow', { models: ['alone'] })]),
      ...[
        ['payer', '5'],
        ['short', '3'],
      ].map(([id = '', balance_usd]) => accountWith(id, [keyNamed(id)], { billing: 'prepaid', balance_usd })),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
  recording = await tone('wav');
});
afterAll(async () => {
  await space?.remove();
  await first?.stop();
  await second?.stop();
});
beforeEach(() => {
  answer = usual;
});

const BOTH = ['audio.transcriptions', 'audio.translations'];

type Fields = Readonly<Record<string, string | Blob | readonly string[]>>;

async function post(fields: Fields, { key = ACME, at = 'transcriptions' } = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) form.append(name, one);
  }
  const headers = { authorization: `Bearer ${key}` };
  return answerOf(await fetch(`${serving.baseUrl}/audio/${at}`, { method: 'POST', headers, body: form }));
}
const ask = (fields: Fields = {}, options?: Parameters<typeof post>[1]) =>
  post({ file: recording, model: MODEL, ...fields }, options);
const translate = (fields: Fields = {}) => ask(fields, { at: 'translations' });
const sentUp = () => {
  const request = first.requests.at(-1);
  if (request === undefined) throw new Error('nothing was sent');
  return request;
};

interface Row {
  readonly status: number;
  readonly format: string;
  readonly channel_id: string | null;
  readonly model_id: string | null;
  readonly usage_source: string | null;
  readonly cost_nano: number | null;
  readonly stream: number;
}

async function rowOf({ headers }: { readonly headers: Headers }): Promise<Row> {
  let row: Row | null = null;
  await until('the request is logged', () => {
    const database = new Database(space.database, { readonly: true });
    try {
      const query = database.query<Row, [string | null]>('SELECT * FROM request_log WHERE request_id = ?');
      row = query.get(headers.get('x-request-id'));
    } finally {
      database.close();
    }
    return row !== null;
  });
  if (row === null) throw new Error('there is no such row');
  return row;
}

describe('the response', () => {
  test('is JSON with the routing', async () => {
    const { status, json, headers } = await ask();
    const channel = { id: 'first', name: 'first', provider: 'openai', channelType: 'PLATFORM' };
    const cost = { total_usd: '0.0003', input_usd: '0', output_usd: '0', seconds_usd: '0.0003' };
    const _routing = { channel, cached: false, retryCount: 0, cost };
    expect([status, json]).toEqual([200, { text: TEXT, usage: DURATION_USAGE, _routing }]);
    expect(parseJson(headers.get('x-routing') ?? '')).toEqual(_routing);
    expect(fileOf(sentUp())).toMatchObject({ name: 'tone.wav', bytes: await recording.bytes() });
    expect(Buffer.from(sentUp().bytes).toString('latin1')).toContain('Content-Type: audio/wav\r\n');
    expect(textsOf(sentUp())).toEqual({ model: 'whisper-1', response_format: 'json' });
    expect(sentUp().headers.get('authorization')).toBe('Bearer upstream-key');
  });

  test('supports the other formats', async () => {
    const formatted = async (response_format: string) => {
      const { status, text, headers, json } = await ask({ response_format });
      expect([status, asObject(parseJson(headers.get('x-routing') ?? '')).cached]).toEqual([200, false]);
      return { text, json, type: headers.get('content-type') };
    };
    expect(await formatted('text')).toMatchObject({ text: `${TEXT}\n`, type: 'text/plain; charset=utf-8' });
    expect(await formatted('srt')).toMatchObject({ text: SRT, type: 'text/plain; charset=utf-8' });
    expect((await formatted('vtt')).text).toBe(
      `WEBVTT\n\n${SRT.replaceAll(/^\d+\n/gm, '').replaceAll(/(\d),(\d)/g, '$1.$2')}`,
    );
    const { _routing, ...verbose } = (await formatted('verbose_json')).json;
    expect<unknown>(verbose).toEqual({ ...VERBOSE, usage: DURATION_USAGE });
    expect(asObject(asObject(_routing).channel).id).toBe('first');
  });

  test('every field is sent upstream', async () => {
    const { status } = await ask({
      ...{ language: 'en', prompt: 'p', response_format: 'verbose_json', temperature: '0.5', hotwords: 'h' },
      ...{ 'timestamp_granularities[]': ['segment'], provider_options: '{"seed":7}' },
    });
    expect([status, textsOf(sentUp())]).toEqual([
      200,
      {
        ...{ model: 'whisper-1', language: 'en', prompt: 'p', response_format: 'verbose_json', temperature: '0.5' },
        ...{ 'timestamp_granularities[]': 'segment', seed: '7', hotwords: 'h' },
      },
    ]);
  });

  test('repeated unknown fields are sent as often as the client sent them', async () => {
    expect((await ask({ hotwords: ['one', 'two'] })).status).toBe(200);
    expect(sentUp().parts.filter(([name]) => name === 'hotwords')).toEqual([
      ['hotwords', 'one'],
      ['hotwords', 'two'],
    ]);
  });

  test('unsupported fields are reported in a header', async () => {
    const { status, headers } = await ask({ 'keywords[]': ['a'], chunking_strategy: 'auto' });
    expect(status).toBe(200);
    for (const name of ['keywords', 'chunking_strategy']) {
      expect(headers.get('x-switchyard-losses')).toContain(name);
    }
  });

  test.each(['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'wav', 'webm'])('for a file in %s', async (format) => {
    const file = await tone(format);
    expect((await ask({ file })).status).toBe(200);
    expect(fileOf(sentUp())?.bytes).toEqual(await file.bytes());
  });
});

describe('a translation', () => {
  test('uses the default model, without a language', async () => {
    const { status, json } = await post({ file: recording, language: 'no language' }, { at: 'translations' });
    expect([status, json.text]).toEqual([200, TEXT]);
    expect(sentUp().path).toBe('/v1/audio/translations');
    expect(textsOf(sentUp())).toEqual({ model: 'whisper-1', response_format: 'json' });
  });

  test('is supported in all formats of the contract', async () => {
    expect((await translate({ response_format: 'srt', temperature: '1', prompt: 'p' })).text).toBe(SRT);
    const { json } = await translate({ response_format: 'verbose_json' });
    expect(json).toMatchObject({ text: TEXT, language: 'english', duration: 2.5 });
    expect(asArray(json.segments)).toHaveLength(2);
    expect((await translate({ response_format: 'diarized_json' })).error.param).toBe('response_format');
  });

  test('is refused for models that cannot translate', async () => {
    const { status, error } = await translate({ model: 'tokens' });
    expect([status, error.code]).toEqual([400, 'model_not_found']);
  });
});

describe('a 400 that names the field', () => {
  test.each<[Fields, string]>([
    [{ temperature: '1.01' }, 'temperature'],
    [{ temperature: '-0.01' }, 'temperature'],
    [{ response_format: 'xml' }, 'response_format'],
    [{ 'timestamp_granularities[]': 'word' }, 'timestamp_granularities'],
    [{ stream: 'true', response_format: 'srt' }, 'stream'],
    [{ model: '' }, 'model'],
    [{ file: 'no file' }, 'file'],
    [{ file: new File([], 'a.wav') }, 'file'],
    [{ file: new File(['%PDF-1.7'], 'a.wav') }, 'file'],
    [{ url: 'https://a.example/b.mp3' }, 'url'],
    [{ response_format: 'diarized_json' }, 'response_format'],
    [{ 'include[]': 'logprobs' }, 'include'],
  ])('%j', async (fields, param) => {
    const before = first.requests.length;
    const { status, error } = await ask(fields);
    expect([status, error.param]).toEqual([400, param]);
    expect(first.requests.length).toBe(before);
  });

  test('a value at its limit is accepted', async () => {
    for (const temperature of ['0', '1']) expect((await ask({ temperature })).status).toBe(200);
  });

  test('an unknown or unsuitable model', async () => {
    const code = async (model: string, key = ACME) => {
      const { status, error } = await ask({ model }, { key });
      return [status, error.code];
    };
    expect(await code('nobody')).toEqual([404, 'model_not_found']);
    expect(await code('unseen')).toEqual([404, 'model_not_found']);
    expect(await code('sandbox-chat')).toEqual([400, 'model_not_found']);
    expect(await code('no-wire')).toEqual([400, 'model_not_found']);
    expect((await code(MODEL, clientKey('narrow')))[0]).not.toBe(200);
  });

  test('a body that is not a form', async () => {
    const asked = (init: RequestInit) =>
      fetch(`${serving.baseUrl}/audio/transcriptions`, {
        ...init,
        headers: { authorization: `Bearer ${ACME}`, ...init.headers },
      });
    const json = await answerOf(
      await asked({ method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
    );
    expect([json.status, json.error.code]).toEqual([400, 'unsupported_content_type']);
    const headers = { 'content-type': 'multipart/form-data' };
    expect((await answerOf(await asked({ method: 'POST', body: 'x', headers }))).status).toBeGreaterThanOrEqual(400);
    expect((await asked({ method: 'GET' })).status).toBe(405);
    expect((await post({ file: recording, model: MODEL }, { key: 'sk-nobody' })).status).toBe(401);
  });
});

const LARGEST = 25 * 1024 * 1024;

describe('a file', () => {
  test('of 25 MB is accepted, and one more byte is not', async () => {
    const largest = waveOf(LARGEST - 44);
    expect((await ask({ model: 'alone', file: new File([largest], 'a.wav') })).status).toBe(200);
    expect(Buffer.compare(fileOf(sentUp())?.bytes ?? new Uint8Array(0), largest)).toBe(0);
    for (const at of ['transcriptions', 'translations']) {
      const over = await ask({ file: new File([waveOf(LARGEST - 43)], 'a.wav') }, { at });
      expect([over.status, over.error.code]).toEqual([413, 'payload_too_large']);
    }
  });

  test('is sent in full to the next channel', async () => {
    answer = () => refusal(503, 'away');
    const seen = second.requests.length;
    const { status, json } = await ask();
    expect([status, asObject(asObject(json._routing).channel).id]).toEqual([200, 'second']);
    const [sent] = second.requests.slice(seen);
    expect(sent && fileOf(sent)?.bytes).toEqual(await recording.bytes());
    expect(sentUp().bytes.length).toBe(sent?.bytes.length ?? 0);
  });

  test('is not stored', async () => {
    const files = () => [...readdirSync(tmpdir()), ...readdirSync(space.data, { recursive: true })].map(String);
    const left = () => files().filter((name) => /upload|form/i.test(name));
    const before = left();
    answer = () => refusal(400, 'no');
    await ask({ model: 'alone', file: new File([wave(200)], 'a.wav') });
    await until('the file is deleted', () => left().length <= before.length);
  });
});

describe('an invalid response', () => {
  test.each<[string, AudioAnswering]>([
    ['no JSON', () => new Response('text', { headers: { 'content-type': 'application/json' } })],
    ['no text', () => Response.json({ usage: {} })],
    ['an error under a 200', () => Response.json({ error: { message: 'broken' } })],
    ['invalid times', () => Response.json({ text: 'a', segments: [{ start: 'x', end: 1, text: 'a' }] })],
    ['no words', () => Response.json({ ...VERBOSE, words: [] })],
  ])('%s: the next channel is tried', async (_, lie) => {
    answer = lie;
    const fields = { response_format: 'verbose_json', 'timestamp_granularities[]': ['segment'] };
    const { status, json } = await ask(_ === 'no words' ? { ...fields, 'timestamp_granularities[]': 'word' } : fields);
    if (_ === 'no words') expect(status).toBeGreaterThanOrEqual(500);
    else expect([status, asObject(asObject(json._routing).channel).id]).toEqual([200, 'second']);
  });

  test('a refusal of the upstream is a client error', async () => {
    answer = () => refusal(400, 'The audio file could not be decoded');
    const { status, error } = await ask({ model: 'alone' });
    expect([status, error.message]).toEqual([400, 'The audio file could not be decoded']);
  });
});

describe('a stream', () => {
  const asked = async (fields: Fields = {}) => {
    const { text, status, headers } = await ask({ stream: 'true', model: 'tokens', ...fields });
    const events = text
      .split('\n\n')
      .filter(Boolean)
      .map((one) => asObject(parseJson(one.replace('data: ', ''))));
    return { status, headers, events, text };
  };

  test('of OpenAI’s newer models is passed on, with the routing in its last event', async () => {
    const { status, headers, events } = await asked();
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(events.slice(0, 2)).toEqual([
      { type: 'transcript.text.delta', delta: 'The sun', logprobs: [] },
      { type: 'transcript.text.delta', delta: ' was setting.' },
    ]);
    expect(events[2]).toMatchObject({
      type: 'transcript.text.done',
      text: 'The sun was setting.',
      usage: { type: 'tokens' },
    });
    expect(asObject(asObject(events[2]?._routing).channel).id).toBe('alone');
    expect([textsOf(sentUp()).stream, sentUp().headers.get('accept')]).toEqual(['true', 'text/event-stream']);
    const row = await rowOf({ headers });
    // 5 × 1 + 20 × 2 + 4 × 10 USD per million.
    expect([row.cost_nano, row.usage_source, row.stream]).toEqual([85_000, 'reported', 1]);
  });

  test('of a model without streaming is one piece and the end', async () => {
    const { events } = await asked({ model: MODEL });
    expect(events).toMatchObject([
      { type: 'transcript.text.delta', delta: TEXT },
      { type: 'transcript.text.done', text: TEXT, usage: DURATION_USAGE },
    ]);
    expect(textsOf(sentUp()).stream).toBeUndefined();
    const translation = await translate({ stream: 'true' });
    expect(translation.text).toContain('transcript.text.done');
  });

  test('that breaks off ends with an error', async () => {
    answer = () => streamed(STREAM.slice(0, STREAM.indexOf('data: {"type":"transcript.text.done"')));
    const { events } = await asked();
    expect(asObject(events.at(-1)?.error).code).toBe('upstream_error');
    answer = () => streamed(event({ error: { message: 'no', code: 'server_error' } }));
    expect((await asked()).status).toBeGreaterThanOrEqual(500);
  });
});

describe('billing', () => {
  const costOf = async (fields: Fields, key = ACME) => {
    const answered = await ask(fields, { key });
    expect(answered.status).toBe(200);
    return await rowOf(answered);
  };

  test('the reported usage is charged', async () => {
    const row = await costOf({});
    expect([row.cost_nano, row.usage_source, row.format, row.model_id]).toEqual([
      ...[3_000 * 100, 'reported', 'openai-transcriptions', MODEL],
    ]);
    answer = () => Response.json({ text: TEXT, duration: 2.345 });
    expect((await costOf({})).cost_nano).toBe(2_345 * 100);
  });

  test('without a report, the measured length is charged', async () => {
    answer = () => Response.json({ text: TEXT });
    const row = await costOf({ file: new File([wave(4)], 'a.wav') });
    expect([row.cost_nano, row.usage_source]).toEqual([4_000 * 100, 'estimated']);
  });

  test('an implausible length is not charged', async () => {
    answer = () => Response.json({ text: TEXT, usage: { type: 'duration', seconds: 1e9 } });
    const row = await costOf({ model: 'dear' }, clientKey('payer'));
    expect(row.cost_nano ?? 0).toBeLessThan(200 * 1e9);
    expect(row.cost_nano ?? 0).toBeLessThanOrEqual(5 * 1e9);
  });

  test('the length is reserved before the upstream request', async () => {
    const before = first.requests.length;
    const refused = await ask({ model: 'dear', file: new File([wave(4)], 'a.wav') }, { key: clientKey('short') });
    expect([refused.status, refused.error.code, first.requests.length]).toEqual([402, 'insufficient_balance', before]);
    answer = () => refusal(400, 'no');
    const short = { model: 'dear', file: new File([wave(0.5)], 'a.wav') };
    for (let time = 0; time < 3; time++) expect((await ask(short, { key: clientKey('short') })).status).toBe(400);
    answer = () => Response.json({ text: 'a' });
    expect((await costOf(short, clientKey('short'))).cost_nano).toBe(500 * 1_000_000);
  });
});

describe('the sandbox', () => {
  const sandboxed = (fields: Fields = {}, at = 'transcriptions') =>
    ask({ model: 'sandbox-transcription', file: new File([wave(10)], 'a.wav'), ...fields }, { at });

  test('makes a transcript as long as the recording', async () => {
    const { json } = await sandboxed({
      response_format: 'verbose_json',
      'timestamp_granularities[]': ['word', 'segment'],
    });
    expect(Number(json.duration)).toBeCloseTo(10, 1);
    expect(asArray(json.segments).map((one) => asObject(one).start)).toEqual([0, 4, 8]);
    expect(asArray(json.words).length).toBeGreaterThan(10);
  });

  test('supports every format and streams', async () => {
    expect((await sandboxed({ response_format: 'srt' })).text).toStartWith('1\n00:00:00,000 --> 00:00:04,000\nThis is');
    expect((await sandboxed({ response_format: 'diarized_json' })).text).toContain('"speaker":"B"');
    expect((await sandboxed({ stream: 'true' })).text).toContain('transcript.text.done');
    expect((await sandboxed({}, 'translations')).json.text).toStartWith('This is a synthetic transcript.');
  });
});

describe('the official SDK', () => {
  const client = () => new OpenAI({ apiKey: ACME, baseURL: serving.baseUrl, maxRetries: 0 });

  test('reads all formats', async () => {
    const file = recording;
    const { transcriptions, translations } = client().audio;
    expect((await transcriptions.create({ file, model: MODEL })).text).toBe(TEXT);
    expect(await transcriptions.create({ file, model: MODEL, response_format: 'srt' })).toBe(SRT);
    expect(await transcriptions.create({ file, model: MODEL, response_format: 'text' })).toBe(`${TEXT}\n`);
    expect(await transcriptions.create({ file, model: MODEL, response_format: 'vtt' })).toStartWith('WEBVTT');
    const verbose = await transcriptions.create({
      ...{ file, model: MODEL, response_format: 'verbose_json', timestamp_granularities: ['segment'] },
    });
    expect([verbose.duration, verbose.segments?.length]).toEqual([2.5, 2]);
    expect((await translations.create({ file, model: MODEL })).text).toBe(TEXT);
  });

  test('reads a stream, and sends an object in the form', async () => {
    const chunking_strategy = { type: 'server_vad', threshold: 0.5 } as const;
    const stream = await client().audio.transcriptions.create({
      file: recording,
      model: 'tokens',
      stream: true,
      chunking_strategy,
    });
    const texts: string[] = [];
    for await (const one of stream) if (one.type === 'transcript.text.delta') texts.push(one.delta);
    expect(texts).toEqual(['The sun', ' was setting.']);
    expect(textsOf(sentUp())).toMatchObject({
      'chunking_strategy[type]': 'server_vad',
      'chunking_strategy[threshold]': '0.5',
    });
  });

  test('reads speakers', async () => {
    const segments = [{ type: 'transcript.text.segment', id: 's', start: 0, end: 1, text: 'Hi.', speaker: 'A' }];
    answer = () => Response.json({ task: 'transcribe', duration: 1, text: 'Hi.', segments });
    const told = await client().audio.transcriptions.create({
      ...{ file: recording, model: 'tells', response_format: 'diarized_json', chunking_strategy: 'auto' },
    });
    expect(asArray(asObject(told).segments)[0]).toMatchObject({ speaker: 'A', text: 'Hi.' });
    expect(textsOf(sentUp())).toMatchObject({ response_format: 'diarized_json', chunking_strategy: 'auto' });
  });
});
