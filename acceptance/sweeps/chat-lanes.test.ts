import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { channelTo, strictBed } from '../../conformance/strict/bed.ts';
import { chatUpstreams } from '../../conformance/strict/chat/index.ts';

/*
 * Sends requests of three client formats to every model of the strict chat-completions upstreams. Requests of chat clients are relayed
 * or translated; all others are translated. The gateway may refuse a request that a provider cannot serve, but it must never send a
 * request that the provider refuses.
 */

setDefaultTimeout(600_000);

type Json = Readonly<Record<string, unknown>>;

const ID = 'toolu_01A09q90qw90lq917835';
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

interface Scenario {
  readonly name: string;
  readonly chat: Json;
  readonly messages?: Json;
  readonly responses?: Json;
}

const user = { role: 'user', content: 'Hi' };
const chatTools = [
  { type: 'function', function: { name: 'weather', description: 'Tells it.', parameters: SCHEMA, strict: true } },
];
const chatCall = (more: Json = {}) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: ID, type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
    ...more,
  },
  { role: 'tool', tool_call_id: ID, content: 'Sunny.' },
];
const messagesTools = [{ name: 'weather', description: 'Tells it.', input_schema: SCHEMA }];
const messagesCall = (...more: readonly object[]) => [
  { role: 'assistant', content: [{ type: 'tool_use', id: ID, name: 'weather', input: { city: 'Bern' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: ID, content: 'Sunny.' }, ...more] },
];

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a system message in the middle of a conversation',
    chat: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        user,
        { role: 'assistant', content: 'Yes?' },
        { role: 'system', content: 'Be quick.' },
        user,
      ],
    },
    messages: {
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'Be kind.' },
      ],
      messages: [user, { role: 'assistant', content: 'Yes?' }, user, { role: 'system', content: 'Be quick.' }],
    },
    responses: {
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'Be kind.' },
        user,
        { role: 'assistant', content: 'Yes?' },
        { role: 'developer', content: 'Be quick.' },
        user,
      ],
    },
  },
  {
    name: 'a call by another model, with user text after its result',
    chat: { tools: chatTools, messages: [user, ...chatCall(), { role: 'user', content: 'And tomorrow?' }] },
    messages: { tools: messagesTools, messages: [user, ...messagesCall({ type: 'text', text: 'And tomorrow?' })] },
    responses: {
      tools: [{ type: 'function', name: 'weather', parameters: SCHEMA, strict: false }],
      input: [
        user,
        { type: 'function_call', call_id: ID, name: 'weather', arguments: '{"city":"Bern"}' },
        { type: 'function_call_output', call_id: ID, output: 'Sunny.' },
        { role: 'user', content: 'And tomorrow?' },
      ],
    },
  },
  {
    name: 'a system message after a tool result',
    chat: { tools: chatTools, messages: [user, ...chatCall(), { role: 'system', content: 'Be quick.' }] },
    messages: { tools: messagesTools, messages: [user, ...messagesCall(), { role: 'system', content: 'Be quick.' }] },
  },
  {
    name: 'responses and thoughts of other models, echoed with all members',
    chat: {
      messages: [
        user,
        { role: 'assistant', content: 'Yes?', reasoning_content: 'Hm.', refusal: null, annotations: [], audio: null },
        user,
        { role: 'assistant', content: 'Still?', reasoning: 'Hm.', function_call: null, tool_calls: null },
        user,
        { role: 'assistant', content: 'So?' },
        user,
      ],
    },
    messages: {
      messages: [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
            { type: 'text', text: 'Yes?' },
          ],
        },
        user,
      ],
    },
  },
  {
    name: 'two user messages with names',
    chat: {
      messages: [{ ...user, name: 'ann' }, { ...user, name: 'bob' }, { role: 'assistant', content: 'Yes?' }, user],
    },
  },
  {
    name: 'sampling parameters',
    chat: {
      ...{ messages: [user], temperature: 0.3, top_p: 0.5, presence_penalty: 0, frequency_penalty: 0.5, seed: 7 },
      ...{ user: 'u', logprobs: true, top_logprobs: 2, logit_bias: { '5': 1 }, max_completion_tokens: 64 },
      ...{ verbosity: 'low', prompt_cache_key: 'k', store: false, parallel_tool_calls: false, metadata: { a: 'b' } },
    },
    messages: { messages: [user], temperature: 0.3, top_k: 5, metadata: { user_id: 'u' } },
  },
  ...['none', 'minimal', 'medium', 'max'].map(
    (effort): Scenario => ({
      name: `the effort ${effort}`,
      chat: { messages: [user], reasoning_effort: effort },
      responses: { input: 'Hi', reasoning: { effort } },
      ...(effort === 'max' && { messages: { messages: [user], output_config: { effort } } }),
    }),
  ),
  ...(
    [
      { reasoning: { effort: 'low' } },
      { thinking: { type: 'enabled' } },
      { thinking: { type: 'disabled' } },
      { enable_thinking: true, thinking_budget: 2_000 },
      { chat_template_kwargs: { enable_thinking: false } },
      { include_reasoning: true },
    ] as const
  ).map(
    (options): Scenario => ({
      name: `reasoning options ${JSON.stringify(options)}`,
      chat: { messages: [user], ...options },
    }),
  ),
  ...[1.8, 0].map(
    (temperature): Scenario => ({
      name: `the temperature ${temperature}`,
      chat: { messages: [user], temperature },
      responses: { input: 'Hi', temperature },
    }),
  ),
  {
    name: 'a function without parameters',
    chat: { messages: [user], tools: [{ type: 'function', function: { name: 'look' } }] },
  },
  {
    name: 'a required tool call',
    chat: { messages: [user], tools: chatTools, tool_choice: 'required' },
    messages: { messages: [user], tools: messagesTools, tool_choice: { type: 'any' } },
  },
  {
    name: 'a named tool choice for a thinking model',
    chat: {
      ...{ messages: [user], tools: chatTools, reasoning_effort: 'high' },
      tool_choice: { type: 'function', function: { name: 'weather' } },
    },
    messages: {
      ...{ messages: [user], tools: messagesTools, thinking: { type: 'adaptive' } },
      tool_choice: { type: 'tool', name: 'weather' },
    },
  },
  {
    name: 'a response that follows a schema',
    chat: {
      messages: [user],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } },
    },
    responses: { input: 'Hi', text: { format: { type: 'json_schema', name: 'answer', schema: SCHEMA, strict: true } } },
  },
  {
    name: 'a prefilled response',
    chat: { messages: [user, { role: 'assistant', content: '{' }] },
    messages: { messages: [user, { role: 'assistant', content: '{' }] },
  },
];

