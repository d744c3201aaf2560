import { afterAll, beforeAll, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { streamSample, wholeSample } from '../disconnect/samples.ts';
import { accountWith, channelTo, clientKey, keyNamed } from '../first-light/upstream.ts';
import { type ClientFormat, KIND_OF_FORMAT, readAnswer, readStream, streamedJson } from '../readers/index.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { RecordingRow } from '../shared/recordings.ts';
import { type Replay, startReplay } from '../shared/replay.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { gathered } from './gathered.ts';

const FORMATS: readonly ClientFormat[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];
const PROVIDERS = {
  'openai-chat': 'openai-compatible',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'google',
};

/** Returns the problems with a client's response. */
export interface CompletionJudge {
  answer(value: unknown): readonly string[];
  chunk(value: unknown): readonly string[];
  error(value: unknown): readonly string[];
}

const NO_JUDGE: CompletionJudge = { answer: () => [], chunk: () => [], error: () => [] };

/** Tests text completions over an upstream of each format, which answers with exchanges from `among`. */
export function testTranslatedCompletions(among: readonly RecordingRow[], judge: CompletionJudge = NO_JUDGE): void {
  let replay: Replay;
  let space: Workspace;
  let serving: Serving;
  let openai: OpenAI;

  beforeAll(async () => {
    space = await Workspace.create();
    replay = await startReplay({ folders: [...new Set(among.map(({ folder }) => folder))] });
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      channels: FORMATS.map((format) => replayed(format, replay, among)),
      accounts: [accountWith('acme', [keyNamed('main')], { requests_per_minute: 1_000_000 })],
    });
    serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
    openai = new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey('main'), maxRetries: 0 });
  });
  afterAll(async () => {
    await space?.remove();
    await replay?.stop();
  });

  test.each(FORMATS)('%s: a whole response', async (format) => {
    const recorded = readAnswer(KIND_OF_FORMAT[format], asObject(parseJson(wholeSample(format, among).responseBody)));
    const answer = await openai.completions.create({ model: `whole-${format}`, prompt: ['Once'], echo: true });
    expect(answer.choices[0]?.text).toBe(`Once${recorded.candidates[0]?.text}`);
    expect(answer).toMatchObject({ object: 'text_completion', model: `whole-${format}`, _routing: { cached: false } });
    expect(answer.usage?.completion_tokens).toBeGreaterThan(0);
    expect(judge.answer(answer)).toEqual([]);
  });

  test.each(FORMATS)('%s: a stream', async (format) => {
    const recorded = readStream(KIND_OF_FORMAT[format], streamedJson(streamSample(format, among).responseBody));
    const options = { stream: true, stream_options: { include_usage: true } } as const;
    const stream = await openai.completions.create({
      model: `stream-${format}`,
      prompt: 'Once',
      echo: true,
      ...options,
    });
    const { chunks, text, reason, usage } = await gathered(stream);
    expect(text).toBe(`Once${recorded.candidates[0]?.text}`);
    expect(['stop', 'length']).toContain(reason ?? '');
    expect(usage?.completion_tokens).toBeGreaterThan(0);
    expect(chunks.at(-1)).toMatchObject({ choices: [], _routing: {} });
    expect(chunks.flatMap((chunk) => judge.chunk(chunk))).toEqual([]);
  });

  test('no provider would have refused a request', () => {
    expect(replay.refusals()).toEqual([]);
  });

  test.each(FORMATS)('%s: a request that cannot become a chat is refused by name', async (format) => {
    for (const [param, more] of Object.entries({
      prompt: { prompt: ['a', 'b'] },
      suffix: { suffix: 'the end' },
      best_of: { best_of: 3 },
      echo: { echo: true, logprobs: 1 },
    })) {
      const answer = await fetch(`${serving.baseUrl}/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${clientKey('main')}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: `whole-${format}`, prompt: 'Once', ...more }),
      });
      const body = parseJson(await answer.text());
      expect([answer.status, asObject(asObject(body).error).param]).toEqual([400, param]);
      expect(judge.error(body)).toEqual([]);
    }
  });
}

function replayed(format: ClientFormat, replay: Replay, among: readonly RecordingRow[]): object {
  const provider = PROVIDERS[format];
  const models = {
    [`whole-${format}`]: wholeSample(format, among).id,
    [`stream-${format}`]: streamSample(format, among).id,
  };
  const base = { baseUrl: replay.strictUrlOf({ provider, wire: format }) };
  return channelTo(base, { id: format, provider, formats: [format], models });
}
