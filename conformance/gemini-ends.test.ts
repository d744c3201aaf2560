import { afterAll, beforeAll, expect, test } from 'bun:test';
import { clientKey, keyNamed } from './first-light/upstream.ts';
import { Books } from './money/books.ts';
import type { ClientFormat } from './readers/index.ts';
import { ask, CLIENT_FORMATS } from './routing/client.ts';
import type { Serving } from './shared/serving.ts';
import { Workspace } from './shared/workspace.ts';

/* The finish reason of a Gemini response decides what each client gets and its account pays, whole and streamed, on both lanes. */

const USAGE = { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 };
const PROMPT_ONLY = { promptTokenCount: 7, totalTokenCount: 7 };
const ended = (finishReason: string, parts: readonly object[] = []) => ({ finishReason, index: 0, content: { parts } });

/** The first channel's scripted answers, by model name. */
const ANSWERS: Readonly<Record<string, object>> = {
  malformed: { candidates: [ended('MALFORMED_FUNCTION_CALL')], usageMetadata: USAGE },
  unexpected: { candidates: [ended('UNEXPECTED_TOOL_CALL')], usageMetadata: USAGE },
  'no-image': { candidates: [ended('NO_IMAGE')], usageMetadata: USAGE },
  other: { candidates: [ended('OTHER')], usageMetadata: USAGE },
  unknown: { candidates: [ended('REASON_OF_TOMORROW')], usageMetadata: USAGE },
  'no-candidates': { usageMetadata: PROMPT_ONLY, responseId: 'r', modelVersion: 'm' },
  blocked: { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: PROMPT_ONLY },
  'blocked-uncounted': { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
};
const GOOD = { candidates: [ended('STOP', [{ text: 'Good' }])], usageMetadata: USAGE };
const FAILURES = Object.keys(ANSWERS).filter((name) => !name.startsWith('blocked'));

const upstream = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    const name = /models\/([^:]+):/.exec(pathname)?.[1] ?? '';
    const answer = pathname.startsWith('/good') ? GOOD : ANSWERS[name];
    if (!pathname.endsWith(':streamGenerateContent')) return Response.json(answer);
    const headers = { 'content-type': 'text/event-stream' };
    return new Response(`data: ${JSON.stringify(answer)}\r\n\r\n`, { headers });
  },
});

let space: Workspace;
let serving: Serving;
let books: Books;

beforeAll(async () => {
  space = await Workspace.create();
  const names = Object.keys(ANSWERS);
  const channel = (id: string, priority: number, suffixes: readonly string[]) => ({
    ...{ id, provider: 'google', api_key: 'k', base_url: `http://127.0.0.1:${upstream.port}/${id}/v1beta`, priority },
    breaker: { minimum_requests: 1_000 },
    models: Object.fromEntries(suffixes.flatMap((suffix) => names.map((name) => [`${name}${suffix}`, name]))),
  });
  const pricing = { input_per_1m: '1000', output_per_1m: '1000' };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channel('bad', 0, ['', '-alone']), channel('good', 1, [''])],
    models: names.flatMap((name) => [name, `${name}-alone`]).map((id) => ({ id, category: 'chat', pricing })),
    accounts: [
      ...[{ id: 'ends', role: 'VIP', billing: 'prepaid', balance_usd: '1000', requests_per_minute: 1_000_000 }].map(
        (account) => ({ ...account, keys: [keyNamed('ends')] }),
      ),
    ],
  });
  const env = { SWITCHYARD_CONFIG };
  serving = await space.serve({ env });
  books = new Books({ space, run: (...args) => space.run(args, { env }) });
});

afterAll(async () => {
  await space.remove();
  await upstream.stop(true);
});

const CASES = CLIENT_FORMATS.flatMap((format) => [false, true].map((stream) => [format, stream] as const));

/** Requests all models at once. The request log is read once, because it is written in batches. */
async function askedFor(models: readonly string[], format: ClientFormat, stream: boolean) {
  const origin = { origin: serving.origin, key: clientKey('ends') };
  const answers = await Promise.all(models.map((model) => ask({ ...origin, model, format, stream })));
  const ids = answers.map(({ headers }) => ({ requestId: headers.get('x-request-id') ?? '' }));
  const log = await books.log(ids);
  return answers.map((answer, index) => {
    const row = log.get(ids[index]?.requestId ?? '');
    const tokens = [row?.input_tokens, row?.output_tokens].map(Number);
    return { ...answer, model: models[index], tokens, cost: Number(row?.cost_nano ?? 0) };
  });
}

test.each(CASES)('a failed generation fails over to the next channel (%s, stream: %p)', async (format, stream) => {
  for (const { model, status, channel, text, tokens } of await askedFor(FAILURES, format, stream)) {
    expect([model, status, channel, text.includes('Good')]).toEqual([model, 200, 'good', true]);
    expect([model, tokens]).toEqual([model, [7, 3]]);
  }
});

test.each(CASES)(
  'without another channel, a failed generation is an error that costs nothing (%s, stream: %p)',
  async (format, stream) => {
    const alone = FAILURES.map((name) => `${name}-alone`);
    for (const { model, status, isComplete, text, cost } of await askedFor(alone, format, stream)) {
      // A stream whose beginning reached the client ends with an error frame.
      expect([model, status === 200 && isComplete, cost]).toEqual([model, false, 0]);
      if (model !== 'no-candidates-alone') expect(text).toContain('The upstream returned no response');
    }
  },
);

const FILTERED = {
  ...{ 'openai-chat': 'content_filter', 'openai-responses': 'content_filter' },
  ...{ 'anthropic-messages': 'refusal', gemini: 'blockReason' },
};

test.each(CASES)('a blocked prompt is a refusal without output cost (%s, stream: %p)', async (format, stream) => {
  const [counted, uncounted] = await askedFor(['blocked', 'blocked-uncounted'], format, stream);
  for (const answer of [counted, uncounted]) {
    expect(answer).toMatchObject({ status: 200, channel: 'bad' });
    expect(answer?.text).toContain(FILTERED[format]);
    expect(answer?.tokens[1]).toBe(0);
  }
  expect(counted?.tokens[0]).toBe(7);
  expect(uncounted?.tokens[0]).toBeGreaterThan(0);
});
