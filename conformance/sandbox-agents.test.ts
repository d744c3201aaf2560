import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CLIENTS } from './agent-loops/clients/index.ts';
import { TOOL } from './agent-loops/script.ts';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';

/* An agent with the sandbox in every format, as described in docs/sandbox.md. */

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGatewayWith([], { sandbox: true });
});

afterAll(async () => {
  await gateway?.stop();
});

const RUNS = CLIENTS.flatMap((client) =>
  client.forms.map((form) => [client.format, client.style, form, client] as const),
);

describe.each(RUNS)('a client of %s that %s (%s)', (_format, _style, form, client) => {
  const open = (prompt: string) =>
    client.open({ origin: gateway.origin, apiKey: gateway.apiKey, model: 'sandbox-chat', prompt, form, asks: true });

  test.concurrent('gets a tool call, returns the results and finishes', async () => {
    const session = open(`${TOOL.name}(city="Paris", days=3) and ${TOOL.name}({"city": "Rome"}), then ${TOOL.name}`);
    const first = await session.ask();
    expect(first.calls.map(({ name, args }) => [name, args])).toEqual([
      [TOOL.name, { city: 'Paris', days: 3 }],
      [TOOL.name, { city: 'Rome' }],
    ]);
    const found = (result: string) => ({ name: TOOL.name, args: {}, result, showsImage: false }) as never;
    const second = await session.answer(first.calls.map((call, index) => ({ call, found: found(`sunny ${index}`) })));
    expect(second.calls).toHaveLength(1);
    const last = await session.answer(second.calls.map((call) => ({ call, found: found('rain') })));
    expect([last.calls, last.text]).toEqual([[], expect.stringContaining('returned: "rain"')]);
  });

  test.concurrent('gets no tool call that it did not request', async () => {
    const { calls, text } = await open('What is the name of a city?').ask();
    expect([calls, text]).toEqual([[], expect.stringContaining('You said: "What is the name of a city?"')]);
  });
});

describe('reasoning with its state and tokens, on request', () => {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' };
    const answer = await fetch(gateway.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  };
  const messages = [{ role: 'user', content: 'Hello' }];
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  const thinking = { type: 'enabled', budget_tokens: 1_024 };
  const generationConfig = { thinkingConfig: { includeThoughts: true } };
  const include = ['reasoning.encrypted_content'];
  const model = 'sandbox-chat';

  test.concurrent.each([
    ['/v1/chat/completions', { model, messages, reasoning_effort: 'low' }, 'signature', 'reasoning_tokens'],
    ['/v1/messages', { model, messages, max_tokens: 2_000, thinking }, 'signature', 'thinking_tokens'],
    [
      '/v1/responses',
      { model, input: 'Hello', reasoning: { effort: 'low' }, include },
      'encrypted_content',
      'reasoning_tokens',
    ],
    [
      `/v1beta/models/${model}:generateContent`,
      { contents, generationConfig },
      'thoughtSignature',
      'thoughtsTokenCount',
    ],
  ])('%s', async (path, body, state, tokens) => {
    const isGemini = path.startsWith('/v1beta');
    const streamPath = isGemini ? `/v1beta/models/${model}:streamGenerateContent?alt=sse` : path;
    const streamed = { ...body, ...(isGemini ? {} : { stream: true }) };
    const withUsage = path.includes('chat') ? { stream_options: { include_usage: true } } : {};
    const answers = [await post(path, body), await post(streamPath, { ...streamed, ...withUsage })];
    const counts = answers.map(({ status, text }) => {
      expect([status, new RegExp(`"${state}":"[^"]{10,}"`).test(text)]).toEqual([200, true]);
      return Number(text.match(new RegExp(`"${tokens}":(\\d+)(?![\\s\\S]*"${tokens}")`))?.[1]);
    });
    expect(counts[0]).toBeGreaterThan(5);
    expect(counts[1]).toBe(counts[0]!);
  });
});
