import { describe, expect, test } from 'bun:test';
import { asArray, asObject, parseJson } from '../../shared/json.ts';
import { ANSWER_TEXT } from '../answers.ts';
import { channelTo, strictBed } from '../bed.ts';
import { CHAT, CLAUDE_CODE, claudeCode, hi, OBJECT, RESPONSES, result, tool } from '../shared/client-requests.ts';
import { anthropicMessages, bedrockClaude, vertexClaude } from './index.ts';
import { SIGNATURE, WITHHELD } from './reading.ts';

/*
 * Requests in every client format become requests that Claude accepts, at Anthropic and at the clouds, for
 * every model family.
 */

const UPSTREAMS = [anthropicMessages, vertexClaude, bedrockClaude];
const TARGETS = UPSTREAMS.flatMap(({ name, models }) => models.map((id) => [`${name}/${id}`] as const));

const bed = strictBed(UPSTREAMS, (server, upstream) => ({
  ...channelTo(server, upstream),
  formats: [upstream.wire],
  ...(upstream.provider === 'vertex' && { settings: { project: 'a-project' } }),
}));
const { ask, refusalsOf } = bed;

type Event = Readonly<Record<string, unknown>>;

/** A request of each client format, and how to read the text of one event of its stream. */
const STREAMED = {
  chat: {
    body: { messages: [hi] },
    textIn: ({ choices }: Event) => asObject(asObject(asArray(choices)[0]).delta).content ?? '',
  },
  responses: {
    body: { input: [hi] },
    textIn: ({ type, delta }: Event) => (type === 'response.output_text.delta' ? delta : ''),
  },
  messages: {
    body: { max_tokens: 64, messages: [hi] },
    textIn: ({ delta }: Event) => asObject(delta).text ?? '',
  },
};

describe.each(TARGETS)('%s', (model) => {
  test.each(Object.entries(CHAT))('accepts %s of a chat client', async (_, body) => {
    expect(await refusalsOf('chat', model, body)).toEqual([]);
  });

  test.each(Object.entries(RESPONSES))('accepts %s of a Responses client', async (_, body) => {
    expect(await refusalsOf('responses', model, body)).toEqual([]);
  });

  test('accepts the requests of Claude Code', async () => {
    expect(await refusalsOf('messages', model, claudeCode(), CLAUDE_CODE)).toEqual([]);
  });

  test.each(Object.entries(STREAMED))('streams to a %s client', async (client, { body, textIn }) => {
    const { text } = await ask(client as keyof typeof STREAMED, model, { ...body, stream: true });
    const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => asObject(parseJson(data)));
    expect({ said: events.map(textIn).join(''), refusals: bed.server.refusals }).toEqual({
      said: ANSWER_TEXT,
      refusals: [],
    });
  });

  test.each(['chat', 'responses'] as const)('accepts its own thoughts from a %s client', async (client) => {
    const thoughts = [
      { type: 'thinking', thinking: '', signature: SIGNATURE },
      { type: 'redacted_thinking', data: WITHHELD },
    ];
    const content = [...thoughts, { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} }];
    const [name = ''] = model.split('/');
    bed.server.script(name, () =>
      Response.json({
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content, stop_reason: 'tool_use' },
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    );
    const tools = client === 'chat' ? [tool(OBJECT)] : [{ type: 'function', name: 'look_up', parameters: OBJECT }];
    const thinking = client === 'chat' ? { reasoning_effort: 'high' } : { reasoning: { effort: 'high' }, store: false };
    const prompt = client === 'chat' ? { messages: [hi] } : { input: [hi] };
    const first = JSON.parse((await ask(client, model, { ...prompt, ...thinking, tools })).text);
    const next =
      client === 'chat'
        ? { messages: [hi, first.choices[0].message, result('toolu_1')] }
        : { input: [hi, ...first.output, { type: 'function_call_output', call_id: 'toolu_1', output: 'x' }] };
    expect(await refusalsOf(client, model, { ...next, ...thinking, tools })).toEqual([]);
  });
});

test.each(UPSTREAMS)(
  'a cache mark of the whole request has a form that $name accepts',
  async ({ name, models: [id] }) => {
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const body = { max_tokens: 64, messages: [hi], cache_control };
    expect(await refusalsOf('messages', `${name}/${id}`, body)).toEqual([]);
    await ask('messages', `${name}/${id}`, body);
    const { messages, cache_control: ofAll } = asObject(bed.server.journal.at(-1)?.request.body);
    const content = [{ type: 'text', text: hi.content, cache_control }];
    expect({ messages, ofAll }).toEqual(
      name === 'anthropic'
        ? { messages: [hi], ofAll: cache_control }
        : { messages: [{ role: 'user', content }], ofAll: undefined },
    );
  },
);

test('a token count has only known flags and members', async () => {
  const response = await fetch(`${bed.gateway.origin}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { 'x-api-key': bed.gateway.apiKey, 'content-type': 'application/json', ...CLAUDE_CODE },
    body: JSON.stringify({
      ...claudeCode(),
      max_tokens: undefined,
      metadata: undefined,
      model: 'anthropic/claude-opus-5',
    }),
  });
  expect(await response.json()).toMatchObject({ input_tokens: 42 });
  expect(bed.server.refusals).toEqual([]);
});
