import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { clientKey } from '../first-light/upstream.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { until } from '../shared/until.ts';
import { type CacheBed, startCacheBed } from './bed.ts';
import type { CacheClient } from './client.ts';

/* How cached responses work with stored responses, connections, keys, and reports of clients. */

// The SDK would warn of settings that reasoning models ignore.
globalThis.AI_SDK_LOG_WARNINGS = false;

let bed: CacheBed;
let client: CacheClient;
let openai: OpenAI;

beforeAll(async () => {
  bed = await startCacheBed({});
  client = bed.client();
  openai = new OpenAI({ baseURL: bed.serving.baseUrl, apiKey: clientKey('main'), maxRetries: 0 });
});

afterAll(() => bed?.stop());

const lastInput = () => asObject(parseJson(bed.upstream.received.at(-1) ?? ''));

/** Returns whether an input has items that only their issuer can read. */
function namesUnknown(input: unknown): boolean {
  return asArray(input)
    .map(asObject)
    .some(
      ({ type, encrypted_content }) =>
        type === 'item_reference' || (type === 'reasoning' && encrypted_content === undefined),
    );
}

describe.each([
  ['over chat completions', 'plain'],
  ['of a provider that stores them itself', 'kept'],
])('stored responses, %s', (_name, model) => {
  const headers = { 'x-switchyard-cache': 'default' };

  test.each([false, true])('have their own ids, and can be read and continued (streamed: %p)', async (stream) => {
    const body = { model, input: `Tell me, ${stream}.`, store: true };
    const ask = () =>
      stream ? openai.responses.stream(body, { headers }).finalResponse() : openai.responses.create(body, { headers });
    const made = await ask();
    const before = bed.upstream.received.length;
    for (let again = 0; again < 3; again++) {
      const replayed = await ask();
      expect(replayed.output_text).toBe(made.output_text);
      expect(replayed.id).not.toBe(made.id);
      expect((await openai.responses.retrieve(replayed.id)).output_text).toBe(made.output_text);
      expect(bed.upstream.received).toHaveLength(before + 2 * again);
      const next = await openai.responses.create({ model, input: `And ${again}?`, previous_response_id: replayed.id });
      expect(next.output_text).toMatch(/^answer-/);
      const sent = JSON.stringify(lastInput());
      for (const words of [`Tell me, ${stream}.`, made.output_text, `And ${again}?`]) expect(sent).toContain(words);
      // The provider does not know the replayed response.
      expect(lastInput().previous_response_id ?? null).toBeNull();
      expect(namesUnknown(lastInput().input)).toBe(false);
      // The AI SDK refers to items by id.
      const named = { type: 'item_reference' as const, id: replayed.output.at(-1)?.id ?? '' };
      await openai.responses.create({ model, input: [named, { role: 'user', content: 'Really?' }] });
      expect(JSON.stringify(lastInput())).toContain(made.output_text);
      expect(namesUnknown(lastInput().input)).toBe(false);
    }
  });
});

describe('the AI SDK', () => {
  const provider = () => createOpenAI({ baseURL: bed.serving.baseUrl, apiKey: clientKey('main') });

  test.each([
    ['chat completions', () => provider().chat('plain')],
    ['Responses', () => provider().responses('kept')],
    [
      'a compatible provider',
      () =>
        createOpenAICompatible({
          name: 'switchyard',
          includeUsage: true,
          baseURL: bed.serving.baseUrl,
          apiKey: clientKey('main'),
        })('plain'),
    ],
  ])('continues from cached responses: %s', async (name, modelOf) => {
    const asked = [{ role: 'user' as const, content: `By the AI SDK, ${name}` }];
    const settings = { model: modelOf(), temperature: 0, seed: 5, maxRetries: 0 };
    const made = await generateText({ ...settings, messages: asked });
    const before = bed.upstream.received.length;
    for (let again = 0; again < 2; again++) {
      expect((await generateText({ ...settings, messages: asked })).text).toBe(made.text);
      const streamed = streamText({ ...settings, messages: asked });
      expect(await streamed.text).toBe(made.text);
      const { totalTokens } = await streamed.usage;
      expect([await streamed.finishReason, totalTokens]).toEqual([made.finishReason, made.usage.totalTokens]);
      expect(bed.upstream.received).toHaveLength(before + again);
      const { messages } = await streamed.response;
      const next = await generateText({
        ...settings,
        messages: [...asked, ...messages, { role: 'user', content: `And ${again}?` }],
      });
      expect(next.text).not.toBe(made.text);
      expect(JSON.stringify(lastInput())).toContain(made.text);
    }
  });
});

