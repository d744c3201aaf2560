import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../shared/gateway.ts';

setDefaultTimeout(120_000);

const KEY = 'sk-acme-of-searching-00000000000001';

interface Answer {
  readonly output: readonly {
    readonly type: string;
    readonly content: readonly { readonly text: string; readonly annotations: readonly object[] }[];
  }[];
  readonly _routing: { readonly cost: { readonly total_usd: string } };
}

let upstream: ReturnType<typeof Bun.serve>;
let gateway: Gateway;

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    fetch: async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 404 });
      const { messages } = (await request.json()) as { messages: { role: string }[] };
      const isSecond = messages.some(({ role }) => role === 'tool');
      const called = {
        id: 'call_1',
        type: 'function',
        function: { name: 'web_search', arguments: '{"query":"foxes"}' },
      };
      const message = isSecond
        ? { role: 'assistant', content: 'Foxes hunt in the snow [[cite:1]].' }
        : { role: 'assistant', content: null, tool_calls: [called] };
      const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
      const finish = isSecond ? 'stop' : 'tool_calls';
      return Response.json({
        ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'plain', usage },
        choices: [{ index: 0, message, finish_reason: finish }],
      });
    },
  });
  const plain = {
    ...{
      id: 'plain',
      name: 'Plain',
      provider: 'openai-compatible',
      api_key: 'sk-upstream',
      models: { plain: 'plain' },
    },
    base_url: `http://127.0.0.1:${upstream.port}/v1`,
  };
  // The sandbox has no address and no key.
  const sandbox: object = { id: 'made-up', name: 'Made up', provider: 'sandbox', models: { finder: 'sandbox-search' } };
  gateway = await startGatewayWith([plain, sandbox as typeof plain], {
    search: { model: 'finder' },
    routing: { cost_in_answers: true },
    models: [
      { id: 'plain', pricing: { input_per_1m: '1', output_per_1m: '1' } },
      { id: 'finder', category: 'rerank', operations: ['search'], pricing: { per_request: '0.005' } },
    ],
    accounts: [{ id: 'acme', billing: 'unlimited', keys: [{ id: 'ci', secret: KEY }] }],
  });
});

afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop(true);
});

test('a model without search answers with sources, and the searches are charged with both rounds', async () => {
  const response = await fetch(`${gateway.origin}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'plain', input: 'What do foxes do?', tools: [{ type: 'web_search' }] }),
  });
  const answer = (await response.json()) as Answer;
  expect([response.status, answer.output.map(({ type }) => type)]).toEqual([...[200, ['web_search_call', 'message']]]);
  const [text] = answer.output[1]?.content ?? [];
  expect(text?.text).toBe('Foxes hunt in the snow.');
  expect(text?.annotations[0]).toMatchObject({ start_index: 0, end_index: 22 });
  // 220 tokens at 1 USD per million, and one search.
  expect(answer._routing.cost.total_usd).toBe('0.00522');
});
