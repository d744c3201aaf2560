import { describe, expect, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { experimental_transcribe as transcribe } from 'ai';
import OpenAI from 'openai';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { type AudioUpstream, type ReceivedAudio, refusedAt, startAudioUpstream, tone } from './bed.ts';

/** A provider of transcripts, one of its models, and the path of its endpoint. */
export interface Provided {
  readonly model: string;
  readonly path: string;
  /** A response in the provider's format. */
  readonly answer: object;
  /** Returns the text of a response. */
  textIn(answer: Readonly<Record<string, unknown>>): unknown;
  /** A language, if the provider requires one. */
  readonly language?: string;
}

const ownText = { textIn: ({ text }: Readonly<Record<string, unknown>>) => text };
const TEXT = 'Hallo, das ist ein Test.';
const SEGMENTS = [
  { id: 0, start: 0, end: 1, text: ' Hallo,' },
  { id: 1, start: 1, end: 2.5, text: ' das ist ein Test.' },
];
const VERBOSE = { task: 'transcribe', language: 'german', duration: 2.5, text: TEXT };

export const PROVIDED: Readonly<Record<string, Provided>> = {
  openai: {
    ...{ ...ownText, model: 'whisper-1', path: '/v1/audio/transcriptions' },
    answer: { ...VERBOSE, segments: SEGMENTS, usage: { type: 'duration', seconds: 3 } },
  },
  'azure-openai': {
    ...{ ...ownText, model: 'whisper', path: '/openai/v1/audio/transcriptions' },
    answer: { ...VERBOSE, words: [{ word: 'Hallo', start: 0, end: 0.5 }], segments: SEGMENTS },
  },
  groq: {
    ...{ ...ownText, model: 'whisper-large-v3', path: '/v1/audio/transcriptions' },
    answer: { text: TEXT, language: 'de', duration: 2.5, segments: SEGMENTS, usage: { total_tokens: 12 } },
  },
  'openai-compatible': {
    ...{ ...ownText, model: 'own-whisper', path: '/v1/audio/transcriptions', answer: { duration: 2.5, text: TEXT } },
  },
  together: {
    ...{ ...ownText, model: 'openai/whisper-large-v3', path: '/v1/audio/transcriptions', answer: { text: TEXT } },
  },
  mistral: {
    ...{ ...ownText, model: 'voxtral-mini-2602', path: '/v1/audio/transcriptions' },
    answer: {
      ...{ model: 'voxtral-mini-latest', text: TEXT, language: null },
      segments: [{ type: 'transcription_segment', text: TEXT, start: 0.1, end: 2.4, speaker_id: null }],
      usage: { prompt_audio_seconds: 3, prompt_tokens: 4, completion_tokens: 20, total_tokens: 24 },
    },
  },
  deepgram: {
    ...{ model: 'nova-3', path: '/v1/listen' },
    textIn: ({ results }) => {
      const [channel] = asArray(asObject(results).channels);
      return asObject(asArray(asObject(channel).alternatives)[0]).transcript;
    },
    answer: {
      metadata: { duration: 2.5, channels: 1 },
      results: {
        channels: [
          {
            detected_language: 'de',
            alternatives: [
              { transcript: TEXT, words: [{ word: 'hallo', start: 0, end: 0.5, punctuated_word: 'Hallo,' }] },
            ],
          },
        ],
      },
    },
  },
  elevenlabs: {
    ...{ ...ownText, model: 'scribe_v2', path: '/v1/speech-to-text' },
    answer: {
      ...{ language_code: 'deu', language_probability: 0.9, text: 'Hallo Test.' },
      words: [
        { text: 'Hallo', start: 0, end: 0.5, type: 'word', logprob: 0 },
        { text: ' ', start: 0.5, end: 0.6, type: 'spacing', logprob: 0 },
        { text: 'Test.', start: 0.6, end: 1.2, type: 'word', logprob: 0 },
      ],
    },
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
    answer: { text: TEXT, usage: { cost: 0.0006, seconds: 3 } },
  },
  google: {
    ...{ model: 'gemini-3.5-flash', path: '/v1/models/gemini-3.5-flash:generateContent' },
    answer: { candidates: [{ content: { parts: [{ text: TEXT }] }, finishReason: 'STOP' }] },
    textIn: () => TEXT,
  },
  fal: {
    ...{ ...ownText, model: 'fal-ai/wizper', path: '/v1/fal-ai/wizper' },
    answer: { text: TEXT, chunks: [{ timestamp: [0, 2.4], text: TEXT }], languages: ['de'] },
  },
};

/**
 * A gateway with a channel of each provider, shared and account-owned, over an upstream that imitates one of
 * them at a time.
 */
export class TranscriptProviders {
  private now: Provided | null = null;
  private body = '';
  private isStrict = true;

  private constructor(
    private readonly upstream: AudioUpstream,
    private readonly space: Workspace,
    readonly serving: Serving,
  ) {}

  static async start(): Promise<TranscriptProviders> {
    let bed: TranscriptProviders | null = null;
    const upstream = startAudioUpstream((request) => bed?.answered(request) ?? new Response('', { status: 500 }));
    const space = await Workspace.create();
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
    bed = new TranscriptProviders(upstream, space, await space.serve({ env: { SWITCHYARD_CONFIG } }));
    return bed;
  }

  /**
   * Makes the upstream imitate this provider, since several share a path, and answer every accepted request
   * with this body.
   */
  play(provider: string, body = JSON.stringify(provided(provider).answer)): Provided {
    return this.playAnything(provider, body, true);
  }

  /** The same, but unless it `isStrict`, the upstream also answers what the provider would refuse. */
  playAnything(provider: string, body = JSON.stringify(provided(provider).answer), isStrict = false): Provided {
    this.now = provided(provider);
    this.isStrict = isStrict;
    this.body = body;
    return this.now;
  }

  get questions(): number {
    return this.upstream.requests.length;
  }

  /** Returns the last request to the provider, apart from polls of a job. */
  sentTo({ path }: Provided): ReceivedAudio {
    const found = this.upstream.requests.findLast((request) => request.method === 'POST' && request.path === path);
    if (found === undefined) throw new Error(`nothing was sent to ${path}`);
    return found;
  }

  client(): OpenAI {
    return new OpenAI({ apiKey: clientKey('acme'), baseURL: this.serving.baseUrl, maxRetries: 0 });
  }

  async stop(): Promise<void> {
    await this.space.remove();
    await this.upstream.stop();
  }

  private async answered(request: ReceivedAudio): Promise<Response> {
    const { path, method } = request;
    const [playing = ''] = Object.entries(PROVIDED).find(([, one]) => one === this.now) ?? [];
    const refused = this.isStrict ? await refusedAt(playing, request) : null;
    if (refused !== null) return refused;
    const isFal = this.now === PROVIDED.fal;
    if (method === 'GET') {
      if (path.endsWith('/status')) return Response.json({ status: 'COMPLETED', request_id: 'job-1' });
    } else if (path !== this.now?.path) {
      return new Response(`nothing at ${path}`, { status: 404 });
    } else if (isFal) {
      return Response.json({ status: 'IN_QUEUE', request_id: 'job-1', response_url: 'x' });
    }
    return new Response(this.body, { headers: { 'content-type': 'application/json' } });
  }
}

export function provided(provider: string): Provided {
  const found = PROVIDED[provider];
  if (found === undefined) throw new Error(`${provider} is not in the table`);
  return found;
}

/** Defines the tests that two SDKs can read a response of each of these providers. */
export function testTranscripts(
  bed: () => TranscriptProviders,
  answers: readonly (readonly [provider: string, body: string])[],
): void {
  describe.each(answers)('%s', (provider, body) => {
    const model = `by-${provider}`;
    const { language, textIn } = provided(provider);
    const text = textIn(asObject(parseJson(body)));
    const more = language === undefined ? {} : { language };

    test("OpenAI's SDK reads the text", async () => {
      const playing = bed().play(provider, body);
      const file = await tone('mp3');
      const { text: told } = await bed()
        .client()
        .audio.transcriptions.create({ file, model, ...more });
      expect<unknown>(told).toBe(text);
      expect(bed().sentTo(playing).bytes.length).toBeGreaterThan(file.size - 1);
    });

    test("Vercel's SDK reads it, too", async () => {
      bed().play(provider, body);
      const openai = createOpenAI({ apiKey: clientKey('acme'), baseURL: bed().serving.baseUrl });
      const { text: told } = await transcribe({
        model: openai.transcription(model),
        audio: new Uint8Array(await (await tone('wav')).arrayBuffer()),
        maxRetries: 0,
        ...(language !== undefined && { providerOptions: { openai: { language } } }),
      });
      expect<unknown>(told).toBe(text);
    });

    test('as subtitles and as a stream', async () => {
      bed().play(provider, body);
      const { transcriptions } = bed().client().audio;
      const file = await tone('wav');
      const subtitles = await transcriptions.create({ file, model, response_format: 'srt', ...more }).catch(
        // Google was not asked for timestamps, so its response has none.
        (error: unknown) => (provider === 'google' ? null : Promise.reject(error)),
      );
      if (subtitles !== null) expect(subtitles).toMatch(/^1\n\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}\n\S/);
      const events = await transcriptions.create({ file, model, stream: true, ...more });
      const types: string[] = [];
      for await (const event of events) types.push(event.type);
      expect(types).toEqual(['transcript.text.delta', 'transcript.text.done']);
    });
  });
}
