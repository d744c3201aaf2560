import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import { experimental_transcribe as transcribe } from 'ai';
import OpenAI from 'openai';
import { parse as parseYaml } from 'yaml';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { asArray, asObject, isObject, parseJson } from './shared/json.ts';
import { readRecording, recordingRows, recordingsMissing, sharedFolder } from './shared/recordings.ts';
import type { Serving } from './shared/serving.ts';
import { Workspace } from './shared/workspace.ts';
import { type AudioUpstream, type ReceivedAudio, startAudioUpstream, tone } from './transcripts/bed.ts';

/* Transcripts over every provider: two SDKs over its recorded answers, and its published document about the request. */

setDefaultTimeout(60_000);

const ACME = clientKey('acme');

interface Provided {
  readonly model: string;
  readonly path: string;
  /** What it answers, where there is no recording of it. */
  readonly answer?: object;
  /** The recording of its answer. */
  readonly recorded?: string;
  /** The text of an answer. */
  textIn(answer: Readonly<Record<string, unknown>>): unknown;
  /** Its document and the schema of the request there. */
  readonly document?: readonly [file: string, schema: string];
  /** A language that has to be named. */
  readonly language?: string;
}

const text = ({ text }: Readonly<Record<string, unknown>>) => text;
const ownText = { textIn: text };
const TEXT = 'Hallo, das ist ein Test.';

const PROVIDED: Readonly<Record<string, Provided>> = {
  openai: {
    ...{ ...ownText, model: 'whisper-1', path: '/v1/audio/transcriptions' },
    ...{ recorded: 'openai/transcriptions/002', document: ['openai.openapi.json', 'CreateTranscriptionRequest'] },
  },
  'azure-openai': {
    ...{ ...ownText, model: 'whisper', path: '/openai/v1/audio/transcriptions' },
    ...{ recorded: 'openai/transcriptions/023', document: ['openai.openapi.json', 'CreateTranscriptionRequest'] },
  },
  groq: {
    ...{ ...ownText, model: 'whisper-large-v3', path: '/v1/audio/transcriptions' },
    ...{ recorded: 'groq/transcriptions/003', document: ['groq.openapi.yaml', 'CreateTranscriptionRequest'] },
  },
  'openai-compatible': {
    ...{ ...ownText, model: 'own-whisper', path: '/v1/audio/transcriptions', recorded: 'venice/transcriptions/001' },
  },
  together: {
    ...{ ...ownText, model: 'openai/whisper-large-v3', path: '/v1/audio/transcriptions', answer: { text: TEXT } },
    document: ['together.openapi.yaml', 'AudioTranscriptionRequest'],
  },
  mistral: {
    ...{ ...ownText, model: 'voxtral-mini-2602', path: '/v1/audio/transcriptions' },
    ...{ recorded: 'mistral/transcriptions/003', document: ['mistral.openapi.yaml', 'AudioTranscriptionRequest'] },
  },
  deepgram: {
    ...{ model: 'nova-3', path: '/v1/listen', recorded: 'deepgram/transcriptions/003' },
    textIn: ({ results }) => {
      const [channel] = asArray(asObject(results).channels);
      return asObject(asArray(asObject(channel).alternatives)[0]).transcript;
    },
  },
  elevenlabs: {
    ...{ ...ownText, model: 'scribe_v2', path: '/v1/speech-to-text', recorded: 'elevenlabs/transcriptions/001' },
    document: ['elevenlabs.openapi.json', 'Body_Speech_to_Text_v1_speech_to_text_post'],
  },
  xai: {
    ...{ ...ownText, model: 'grok-voice-transcribe-2.0', path: '/v1/stt' },
    answer: { text: TEXT, language: '', duration: 2.5, words: [{ text: 'Hallo,', start: 0, end: 0.5 }] },
  },
  cohere: {
    ...{ ...ownText, model: 'cohere-transcribe-03-2026', path: '/v1/v2/audio/transcriptions', language: 'de' },
    answer: { text: TEXT },
  },
  openrouter: {
    ...{ ...ownText, model: 'openai/whisper-1', path: '/v1/audio/transcriptions' },
    ...{ recorded: 'openrouter/transcriptions/001', document: ['openrouter.openapi.yaml', 'STTRequest'] },
  },
  google: {
    ...{ model: 'gemini-3.5-flash', path: '/v1/models/gemini-3.5-flash:generateContent' },
    answer: { candidates: [{ content: { parts: [{ text: TEXT }] }, finishReason: 'STOP' }] },
    textIn: () => TEXT,
  },
  fal: {
    ...{ ...ownText, model: 'fal-ai/wizper', path: '/v1/fal-ai/wizper', recorded: 'fal/transcriptions/002' },
  },
};

const missing = recordingsMissing();