describe('Responses over a WebSocket', () => {
  type Event = Readonly<Record<string, unknown>>;

  async function connected(work: (answer: (message: object) => Promise<Event>) => Promise<void>): Promise<void> {
    const url = `${bed.serving.baseUrl.replace('http', 'ws')}/responses`;
    const headers = { authorization: `Bearer ${clientKey('main')}`, 'x-switchyard-cache': 'default' };
    // Bun's own WebSocket takes headers.
    const socket = new WebSocket(url, { headers } as unknown as string);
    const events: Event[] = [];
    socket.onmessage = ({ data }) => void events.push(asObject(parseJson(String(data))));
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    await work(async (message) => {
      const from = events.length;
      socket.send(JSON.stringify({ type: 'response.create', ...message }));
      const last = () => events.slice(from).find(({ type }) => type === 'response.completed' || type === 'error');
      await until('an answer', () => last() !== undefined);
      expect(last()).toMatchObject({ type: 'response.completed' });
      return asObject(last()?.response);
    });
    socket.close();
  }

  test('get cached responses and continue from them', async () => {
    const asked = { model: 'plain', input: 'By wire.', store: false };
    const said = (response: Event) => /answer-\d+/.exec(JSON.stringify(response.output))?.[0];
    await connected(async (answer) => {
      const first = await answer(asked);
      const before = bed.upstream.received.length;
      for (let again = 0; again < 3; again++) {
        const replayed = await answer(asked);
        expect(said(replayed)).toBe(said(first));
        expect(asObject(replayed._routing).cached).toBe(true);
        expect(bed.upstream.received).toHaveLength(before + again);
        const next = await answer({ ...asked, input: `More ${again}.`, previous_response_id: replayed.id });
        expect(said(next)).not.toBe(said(first));
        expect(JSON.stringify(lastInput())).toContain(said(first) ?? 'nothing');
      }
    });
    const body = { ...asked, max_output_tokens: undefined };
    const overHttp = await client.ask({ format: 'responses', prompt: '', body, control: 'default' });
    expect(overHttp.cached).toBe(true);
    await connected(async (answer) => {
      expect(asObject((await answer(asked))._routing).cached).toBe(true);
    });
  });
});

describe('keys of one account', () => {
  test('share cached responses if they may use the model', async () => {
    const question = { prompt: 'Of all keys', control: 'default' };
    const first = await client.ask(question);
    for (let again = 0; again < 3; again++) {
      expect(await bed.client('second').ask(question)).toMatchObject({ cached: true, said: first.said });
      const narrow = await bed.client('narrow').ask(question);
      expect([narrow.status, narrow.entryId]).toEqual([403, null]);
    }
    for (let again = 0; again < 3; again++) {
      const other = await bed.client('globex').ask({ ...question, control: again === 0 ? 'no_store' : 'default' });
      expect(other.said).not.toBe(first.said);
    }
  });

  test('get none after they are revoked', async () => {
    const question = { prompt: 'Of a brief key', control: 'default' };
    for (let again = 0; again < 3; again++) expect((await bed.client('brief').ask(question)).status).toBe(200);
    expect(await bed.run('keys', 'revoke', 'brief')).toMatchObject({ exitCode: 0 });
    await until('the key is refused', async () => (await bed.client('brief').ask(question)).status === 401);
  });
});

test('a cached response is not served after its channel is disabled', async () => {
  const question = { prompt: 'Of a channel', model: 'leaving', control: 'default' };
  for (const cached of [false, true, true]) expect((await client.ask(question)).cached).toBe(cached);
  expect(await bed.run('channels', 'disable', 'leaving')).toMatchObject({ exitCode: 0 });
  await until('the cached response is not served', async () => (await client.ask(question)).status !== 200);
});

describe('a wrong response', () => {
  const question = { prompt: 'How much is it?', control: 'default' };
  const WRONG = { feedback_type: 'wrong_answer', description: 'Too much.' };

  test('is not served or stored again after reports from two keys', async () => {
    const first = await client.ask(question);
    const { entryId } = await client.ask(question);
    expect(entryId).not.toBeNull();
    const report = { ...WRONG, cache_entry_id: entryId };
    expect(await bed.client('globex').report(report)).toMatchObject({
      status: 404,
      error: { code: 'cache_entry_not_found' },
    });
    expect((await client.report(report)).json).toMatchObject({ status: 'recorded', invalidated: false });
    expect((await client.report(report)).json).toMatchObject({ status: 'already_recorded', invalidated: false });
    expect((await client.ask(question)).said).toBe(first.said);
    const second = await bed.client('second').report(report);
    expect(second.json).toEqual({ status: 'recorded', cache_entry_id: entryId, invalidated: true });
    const said = [first.said];
    for (let again = 0; again < 3; again++) {
      const fresh = await client.ask(question);
      expect([fresh.cached, said.includes(fresh.said)]).toEqual([false, false]);
      said.push(fresh.said);
    }
    expect((await bed.client('third').report(report)).json).toMatchObject({ status: 'recorded', invalidated: true });
    expect((await bed.client('globex').report(report)).status).toBe(404);
  });

  test('that does not exist cannot be reported', async () => {
    const reports = [`ce_${'a'.repeat(32)}`, 'ce_x', '../..', 'ce_\r\nx: y'];
    for (const cache_entry_id of reports) {
      expect((await client.report({ ...WRONG, cache_entry_id })).status).toBe(404);
    }
    expect((await client.report({ ...WRONG, cache_entry_id: 7 })).status).toBe(400);
  });

  test('is not served to requests in flight while the cache is cleared', async () => {
    const ask = (count: number) => client.ask({ prompt: `Cleared ${count % 5}`, control: 'default; coalesce' });
    const asking = Promise.all(Array.from({ length: 60 }, (_, count) => ask(count)));
    expect(await bed.run('cache', 'clear', '--yes')).toMatchObject({ exitCode: 0 });
    expect((await asking).map(({ status }) => status)).toEqual(Array(60).fill(200));
  });
});
