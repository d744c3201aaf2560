import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { sandboxUpstream } from './local.ts';

const PROMPT = [{ role: 'user' as const, content: 'What is a switchyard?' }];
const TEXT =
  'This is a synthetic answer from the Switchyard sandbox; no AI model was called. ' +
  'You said: "What is a switchyard?". ' +
  'Add a provider key (for example OPENAI_API_KEY) or a channel to get real answers.';

const TEXT_TOKENS = countTokens(TEXT);

let server: ReturnType<typeof Bun.serve>;
let client: OpenAI;

beforeAll(() => {
  server = Bun.serve({ port: 0, fetch: sandboxUpstream });
  client = new OpenAI({ apiKey: 'none', baseURL: `${server.url}v1`, maxRetries: 0 });
});
afterAll(() => server.stop(true));

type Body = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;

async function create(body: Partial<Body>) {
  return await client.chat.completions.create({ model: 'sandbox-chat', messages: PROMPT, ...body } as Body);
}

function weatherTool(name = 'get_weather'): OpenAI.Chat.ChatCompletionFunctionTool {
  const properties = { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } };
  const parameters = { type: 'object', properties, required: ['city', 'unit'], additionalProperties: false };
  return { type: 'function', function: { name, parameters } };
}

describe('not streamed', () => {
  test('is marked as synthetic and quotes the user', async () => {
    const completion = await create({});
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'sandbox-chat',
      system_fingerprint: 'switchyard-sandbox',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: TEXT, refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    });
    // 4 around the message, 6 in it, 3 before the answer.
    expect(completion.usage).toMatchObject({
      prompt_tokens: 13,
      completion_tokens: TEXT_TOKENS,
      total_tokens: 13 + TEXT_TOKENS,
    });
  });

  test('is the same, with the same id, for the same request', async () => {
    const [first, second] = await Promise.all([create({}), create({})]);
    expect({ ...first, created: 0, _request_id: null }).toEqual({ ...second, created: 0, _request_id: null });
  });

  test('quotes the text parts of the last user message, 200 characters of it', async () => {
    const content = [
      { type: 'text' as const, text: '😀'.repeat(150) },
      { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'text' as const, text: 'x'.repeat(100) },
    ];
    const completion = await create({
      messages: [
        { role: 'user', content },
        { role: 'assistant', content: 'no' },
      ],
    });
    expect(completion.choices[0]!.message.content).toContain(`You said: "${'😀'.repeat(150)}${'x'.repeat(50)}".`);
  });

  test('counts tokens that look like control tokens, and very long words', async () => {
    const content = `<|endoftext|>${'a'.repeat(1_000_000)}`;
    const completion = await create({ messages: [{ role: 'user', content }] });
    expect(completion.usage!.prompt_tokens).toBeWithin(125_000, 126_000);
  });

  test('sandbox-reasoning reasons before the text', async () => {
    const completion = await create({ model: 'sandbox-reasoning' });
    const message = completion.choices[0]!.message as { content: string | null; reasoning_content?: string };
    expect(message).toMatchObject({ content: TEXT, reasoning_content: expect.stringContaining('Synthetic reasoning') });
    expect(completion.usage!.completion_tokens_details!.reasoning_tokens).toBeGreaterThan(5);
  });

  test.each<[string, object, boolean]>([
    ['sandbox-chat', {}, false],
    ['sandbox-chat', { reasoning_effort: 'low' }, true],
    ['sandbox-chat', { reasoning_effort: 'none' }, false],
    ['sandbox-chat', { reasoning: { enabled: true } }, true],
    ['sandbox-chat', { reasoning: { summary: 'auto' } }, true],
    ['sandbox-chat', { thinking: { type: 'enabled', budget_tokens: 2_000 } }, true],
    ['sandbox-chat', { thinking: { type: 'disabled' } }, false],
    ['sandbox-chat', { extra_body: { google: { thinking_config: { include_thoughts: true } } } }, true],
    ['sandbox-chat', { enable_thinking: true }, true],
    ['sandbox-reasoning', { reasoning_effort: 'none' }, false],
    ['sandbox-reasoning', { reasoning_effort: 'high' }, true],
  ])('%s with %j reasons: %p', async (model, asked, thinks) => {
    const { choices, usage } = await create({ model, ...asked });
    const message = choices[0]!.message as { reasoning_content?: string; reasoning_details?: object[] };
    expect([message.reasoning_content !== undefined, message.reasoning_details?.length]).toEqual([
      thinks,
      thinks ? 1 : undefined,
    ]);
    expect(usage!.completion_tokens_details!.reasoning_tokens! > 0).toBe(thinks);
    expect(usage!.completion_tokens > TEXT_TOKENS).toBe(thinks);
  });

  test('n choices are counted n times', async () => {
    const completion = await create({ n: 3 });
    expect(completion.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(completion.usage!.completion_tokens).toBe(3 * TEXT_TOKENS);
  });
});

