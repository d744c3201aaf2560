import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../../shared/gateway.ts';
import { type StrictServer, startStrictServer } from '../server.ts';
import { messagesOf } from '../shared/chat-rules.ts';

/* Conversations over several turns, and the consequences of an incomplete response. */

setDefaultTimeout(600_000);

let strict: StrictServer;
let gateway: Gateway;

beforeAll(async () => {
  strict = startStrictServer();
  const channel = (id: string, name: string, provider: string, models: Record<string, string>) => ({
    ...{
      id,
      name: id,
      provider,
      api_key: 'upstream-key',
      base_url: strict.baseUrlOf(name),
      formats: ['openai-chat'],
      models,
    },
  });
  gateway = await startGatewayWith([
    { ...channel('first', 'deepseek', 'deepseek', { thinker: 'deepseek-v4-pro' }), priority: 0 },
    { ...channel('second', 'zai', 'zai', { thinker: 'glm-5.3' }), priority: 1 },
    channel('kimi', 'moonshot', 'moonshot', { 'kimi-k3': 'kimi-k3' }),
  ]);
});
afterAll(async () => {
  await gateway.stop();
  await strict.stop();
});
beforeEach(() => strict.clear());

const user = { role: 'user', content: 'What is the weather in Bern?' };
const call = {
  id: 'call_kimi_8b1f0c3d',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Bern"}' },
};
const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];

async function send(body: object) {
  const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' };
  return fetch(`${gateway.baseUrl}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** A response in chat completions, whole or streamed. */
function answer(message: object, finish_reason: string, stream: boolean): Response {
  const choice = { index: 0, finish_reason };
  if (!stream) {
    return Response.json({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      choices: [{ ...choice, message: { role: 'assistant', ...message } }],
    });
  }
  const chunks = [
    { index: 0, delta: { role: 'assistant', ...message }, finish_reason: null },
    { ...choice, delta: {} },
  ];
  const events = chunks.map(
    (one) => `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [one] })}\n\n`,
  );
  return new Response(`${events.join('')}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
}

describe.each([
  ['whole', false],
  ['as a stream', true],
] as const)('%s', (_, stream) => {
  test('the gateway restores reasoning that a chat client removed from a relayed response', async () => {
    const mine = { ...call, id: `${call.id}${stream ? 'S' : 'W'}` };
    strict.script('moonshot', () =>
      answer(
        { content: null, reasoning_content: 'I have to look.', tool_calls: [{ index: 0, ...mine }] },
        'tool_calls',
        stream,
      ),
    );
    expect((await send({ model: 'kimi-k3', messages: [user], tools, stream })).status).toBe(200);
    const messages = [
      user,
      { role: 'assistant', content: null, tool_calls: [mine] },
      { role: 'tool', tool_call_id: mine.id, content: 'Sunny.' },
    ];
    const second = await send({ model: 'kimi-k3', messages, tools, stream: false });
    expect(second.status).toBe(200);
    expect(strict.refusals).toEqual([]);
    const [, sent] = strict.requestsTo('moonshot');
    if (sent === undefined) throw new Error('there was no second request');
    expect(messagesOf(sent)[1]?.reasoning_content).toBe('I have to look.');
  });

  test.each(['insufficient_system_resource', 'an unknown reason'])(
    'the finish reason %s fails over to the next channel',
    async (reason) => {
      strict.script('deepseek', () => answer({ content: '' }, reason, stream));
      const found = await send({ model: 'thinker', messages: [user], stream });
      expect(found.status).toBe(200);
      expect(await found.text()).toContain('"id":"second"');
      expect(strict.journal.map(({ upstream }) => upstream)).toEqual(['deepseek', 'zai']);
    },
  );

  test('a failure without another channel is an error in the client’s format', async () => {
    strict.script(
      'moonshot',
      ...Array.from({ length: 4 }, () => () => answer({ content: '' }, 'network_error', stream)),
    );
    const found = await send({ model: 'kimi-k3', messages: [user], stream });
    const text = await found.text();
    expect(text).toContain('"error"');
    expect(text).not.toContain('"finish_reason":"stop"');
  });

  test('a truncated or filtered response has OpenAI’s finish reason', async () => {
    for (const [raw, word] of [
      ['model_context_window_exceeded', 'length'],
      ['sensitive', 'content_filter'],
    ] as const) {
      strict.script('moonshot', () => answer({ content: 'Half' }, raw, stream));
      expect(await (await send({ model: 'kimi-k3', messages: [user], stream })).text()).toContain(
        `"finish_reason":"${word}"`,
      );
    }
  });
});