/** The answer of a provider as bytes; `null` where its recording is not here. */
function answerOf({ answer, recorded }: Provided): string | null {
  if (recorded === undefined) return JSON.stringify(answer);
  const row = missing === undefined ? recordingRows().find(({ file }) => file.startsWith(recorded)) : undefined;
  return row === undefined ? null : readRecording(row).responseBody;
}

let upstream: AudioUpstream;
let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  upstream = startAudioUpstream(({ path: asked, method }) => {
    if (method === 'GET') {
      const isStatus = asked.endsWith('/status');
      return Response.json(
        isStatus ? { status: 'COMPLETED', request_id: 'job-1' } : parseJson(answerOf(fal()) ?? '{}'),
      );
    }
    const found = Object.values(PROVIDED).find((one) => one.path === asked && answers.get('now') === one);
    if (found === undefined) return new Response(`nothing at ${asked}`, { status: 404 });
    if (found === fal()) return Response.json({ status: 'IN_QUEUE', request_id: 'job-1', response_url: 'x' });
    return new Response(answerOf(found), { headers: { 'content-type': 'application/json' } });
  });
  space = await Workspace.create();
  const names = Object.keys(PROVIDED);
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: names.flatMap((provider) => {
      const base_url = provider === 'azure-openai' ? upstream.origin : `${upstream.origin}/v1`;
      const channel = { provider, api_key: 'upstream-key', base_url };
      const upstreamModel = PROVIDED[provider]?.model;
      return [
        { ...channel, id: provider, models: { [`by-${provider}`]: upstreamModel } },
        { ...channel, id: `${provider}-own`, owner: 'acme', models: { [`own-${provider}`]: upstreamModel } },
      ];
    }),
    models: names
      .flatMap((provider) => [`by-${provider}`, `own-${provider}`])
      .map((id) => ({ id, category: 'stt', pricing: 'free' })),
    accounts: [accountWith('acme', [keyNamed('acme')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(async () => {
  await space?.remove();
  await upstream?.stop();
});

/** Which provider the upstream is, since several have the same paths. */
const answers = new Map<'now', Provided>();

function fal(): Provided {
  const { fal: found } = PROVIDED;
  if (found === undefined) throw new Error('fal is not in the table');
  return found;
}

/** What the provider was sent last, apart from questions about a job. */
function sentTo(asked: string): ReceivedAudio {
  const found = upstream.requests.findLast((request) => request.method === 'POST' && request.path === asked);
  if (found === undefined) throw new Error(`nothing was sent to ${asked}`);
  return found;
}

/** The properties of a request in the provider's document; `null` where the document is not here. */
function propertiesOf([file, schema]: readonly [string, string]): Readonly<Record<string, unknown>> | null {
  const found = path.join(sharedFolder, 'specs', file);
  if (!existsSync(found)) return null;
  const source = readFileSync(found, 'utf8');
  const document = file.endsWith('.json') ? parseJson(source) : (parseYaml(source) as unknown);
  return asObject(asObject(asObject(asObject(document).components).schemas)[schema]);
}

/** Those whose requests are not OpenAI's, with an option that costs nothing; `null` where there is none. */
const OPTIONS: Readonly<Record<string, readonly [string, unknown] | null>> = {
  mistral: null,
  deepgram: ['numerals', true],
  elevenlabs: ['tag_audio_events', false],
  xai: ['format', true],
  cohere: null,
  google: ['safetySettings', []],
  fal: ['num_speakers', 2],
};

/** Options that cost extra at Deepgram and ElevenLabs. */
const DEAR = ['diarize_model', 'redact', 'summarize', 'topics', 'multichannel', 'mip_opt_out', 'entity_detection'];

describe.each(Object.entries(OPTIONS))('options of %s', (provider, known) => {
  const provided = PROVIDED[provider];
  if (provided === undefined) throw new Error(`${provider} is not in the table`);
  const asked = async (model: string, options: object) => {
    const form = new FormData();
    form.set('file', await tone('mp3'));
    form.set('model', model);
    if (provided.language !== undefined) form.set('language', provided.language);
    form.set('provider_options', JSON.stringify(options));
    const headers = { authorization: `Bearer ${ACME}` };
    const response = await fetch(`${serving.baseUrl}/audio/transcriptions`, { method: 'POST', headers, body: form });
    const { error } = asObject(await response.json());
    return [response.status, ...(error === undefined ? [] : [asObject(error).code, asObject(error).param])];
  };

  test('are refused on a channel that accounts share', async () => {
    const { length } = upstream.requests;
    for (const name of ['an_option', ...DEAR]) {
      expect(await asked(`by-${provider}`, { [name]: 'x' })).toEqual([
        ...[400, 'unsupported_parameter', `provider_options.${name}`],
      ]);
    }
    expect(upstream.requests.length).toBe(length);
  });

  test.skipIf(answerOf(provided) === null)('go over one’s own, and harmless ones over all', async () => {
    answers.set('now', provided);
    const sent = () => {
      const { query, parts, json } = sentTo(provided.path);
      return [...query.keys(), ...parts.map(([name]) => name), ...Object.keys(json)];
    };
    expect(await asked(`own-${provider}`, { an_option: 'x' })).toEqual([200]);
    expect(sent()).toContain('an_option');
    if (known === null) return;
    const [name, value] = known;
    expect(await asked(`by-${provider}`, { [name]: value })).toEqual([200]);
    expect(sent()).toContain(name);
  });
});

describe.each(Object.entries(PROVIDED))('%s', (provider, provided) => {
  const body = answerOf(provided);
  const isAbsent = body === null;
  const model = `by-${provider}`;
  const { language } = provided;

  test.skipIf(isAbsent)("OpenAI's SDK reads the recorded text", async () => {
    answers.set('now', provided);
    const client = new OpenAI({ apiKey: ACME, baseURL: serving.baseUrl, maxRetries: 0 });
    const file = await tone('mp3');
    const more = language === undefined ? {} : { language };
    const { text: told } = await client.audio.transcriptions.create({ file, model, ...more });
    expect<unknown>(told).toBe(provided.textIn(asObject(parseJson(body ?? ''))));
    expect(sentTo(provided.path).bytes.length).toBeGreaterThan(file.size - 1);
  });

  test.skipIf(isAbsent)("Vercel's SDK reads it, too", async () => {
    answers.set('now', provided);
    const openai = createOpenAI({ apiKey: ACME, baseURL: serving.baseUrl });
    const { text: told } = await transcribe({
      model: openai.transcription(model),
      audio: new Uint8Array(await (await tone('wav')).arrayBuffer()),
      maxRetries: 0,
      ...(language !== undefined && { providerOptions: { openai: { language } } }),
    });
    expect<unknown>(told).toBe(provided.textIn(asObject(parseJson(body ?? ''))));
  });

  test.skipIf(isAbsent)('as subtitles and as a stream', async () => {
    answers.set('now', provided);
    const client = new OpenAI({ apiKey: ACME, baseURL: serving.baseUrl, maxRetries: 0 });
    const file = await tone('wav');
    const more = language === undefined ? {} : { language };
    const subtitles = await client.audio.transcriptions.create({ file, model, response_format: 'srt', ...more }).catch(
      // The recorded answer of a provider that was not asked for times is no JSON with times.
      (error: unknown) => (provider === 'google' ? null : Promise.reject(error)),
    );
    if (subtitles !== null) expect(subtitles).toMatch(/^1\n\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}\n\S/);
    const events = await client.audio.transcriptions.create({ file, model, stream: true, ...more });
    const types: string[] = [];
    for await (const event of events) types.push(event.type);
    expect(types).toEqual(['transcript.text.delta', 'transcript.text.done']);
  });

  const properties = provided.document === undefined ? null : propertiesOf(provided.document);
  // Not every provider publishes one.
  if (provided.document === undefined) return;
  test.skipIf(isAbsent)('its document has every member that it is sent', async () => {
    answers.set('now', provided);
    const client = new OpenAI({ apiKey: ACME, baseURL: serving.baseUrl, maxRetries: 0 });
    await client.audio.transcriptions.create({
      ...{ file: await tone('mp3'), model, language: 'en', prompt: 'p', temperature: 0.5 },
      response_format: 'verbose_json',
    });
    const { parts, json } = sentTo(provided.path);
    const names = [...parts.map(([name]) => name.replace(/\[.*\]$/, '')), ...Object.keys(json)];
    const known = asObject(asObject(properties).properties);
    expect(names.filter((name) => !Object.hasOwn(known, name))).toEqual([]);
    const required = asArray(asObject(properties).required).filter((name) => typeof name === 'string');
    expect(required.filter((name) => !names.includes(name))).toEqual([]);
    for (const [name, value] of parts) {
      const property = asObject(known[name]);
      const choices = isObject(property) ? asArray(property.enum) : [];
      if (choices.length > 0) expect(choices).toContain(value);
    }
  });
});

test('what Deepgram is asked is in its document', async () => {
  const found = path.join(sharedFolder, 'specs', 'deepgram.openapi.yml');
  if (!existsSync(found)) return;
  const document = asObject(parseYaml(readFileSync(found, 'utf8')) as unknown);
  const listen = asObject(asObject(asObject(document.paths)['/v1/listen']).post);
  const known = asArray(listen.parameters).map((one) => asObject(one).name);
  expect([...sentTo('/v1/listen').query.keys()].filter((name) => !known.includes(name))).toEqual([]);
  expect(sentTo('/v1/listen').headers.get('authorization')).toBe('Token upstream-key');
});