const CLIENTS = ['chat', 'messages', 'responses'] as const;

const bed = strictBed(chatUpstreams, (server, upstream) => ({
  ...channelTo(server, upstream, ({ name }, model) => `${name}--${model}`),
  formats: ['openai-chat'],
}));

describe.each(chatUpstreams.map((upstream) => [upstream.name, upstream] as const))('%s', (name, { models }) => {
  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    'never receives a request that it refuses: %s',
    async (_, scenario) => {
      const cases = models.flatMap((model) =>
        CLIENTS.flatMap((client) => [false, true].map((stream) => ({ model, client, stream, said: scenario[client] }))),
      );
      const answers = await Promise.all(
        cases.map(async ({ model, client, stream, said }) => {
          if (said === undefined) return [];
          const limit = client === 'messages' ? { max_tokens: 64 } : {};
          const { status, text } = await bed.ask(client, `${name}--${model}`, { ...limit, ...said, stream });
          const isFine = status === 200 || text.includes('unsupported_parameter');
          return isFine ? [] : [`${model}, ${client}${stream ? ', as a stream' : ''}: ${status} ${text}`];
        }),
      );
      const refused = bed.server.journal.flatMap(({ request, refusal }) =>
        refusal === null ? [] : [`${refusal.rule.id}: ${refusal.message}, asked with ${JSON.stringify(request.body)}`],
      );
      expect([...refused, ...answers.flat()]).toEqual([]);
    },
  );
});