describe('limits', () => {
  test.each(['max_tokens', 'max_completion_tokens'])('%s cuts the text', async (field) => {
    const completion = await create({ [field]: 5 });
    const [choice] = completion.choices;
    expect(choice).toMatchObject({ finish_reason: 'length', message: { content: 'This is a synthetic answer' } });
    expect(completion.usage!.completion_tokens).toBe(5);
  });

  test('a limit that the text exactly fits is not reached', async () => {
    expect((await create({ max_tokens: TEXT_TOKENS })).choices[0]!.finish_reason).toBe('stop');
    expect((await create({ max_tokens: TEXT_TOKENS - 1 })).choices[0]!.finish_reason).toBe('length');
  });

  test('a cut inside a character drops it', async () => {
    const content = '🀄'.repeat(9);
    for (const max_tokens of [23, 24, 25, 26]) {
      const completion = await create({ max_tokens, messages: [{ role: 'user', content }] });
      expect(completion.choices[0]!.message.content).not.toContain('\uFFFD');
    }
  });

  test('the text ends before the first stop sequence', async () => {
    const completion = await create({ stop: ['You said', ' synthetic'] });
    expect(completion.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'This is a' } });
    expect((await create({ stop: 'no such text' })).choices[0]!.message.content).toBe(TEXT);
  });
});

