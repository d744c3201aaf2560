import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sleep } from '../src/main/system.ts';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { answerOf } from './shared/answer.ts';
import { asObject } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { Workspace } from './shared/workspace.ts';

/* Semantic cache hits with the packaged model and the gateway's own second check. The sandbox answers each question differently. */

setDefaultTimeout(600_000);

const MODEL = 'sandbox-chat';
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let space: Workspace;
let serving: Serving;

async function serve(): Promise<void> {
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    sandbox: true,
    accounts: [
      accountWith('acme', [keyNamed('acme')]),
      accountWith('other', [keyNamed('other')]),
      { ...accountWith('always', [keyNamed('always')]), cache: { strategy: 'semantic' } },
      { ...accountWith('strict', [keyNamed('strict')]), cache: { semantic: { certainty: 1 } } },
      { ...accountWith('broad', [keyNamed('broad')]), cache: { semantic: { tools: true, media: true } } },
      { ...accountWith('never', [keyNamed('never')]), cache: { strategy: 'off' } },
    ],
  });
  // On a busy machine, an embedding can take longer than requests wait for it.
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: (ms, signal) => sleep(100 * ms, signal) });
}

beforeAll(async () => {
  space = await Workspace.create();
  await serve();
});
afterAll(async () => {
  await space?.remove();
});

interface Asking {
  readonly key?: string;
  readonly system?: string;
  readonly control?: string | null;
  readonly more?: object;
}

let conversations = 0;

/** Returns a system prompt that no other test uses, so that only the questions of one test can match. */
const apart = () => `You are assistant number ${++conversations}.`;

