import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { ClientFormat } from '../readers/index.ts';
import { ASK_LIMIT_MS, type Asked, type Place } from './ask.ts';
import { driverOf } from './upstreams.ts';

/** The result of a loop over an official SDK's stream that breaks off. */
export interface BrokenStream {
  /** The number of chunks before the end. */
  readonly chunks: number;
  /** `undefined` if the stream ended without an error. */
  readonly error: unknown;
  /** Whether the error is of the SDK's own class. */
  readonly isOwn: boolean;
}

/** Reads a stream chunk by chunk, as most users of the SDKs do. Never throws. */
export async function readInChunks(place: Place, asked: Asked): Promise<BrokenStream> {
  const limit = AbortSignal.timeout(ASK_LIMIT_MS);
  let chunks = 0;
  let error: unknown;
  try {
    for await (const _ of await STREAMS[asked.format](place, asked, limit)) chunks++;
  } catch (thrown) {
    error = thrown;
  }
  const isOwn = driverOf(asked.format).ownError(error) !== undefined;
  return { chunks, error, isOwn: isOwn && !limit.aborted };
}

type OpenStream = (place: Place, asked: Asked, signal: AbortSignal) => PromiseLike<AsyncIterable<unknown>>;

const STREAMS: Readonly<Record<ClientFormat, OpenStream>> = {
  'openai-chat': (place, { model, prompt }, signal) =>
    openAi(place).chat.completions.create(
      { model, messages: [{ role: 'user', content: prompt }], stream: true },
      { signal },
    ),
  'openai-responses': (place, { model, prompt }, signal) =>
    openAi(place).responses.create({ model, input: prompt, stream: true, store: false }, { signal }),
  'anthropic-messages': ({ origin, apiKey }, { model, prompt }, signal) =>
    new Anthropic({ baseURL: origin, apiKey, maxRetries: 0, logLevel: 'off' }).messages.create(
      { model, messages: [{ role: 'user', content: prompt }], max_tokens: 1024, stream: true },
      { signal },
    ),
  gemini: ({ origin, apiKey }, { model, prompt }, abortSignal) =>
    new GoogleGenAI({
      apiKey,
      httpOptions: { baseUrl: origin, apiVersion: 'v1beta' },
    }).models.generateContentStream({ model, contents: prompt, config: { abortSignal } }),
};

function openAi({ origin, apiKey }: Place): OpenAI {
  return new OpenAI({ baseURL: `${origin}/v1`, apiKey, maxRetries: 0, logLevel: 'off' });
}