describe('streamed', () => {
  test('the deltas are words that add up to the text; usage comes last', async () => {
    const stream = await client.chat.completions.create({
      model: 'sandbox-chat',
      messages: PROMPT,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks[0]!.choices[0]!.delta).toEqual({ role: 'assistant', content: '', refusal: null } as object);
    expect(chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join('')).toBe(TEXT);
    expect(chunks.length).toBeGreaterThan(30);
    expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 13, completion_tokens: TEXT_TOKENS } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  test('the wire is server-sent events that end with [DONE], with usage only on request', async () => {
    const body = JSON.stringify({ model: 'sandbox-chat', messages: PROMPT, stream: true });
    const answer = await fetch(`${server.url}v1/chat/completions`, { method: 'POST', body });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const text = await answer.text();
    expect(text).toEndWith('\n\ndata: [DONE]\n\n');
    expect(text).not.toContain('"usage"');
    const events = text.split('\n\n').slice(0, -2);
    for (const event of events) expect(() => JSON.parse(event.replace(/^data: /, ''))).not.toThrow();
  });

  test('the SDK assembles choices, tool calls and reasoning', async () => {
    const body = {
      model: 'sandbox-reasoning',
      n: 2,
      messages: [{ role: 'user' as const, content: 'call get_weather and get_time please' }],
      tools: [weatherTool(), weatherTool('get_time')],
    };
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    const whole = await create(body);
    const calls = (completion: OpenAI.Chat.ChatCompletion) =>
      completion.choices.map(({ finish_reason, message }) => ({ finish_reason, calls: message.tool_calls }));
    expect(calls(whole)[1]!.calls).toHaveLength(2);
    expect(JSON.parse(JSON.stringify(calls(streamed)))).toMatchObject(
      calls(whole).map((choice) => ({ ...choice, calls: choice.calls!.map(({ id: _, ...call }) => call) })),
    );
    const ids = streamed.choices.flatMap(({ message }) => message.tool_calls!.map(({ id }) => id));
    expect(new Set(ids).size).toBe(4);
  });

  test('the stream stops at once when the reader leaves, or the request is aborted', async () => {
    for (const leave of ['cancel', 'abort'] as const) {
      const aborter = new AbortController();
      const body = JSON.stringify({ model: 'sandbox-chat', messages: PROMPT, stream: true });
      const request = new Request('http://sandbox.invalid/v1/chat/completions', {
        method: 'POST',
        body,
        signal: aborter.signal,
      });
      const reader = (await sandboxUpstream(request)).body!.getReader();
      await reader.read();
      await reader.read();
      const next = reader.read();
      if (leave === 'cancel') {
        await reader.cancel();
        expect((await next).done).toBe(true);
      } else {
        aborter.abort();
        await expect(next).rejects.toThrow();
      }
    }
  });
});

function functionChoice(name: string): OpenAI.Chat.ChatCompletionToolChoiceOption {
  return { type: 'function', function: { name } };
}

/** Returns a turn in which these tools have been called and have answered. */
function answered(...names: string[]): OpenAI.Chat.ChatCompletionMessageParam[] {
  const rounds = names.flatMap((name, index): OpenAI.Chat.ChatCompletionMessageParam[] => {
    const id = `call_${index}`;
    const calls = [{ id, type: 'function' as const, function: { name, arguments: '{}' } }];
    return [
      { role: 'assistant', tool_calls: calls },
      { role: 'tool', tool_call_id: id, content: `result of ${name}` },
    ];
  });
  return [{ role: 'user', content: 'go on' }, ...rounds];
}

describe('tools', () => {
  test('a tool in the last user message is called with arguments of its schema', async () => {
    const messages = [{ role: 'user' as const, content: 'Please use get_weather.' }];
    const [choice] = (await create({ messages, tools: [weatherTool(), weatherTool('get_time')] })).choices;
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    expect(choice!.message.tool_calls).toMatchObject([{ type: 'function', function: { name: 'get_weather' } }]);
    const call = choice!.message.tool_calls![0] as OpenAI.Chat.ChatCompletionMessageFunctionToolCall;
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'synthetic', unit: 'celsius' });
  });

  test.each<[string, Partial<Body>, string[]]>([
    ['auto, none mentioned', {}, []],
    ['none', { tool_choice: 'none' }, []],
    ['required', { tool_choice: 'required' }, ['a_tool']],
    [
      'allowed',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'b_tool' } }] },
        },
      },
      ['b_tool'],
    ],
    ['named', { tool_choice: { type: 'function', function: { name: 'b_tool' } } }, ['b_tool']],
    ['two mentioned', { messages: [{ role: 'user', content: 'a_tool, B_TOOL!' }] }, ['a_tool', 'b_tool']],
    [
      'two mentioned, one at a time',
      { messages: [{ role: 'user', content: 'a_tool b_tool' }], parallel_tool_calls: false },
      ['a_tool'],
    ],
    ['part of a word', { messages: [{ role: 'user', content: 'my_a_tool' }] }, []],
    ['required after its result', { tool_choice: 'required', messages: answered('a_tool') }, ['b_tool']],
    ['required after all results', { tool_choice: 'required', messages: answered('a_tool', 'b_tool') }, []],
    ['named after its result', { tool_choice: functionChoice('a_tool'), messages: answered('a_tool') }, []],
  ])('%s', async (_, body, names) => {
    const completion = await create({ tools: [weatherTool('a_tool'), weatherTool('b_tool')], ...body });
    const calls = (completion.choices[0]!.message.tool_calls ??
      []) as OpenAI.Chat.ChatCompletionMessageFunctionToolCall[];
    expect(calls.map((call) => call.function.name)).toEqual(names);
  });

  test('a custom tool gets text', async () => {
    const tools = [{ type: 'custom' as const, custom: { name: 'shell' } }];
    const inputs = async (content: string) => {
      const messages = [{ role: 'user' as const, content }];
      const [choice] = (await create({ tools, tool_choice: 'required', messages })).choices;
      return choice!.message.tool_calls;
    };
    expect(await inputs('Hi')).toMatchObject([{ type: 'custom', custom: { name: 'shell', input: 'synthetic input' } }]);
    expect(await inputs('shell(echo (a))!')).toMatchObject([{ custom: { name: 'shell', input: 'echo (a)' } }]);
  });

  test("several results are quoted, with the client's text after them", async () => {
    const messages = [
      ...answered('a_tool', 'b_tool').slice(0, 2),
      { role: 'tool' as const, tool_call_id: 'call_0', content: 'first' },
      { role: 'tool' as const, tool_call_id: 'call_x', content: 'second' },
      { role: 'user' as const, content: 'You may use a_tool if you like.' },
    ];
    const [choice] = (await create({ messages, tools: [weatherTool('a_tool')] })).choices;
    expect(choice!.message.tool_calls).toBeUndefined();
    expect(choice!.message.content).toContain(
      'The tool "a_tool" returned: "first". The tool "call_x" returned: "second".',
    );
  });

  test('a prompt with "then" gets its rounds in sequence, and then text', async () => {
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
      { role: 'user', content: 'a_tool and b_tool, then a_tool({"city": "now and then", "unit": "celsius"}).' },
    ];
    const rounds: string[][] = [];
    for (let round = 0; round < 5; round += 1) {
      const { message } = (await create({ messages, tools: [weatherTool('a_tool'), weatherTool('b_tool')] }))
        .choices[0]!;
      const calls = (message.tool_calls ?? []) as OpenAI.Chat.ChatCompletionMessageFunctionToolCall[];
      rounds.push(calls.map((call) => call.function.name));
      if (calls.length === 0) break;
      messages.push(message);
      for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: 'done' });
    }
    expect(rounds).toEqual([['a_tool', 'b_tool'], ['a_tool'], []]);
  });

  test('after a tool result the response is text that quotes it', async () => {
    const asked = await create({ messages: [{ role: 'user', content: 'get_weather' }], tools: [weatherTool()] });
    const assistant = asked.choices[0]!.message;
    const result = { role: 'tool' as const, tool_call_id: assistant.tool_calls![0]!.id, content: 'Sunny, 21 °C' };
    const messages = [{ role: 'user' as const, content: 'get_weather' }, assistant, result];
    const [choice] = (await create({ messages, tools: [weatherTool()] })).choices;
    expect(choice!.message.content).toContain('The tool "get_weather" returned: "Sunny, 21 °C".');
    expect(choice!.finish_reason).toBe('stop');
  });

  test('a tool that is not offered cannot be chosen', async () => {
    const tool_choice = { type: 'function' as const, function: { name: 'nope' } };
    await expect(create({ tools: [weatherTool()], tool_choice })).rejects.toMatchObject({
      status: 400,
      param: 'tool_choice',
    });
    await expect(create({ tool_choice: 'required' })).rejects.toMatchObject({ status: 400, param: 'tool_choice' });
  });
});