/** Resolves to whether the response came from the cache. */
async function isCached(content: unknown, asking: Asking = {}): Promise<boolean> {
  const { key = 'acme', system = 'You help.', control = 'semantic_only', more = {} } = asking;
  const response = await fetch(`${serving.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clientKey(key)}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content },
      ],
      ...(control !== null && { cache_control: { type: control } }),
      ...more,
    }),
  });
  const { status, json } = await answerOf(response);
  expect(status).toBe(200);
  const { cached, cacheEntryId } = asObject(json._routing);
  expect(typeof cacheEntryId === 'string').toBe(cached === true);
  expect(response.headers.get('x-cache-entry-id')).toBe(cached === true ? String(cacheEntryId) : null);
  return cached === true;
}

/** Resolves to whether the second question is served from the entry of the first. */
async function answers(known: unknown, asked: unknown, asking: Asking = {}): Promise<boolean> {
  const of = { system: apart(), ...asking };
  expect(await isCached(known, of)).toBe(false);
  return await isCached(asked, of);
}

describe('equivalent questions', () => {
  test.each([
    ['How do I reset my password?', 'How do I reset my password?'],
    ['How do I reset my password?', 'how do i reset my password'],
    ["What's the capital of France?", 'What is the capital of France?'],
    ['How can I learn to play the guitar?', 'How do I learn to play the guitar?'],
  ])('%s / %s', async (known, asked) => {
    expect(await answers(known, asked)).toBe(true);
  });
});

describe('questions whose embeddings are close but whose meanings differ', () => {
  test.each([
    ['What major events happened in 2002?', 'What major events happened in 1992?'],
    ['How much is 5 kg of rice in pounds?', 'How much is 5 g of rice in pounds?'],
    ['Is it safe to mix bleach and vinegar?', 'Is it not safe to mix bleach and vinegar?'],
    ['How do I enable two-factor login?', 'How do I disable two-factor login?'],
    ['What is the population of Austria?', 'What is the population of Australia?'],
    ['Which is the largest city in Texas?', 'Which is the smallest city in Texas?'],
    ['What does `git reset` do?', 'What does `git revert` do?'],
    ['How do I get from Berlin to Munich?', 'How do I get from Munich to Berlin?'],
    ['Explain recursion in one sentence.', 'Explain recursion in one paragraph.'],
    ['Translate "good night" to French.', 'Translate "good morning" to French.'],
  ])('%s / %s', async (known, asked) => {
    expect(await answers(known, asked)).toBe(false);
  });
});

const SAME = ['How do I reset my password?', 'How do I reset my password'] as const;

describe('fields that must be equal for a semantic hit', () => {
  test('the account, the system prompt, the parameters and the earlier turns must be equal', async () => {
    const system = apart();
    expect(await isCached(SAME[0], { system })).toBe(false);
    expect(await isCached(SAME[1], { system, key: 'other' })).toBe(false);
    expect(await isCached(SAME[1], { system: `${system} Be brief.` })).toBe(false);
    expect(await isCached(SAME[1], { system, more: { temperature: 0.2 } })).toBe(false);
    expect(await isCached(SAME[1], { system, more: { max_tokens: 5 } })).toBe(false);
    expect(await isCached(SAME[1], { system, more: { user: 'somebody else' } })).toBe(true);
  });

  test('an entry stored only for exact matches is not found', async () => {
    const system = apart();
    expect(await isCached(SAME[0], { system, control: 'response_only' })).toBe(false);
    expect(await isCached(SAME[1], { system })).toBe(false);
    expect(await isCached(SAME[0], { system, control: 'response_only' })).toBe(true);
  });
});

describe('who gets semantic hits', () => {
  test('a request without cache control gets none, unless its account has the semantic strategy', async () => {
    expect(await answers(...SAME, { control: null })).toBe(false);
    expect(await answers(...SAME, { control: 'default' })).toBe(false);
    expect(await answers(...SAME, { key: 'always', control: null })).toBe(true);
    expect(await answers(...SAME, { key: 'always', control: 'response_only' })).toBe(false);
    expect(await answers(...SAME, { key: 'never' })).toBe(false);
  });

  test('an account that requires certainty gets exact hits only', async () => {
    expect(
      await answers('How can I learn to play the guitar?', 'How do I learn to play the guitar?', { key: 'strict' }),
    ).toBe(false);
  });

  test('requests with tools or media get hits only if the account allows it', async () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
    const withImage = (text: string) => [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: PIXEL } },
    ];
    const [one, other] = SAME;
    // Even an identical request misses: `semantic_only` skips the exact lookup.
    expect(await answers(one, other, { more: { tools } })).toBe(false);
    expect(await answers(withImage(one), withImage(other))).toBe(false);
    expect(await answers(one, other, { key: 'broad', more: { tools, tool_choice: 'none' } })).toBe(true);
    expect(await answers(withImage(one), withImage(other), { key: 'broad' })).toBe(true);
    expect(await answers(withImage(one), other, { key: 'broad' })).toBe(false);
  });
});

describe('other formats', () => {
  async function ask(path: string, body: object, stream = false): Promise<boolean> {
    const response = await fetch(`${serving.origin}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${clientKey('acme')}`,
        'content-type': 'application/json',
        'x-switchyard-cache': 'semantic-only',
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status).toBe(200);
    if (stream) expect(text.match(/data:/g)?.length ?? 0).toBeGreaterThan(4);
    return response.headers.get('x-cache-entry-id') !== null;
  }

  test('a question in one format hits an entry of another format, also as a stream', async () => {
    const system = apart();
    const [one, other] = SAME;
    const body = { model: MODEL, max_tokens: 300, system };
    expect(await ask('/v1/messages', { ...body, messages: [{ role: 'user', content: one }] })).toBe(false);
    expect(
      await ask('/v1/messages', { ...body, stream: true, messages: [{ role: 'user', content: other }] }, true),
    ).toBe(true);
    const responses = { model: MODEL, max_output_tokens: 300, instructions: system, input: other };
    expect(await ask('/v1/responses', responses)).toBe(true);
    expect(await ask('/v1/responses', { ...responses, stream: true }, true)).toBe(true);
    const gemini = {
      systemInstruction: { parts: [{ text: system }] },
      contents: [{ role: 'user', parts: [{ text: other }] }],
      generationConfig: { maxOutputTokens: 300 },
    };
    expect(await ask(`/v1beta/models/${MODEL}:generateContent`, gemini)).toBe(true);
  });
});

test('entries are found after a restart', async () => {
  const system = apart();
  expect(await isCached(SAME[0], { system })).toBe(false);
  // Stopping the gateway flushes the write-behind queue to the disk.
  await serving.stop();
  await serve();
  expect(await isCached(SAME[1], { system })).toBe(true);
});
