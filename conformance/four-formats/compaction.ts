import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { judgeAs } from '../judges/index.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* POST /v1/responses/compact: by OpenAI itself, otherwise as a summary that the model writes over any format. */

/** `againstDocuments`: whether responses are also checked against the published documents, which must be present. */
export function describeCompaction({ againstDocuments }: { readonly againstDocuments: boolean }): void {
  interface Received {
    readonly path: string;
    readonly key: string;
    readonly body: Readonly<Record<string, unknown>>;
  }

  const SUMMARY = 'The user likes pears and wants a poem of four lines.';
  const THEIRS = 'gAAAAABpM0Yj-of-openai';
  let received: Received[] = [];

  /** Returns the upstream's text, depending on the request. */
  function textFor(sent: string): string {
    if (sent.includes('says-nothing')) return '';
    return sent.includes('Answer with the summary alone.') ? SUMMARY : 'Certainly.';
  }

  const message = (text: string) => ({
    ...{ type: 'message', id: 'msg_up', role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text, annotations: [] }],
  });

  function answer(path: string, sent: string): Response {
    const text = textFor(sent);
    if (path.endsWith('/responses/compact')) {
      if (sent.includes('no-compact')) return Response.json({ error: { message: 'no such path' } }, { status: 404 });
      const kept = {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'user',
        content: [{ type: 'input_text', text: 'Hi' }],
      };
      return Response.json({
        ...{ id: 'resp_cmp', object: 'response.compaction', created_at: 1_764_967_971 },
        output: [kept, { id: 'cmp_1', type: 'compaction', encrypted_content: THEIRS }],
        usage: {
          ...{ input_tokens: 1_000, input_tokens_details: { cached_tokens: 0 }, output_tokens: 100 },
          ...{ output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 1_100 },
        },
      });
    }
    if (path.endsWith('/responses')) {
      const usage = { input_tokens: 40, output_tokens: 12, total_tokens: 52 };
      return Response.json({
        id: 'resp_up',
        object: 'response',
        status: 'completed',
        model: 'm',
        output: [message(text)],
        usage,
      });
    }
    if (path.endsWith('/messages')) {
      const head = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        stop_reason: 'end_turn',
        stop_sequence: null,
      };
      return Response.json({
        ...head,
        content: [{ type: 'text', text }],
        usage: { input_tokens: 40, output_tokens: 12 },
      });
    }
    if (path.includes(':generateContent')) {
      const usageMetadata = { promptTokenCount: 40, candidatesTokenCount: 12, totalTokenCount: 52 };
      return Response.json({
        candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
        usageMetadata,
      });
    }
    const usage = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 };
    const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
    const isSilent = sent.includes('unreported');
    return Response.json({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices,
      ...(isSilent ? {} : { usage }),
    });
  }

  const upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const sent = await request.text();
      const key = request.headers.get('authorization') ?? '';
      received.push({ path: pathname, key, body: asObject(parseJson(sent)) });
      return answer(pathname, sent);
    },
  });

  let space: Workspace;
  let serving: Serving;
  let SWITCHYARD_CONFIG: string;
  const sdk = (key = 'main') => new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey(key), maxRetries: 0 });

  beforeAll(async () => {
    space = await Workspace.create();
    const channel = (provider: string, models: Record<string, string>, extra: object = {}) => ({
      ...{
        id: provider,
        provider,
        base_url: `http://127.0.0.1:${upstream.port}/v1`,
        api_key: `key-of-${provider}`,
        models,
      },
      ...extra,
    });
    const pricing = { input_per_1m: '1', output_per_1m: '10' };
    SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      channels: [
        channel('openai', { gpt: 'gpt-5.1', 'gpt-a': 'gpt-5.1', proxied: 'gpt-5.1-no-compact' }),
        channel('openai', { gpt: 'gpt-5.1', 'gpt-b': 'gpt-5.1' }, { id: 'openai-b', api_key: 'key-of-b' }),
        channel('anthropic', { claude: 'claude-sonnet-4-6' }),
        channel('google', { gemini: 'gemini-2.5-flash' }),
        channel('openai-compatible', { other: 'other', unreported: 'unreported', silent: 'says-nothing' }),
      ],
      models: ['gpt', 'gpt-a', 'gpt-b', 'claude', 'gemini', 'other', 'unreported'].map((id) => ({ id, pricing })),
      sandbox: true,
      accounts: [
        accountWith('acme', [keyNamed('main')]),
        accountWith('globex', [keyNamed('globex')]),
        accountWith('poor', [keyNamed('poor')], { billing: 'prepaid', balance_usd: '0.000001' }),
      ],
    });
    serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  });

  afterAll(async () => {
    await space.remove();
    await upstream.stop(true);
  });

  const conversation = [
    { role: 'user' as const, content: 'I like pears.' },
    { role: 'assistant' as const, content: 'Noted.' },
    { role: 'user' as const, content: 'Write a poem of four lines.' },
  ];

  const compact = (model: string, extra: object = {}) =>
    sdk().responses.compact({ model, input: conversation, instructions: 'Be kind.', ...extra });

  /** Sends the output of a compaction unchanged, with the user's next message. */
  const goOn = (model: string, output: unknown, key = 'main') =>
    sdk(key).responses.create({
      model,
      store: false,
      input: [...(output as OpenAI.Responses.ResponseInputItem[]), { role: 'user', content: 'Go on.' }],
    });

  async function failure(call: PromiseLike<unknown>): Promise<unknown> {
    try {
      await call;
      return null;
    } catch (error) {
      return error;
    }
  }

  function latestRow() {
    const database = new Database(space.database, { readonly: true });
    try {
      return database
        .query(
          'SELECT channel_id, input_tokens, output_tokens, cost_nano, status FROM request_log ORDER BY id DESC LIMIT 1',
        )
        .get() as Readonly<Record<string, unknown>> | null;
    } finally {
      database.close();
    }
  }

  async function rowWith(fields: object): Promise<void> {
    await until(`the last log row has ${JSON.stringify(fields)}`, () => {
      const row = latestRow();
      return Object.entries(fields).every(([name, value]) => row?.[name] === value);
    });
  }

  describe('compaction by OpenAI', () => {
    test('is returned unchanged, and charged as tokens of the model', async () => {
      received = [];
      const answered = await compact('gpt');
      expect(answered).toMatchObject({
        object: 'response.compaction',
        output: [{ type: 'message' }, { type: 'compaction', encrypted_content: THEIRS }],
        usage: { total_tokens: 1_100 },
        _routing: { channel: { provider: 'openai' } },
      });
      if (againstDocuments) expect(judgeAs('openai', 'CompactResource', answered)).toEqual([]);
      expect(received).toMatchObject([
        {
          path: '/v1/responses/compact',
          body: { model: 'gpt-5.1', input: conversation, instructions: 'Be kind.' },
        },
      ]);
      await rowWith({ input_tokens: 1_000, output_tokens: 100, cost_nano: 2_000_000 });
    });

    test('sends its encrypted content back only to the channel that issued it', async () => {
      const { output } = await compact('gpt-b');
      received = [];
      for (let turn = 0; turn < 6; turn++) await goOn('gpt', output);
      expect(received.map(({ key }) => key)).toEqual(Array(6).fill('Bearer key-of-b'));
      for (const model of ['gpt-a', 'claude', 'gemini', 'other']) {
        expect(await failure(goOn(model, output))).toMatchObject({ status: 400, param: 'input[1]' });
      }
      expect(received).toHaveLength(6);
    });

    test('falls back to a summary at a URL without the endpoint, which still gets Responses requests', async () => {
      received = [];
      const { output } = await compact('proxied');
      expect(received.map(({ path }) => path)).toEqual(['/v1/responses/compact', '/v1/responses']);
      await goOn('proxied', output);
      expect(received.at(-1)?.path).toBe('/v1/responses');
      expect(JSON.stringify(received.at(-1)?.body)).toContain(SUMMARY);
    });
  });

  describe.each(['claude', 'gemini', 'other'])('compaction without a provider that supports it (%s)', (model) => {
    test('is a summary by the model, from which every model can continue', async () => {
      received = [];
      const answered = await compact(model);
      if (againstDocuments) {
        expect(judgeAs('openai', 'CompactResource', answered)).toEqual([]);
        expect(judgeAs('openresponses', 'CompactResource', answered)).toEqual([]);
      }
      expect(received).toHaveLength(1);
      const asked = JSON.stringify(received[0]?.body);
      for (const text of ['Be kind.', 'I like pears.', 'Noted.', 'Answer with the summary alone.']) {
        expect(asked).toContain(text);
      }
      const [first, second, item] = answered.output;
      expect([first, second]).toMatchObject([
        { role: 'user', content: [{ text: 'I like pears.' }] },
        { role: 'user', content: [{ text: 'Write a poem of four lines.' }] },
      ]);
      expect(item).toMatchObject({ type: 'compaction' });
      expect(answered.usage).toMatchObject({ input_tokens: 40, output_tokens: 12 });
      await rowWith({ input_tokens: 40, output_tokens: 12, cost_nano: 160_000, status: 200 });
      const token = item?.type === 'compaction' ? item.encrypted_content : '';
      expect(Buffer.from(token, 'base64').toString('latin1')).not.toContain('pears');
      for (const next of ['gpt', 'claude', 'gemini', 'other']) {
        received = [];
        await goOn(next, answered.output);
        const sent = JSON.stringify(received.at(-1)?.body);
        expect(sent).toContain(SUMMARY);
        expect(sent).not.toContain(token);
      }
    });
  });

  describe('a summary of the gateway', () => {
    test('opens for its own account only, and only unchanged', async () => {
      const { output } = await compact('other');
      received = [];
      expect(await failure(goOn('other', output, 'globex'))).toMatchObject({
        status: 400,
        code: 'invalid_value',
        param: 'input[2].encrypted_content',
      });
      const damaged = output.map((item) =>
        item.type === 'compaction'
          ? { ...item, encrypted_content: `${item.encrypted_content.slice(0, -8)}AAAAAAA=` }
          : item,
      );
      expect(await failure(goOn('other', damaged))).toMatchObject({ status: 400, param: 'input[2].encrypted_content' });
      expect(received).toEqual([]);
    });

    test('can be counted, is stored as sent, and can be continued by id', async () => {
      const { output } = await compact('other');
      const input = [...output, { role: 'user', content: 'Go on.' }] as OpenAI.Responses.ResponseInputItem[];
      const first = await sdk().responses.create({ model: 'other', input });
      const items = await sdk().responses.inputItems.list(first.id, { order: 'asc' });
      expect(items.data.map(({ type }) => type)).toEqual(['message', 'message', 'compaction', 'message'] as never);
      await sdk().responses.create({ model: 'claude', previous_response_id: first.id, input: 'And then?' });
      expect(JSON.stringify(received.at(-1)?.body)).toContain(SUMMARY);
      const counted = await sdk().responses.inputTokens.count({ model: 'other', input });
      const without = await sdk().responses.inputTokens.count({
        model: 'other',
        input: input.filter((item) => item.type !== 'compaction'),
      });
      expect(counted.input_tokens).toBeGreaterThan(without.input_tokens + 20);
    });

    test('can include stored turns and an earlier compaction', async () => {
      const first = await sdk().responses.create({ model: 'claude', input: 'My name is Ada.' });
      received = [];
      const { output } = await sdk().responses.compact({ model: 'other', previous_response_id: first.id });
      expect(JSON.stringify(received.at(-1)?.body)).toContain('My name is Ada.');
      expect(output).toMatchObject([{ content: [{ text: 'My name is Ada.' }] }, { type: 'compaction' }]);
      const again = await sdk().responses.compact({ model: 'claude', input: output as never });
      expect(JSON.stringify(received.at(-1)?.body)).toContain(SUMMARY);
      expect(again.output).toMatchObject([{ content: [{ text: 'My name is Ada.' }] }, { type: 'compaction' }]);
    });

    test("is counted from the model's text if its provider reports no usage", async () => {
      await compact('unreported');
      await rowWith({ status: 200, output_tokens: 12 });
    });

    test('that the model does not write is an error, as is one that the balance does not cover', async () => {
      expect(await failure(compact('silent'))).toMatchObject({ status: 502 });
      expect(await failure(sdk('poor').responses.compact({ model: 'other', input: 'Hi' }))).toMatchObject({
        status: 402,
      });
      expect(await failure(sdk().responses.compact({ model: 'other' }))).toMatchObject({ status: 400, param: 'input' });
    });

    test('opens after a restart', async () => {
      const { output } = await compact('gemini');
      await serving.stop();
      serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
      received = [];
      await goOn('claude', output);
      expect(JSON.stringify(received.at(-1)?.body)).toContain(SUMMARY);
    });
  });
}