describe('response formats', () => {
  test('json_object is marked as synthetic', async () => {
    const completion = await create({ response_format: { type: 'json_object' } });
    expect(JSON.parse(completion.choices[0]!.message.content!)).toMatchObject({ synthetic: true });
  });

  test('json_schema is satisfied according to the SDK', async () => {
    const step = z.object({ explanation: z.string().min(3), score: z.number().min(0).max(1) });
    const schema = z.object({
      steps: z.array(step).min(2),
      kind: z.enum(['a', 'b']),
      due: z.iso.datetime().nullable(),
      contact: z.union([z.email(), z.object({ phone: z.string().regex(/^\+\d{6,12}$/) })]),
    });
    const completion = await client.chat.completions.parse({
      model: 'sandbox-chat',
      messages: PROMPT,
      response_format: zodResponseFormat(schema, 'plan'),
    });
    expect(completion.choices[0]!.message.parsed).toMatchObject({ kind: 'a', steps: [{}, {}] });
  });
});

describe('other requests', () => {
  test('the models are listed, and one is shown', async () => {
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual([
      'sandbox-chat',
      'sandbox-reasoning',
      'sandbox-moderation',
      'sandbox-embedding',
      'sandbox-rerank',
      'sandbox-search',
      'sandbox-image',
      'sandbox-slow-image',
      'sandbox-speech',
      'sandbox-transcription',
      'sandbox-video',
      'sandbox-music',
      'sandbox-lyrics',
      'sandbox-3d',
    ]);
    expect(await client.models.retrieve('sandbox-chat')).toMatchObject({ id: 'sandbox-chat', object: 'model' });
    await expect(client.models.retrieve('gpt-4o').asResponse()).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  test.each<[string, string, string | null, number, object]>([
    ['POST', 'v1/nothing', '{}', 404, { code: 'unknown_url' }],
    ['POST', 'v1/rerank', '{', 400, { type: 'invalid_request_error' }],
    ['POST', 'v1/rerank', '{"model":"m","query":"a","documents":[]}', 400, { param: 'documents' }],
    ['GET', 'v1/rerank', null, 405, { code: 'method_not_allowed' }],
    ['POST', 'v1/embeddings', '{', 400, { type: 'invalid_request_error' }],
    ['POST', 'v1/embeddings', '{"model":"m","input":[]}', 400, { param: 'input' }],
    ['POST', 'v1/embeddings', '{"model":"m","input":"a","dimensions":0}', 400, { param: 'dimensions' }],
    ['GET', 'v1/embeddings', null, 405, { code: 'method_not_allowed' }],
    ['GET', 'v1/chat/completions', null, 405, { code: 'method_not_allowed' }],
    ['POST', 'v1/models', '{}', 405, { code: 'method_not_allowed' }],
    ['POST', 'v1/chat/completions', '{', 400, { type: 'invalid_request_error' }],
    ['POST', 'v1/chat/completions', '{"model":"m","messages":[]}', 400, { param: 'messages' }],
    ['POST', 'v1/chat/completions', '{"model":"m","messages":[{"role":1}]}', 400, { param: 'messages.0.role' }],
  ])('%s /%s %s', async (method, path, body, status, error) => {
    const answer = await fetch(server.url + path, { method, body });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { message: expect.any(String), ...error } });
  });
});
