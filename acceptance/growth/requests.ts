/* Requests of each client format in which one part is repeated many times. */

import { type Body, many, named, SCHEMAS } from './schemas.ts';

export type Requests = Readonly<Record<string, (count: number) => Body>>;

function withSchemas(body: (schema: Body) => Body, what: string): Requests {
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => [`${what} of ${name}`, (count: number) => body(schema(count))]),
  );
}

const parameters = { type: 'object', properties: { a: { type: 'string' } } };
const oddName = (index: number) => `a tool, the ${index}th of many`;
const LONG_TEXTS = {
  words: 'word ',
  spaces: ' ',
  brackets: '[({<',
  quotes: '\\"\n',
  links: '[a](http://b',
  thoughts: '<think>',
  dataUrls: 'data:image/png;base64,',
  marks: '​',
} as const;

const chat = (messages: readonly unknown[], more: Body = {}): Body => ({ model: 'm', messages, stream: true, ...more });
const hi = { role: 'user', content: 'Hi' };
const chatCall = (index: number, name = 'f') => ({
  id: `call_${index}`,
  type: 'function',
  function: { name, arguments: '{"a":1}' },
});
const chatTool = (index: number, name = `f${index}`) => ({
  type: 'function',
  function: { name, description: 'd', parameters, strict: true },
});

const openaiChat: Requests = {
  ...Object.fromEntries(
    Object.entries(LONG_TEXTS).map(([name, unit]) => [
      `a long text of ${name}`,
      (count: number) => chat([{ role: 'user', content: unit.repeat(count * 10) }]),
    ]),
  ),
  'a long assistant text': (count) => chat([hi, { role: 'assistant', content: '<think>a</think> '.repeat(count) }, hi]),
  messages: (count) =>
    chat([hi, ...many(count, (index) => ({ role: index % 2 ? 'user' : 'assistant', content: 'x' })), hi]),
  'messages of one role': (count) => chat(many(count, () => hi)),
  'system messages': (count) => chat([...many(count, () => ({ role: 'system', content: 'x' })), hi]),
  blocks: (count) =>
    chat([
      { role: 'user', content: many(count, () => ({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } })) },
    ]),
  images: (count) =>
    chat([
      {
        role: 'user',
        content: many(count, (index) => ({
          type: 'image_url',
          image_url: { url: `https://a.example/${index}`, detail: 'low' },
        })),
      },
    ]),
  tools: (count) => chat([hi], { tools: many(count, (index) => chatTool(index)) }),
  'tools with odd names, all called': (count) =>
    chat(
      [
        hi,
        { role: 'assistant', content: null, tool_calls: many(count / 2, (index) => chatCall(index, oddName(index))) },
        ...many(count / 2, (index) => ({ role: 'tool', tool_call_id: `call_${index}`, content: 'x' })),
      ],
      { tools: many(count / 2, (index) => chatTool(index, oddName(index))) },
    ),
  'allowed tools': (count) =>
    chat([hi], {
      tools: many(count / 2, (index) => chatTool(index)),
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: many(count / 2, (index) => ({ type: 'function', function: { name: `f${index}` } })),
        },
      },
    }),
  'custom tools, all called': (count) =>
    chat(
      [
        hi,
        {
          role: 'assistant',
          tool_calls: many(count / 2, (index) => ({
            id: `c${index}`,
            type: 'custom',
            custom: { name: `t${index}`, input: 'x' },
          })),
        },
        ...many(count / 2, (index) => ({ role: 'tool', tool_call_id: `c${index}`, content: 'x' })),
      ],
      { tools: many(count / 2, (index) => ({ type: 'custom', custom: { name: `t${index}` } })) },
    ),
  'calls in one message': (count) =>
    chat([
      hi,
      { role: 'assistant', content: null, tool_calls: many(count / 2, (index) => chatCall(index)) },
      ...many(count / 2, (index) => ({ role: 'tool', tool_call_id: `call_${count / 2 - 1 - index}`, content: 'x' })),
    ]),
  'sequential calls': (count) =>
    chat([
      hi,
      ...many(count / 2, (index) => [
        { role: 'assistant', content: null, tool_calls: [chatCall(index)] },
        { role: 'tool', tool_call_id: `call_${index}`, content: 'x' },
      ]).flat(),
    ]),
  'calls without results': (count) =>
    chat([hi, ...many(count, (index) => ({ role: 'assistant', content: null, tool_calls: [chatCall(index)] })), hi]),
  'results without a call': (count) =>
    chat([hi, ...many(count, (index) => ({ role: 'tool', tool_call_id: `call_${index}`, content: 'x' })), hi]),
  'calls with one id': (count) =>
    chat([
      hi,
      ...many(count / 2, () => [
        { role: 'assistant', content: null, tool_calls: [chatCall(0)] },
        { role: 'tool', tool_call_id: 'call_0', content: 'x' },
      ]).flat(),
    ]),
  'thoughts and citations': (count) =>
    chat([
      hi,
      {
        role: 'assistant',
        content: 'x'.repeat(count),
        reasoning_details: many(count / 2, (index) => ({ type: 'reasoning.text', text: 'x', signature: 's', index })),
        annotations: many(count / 2, (index) => ({
          type: 'url_citation',
          url_citation: { url: `https://a.example/${index}`, title: 't', start_index: index, end_index: index + 1 },
        })),
      },
      hi,
    ]),
  biases: (count) => chat([hi], { logit_bias: named(count, '', () => 1) }),
  metadata: (count) => chat([hi], { metadata: named(count, 'k', String) }),
  'unknown members': (count) => chat([hi], named(count, 'unknown_')),
  'unknown members of messages': (count) => chat(many(count / 2, () => ({ ...hi, unknown_a: 1, unknown_b: { c: 1 } }))),
  ...withSchemas(
    (schema) => chat([hi], { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] }),
    'a tool',
  ),
  ...withSchemas(
    (schema) =>
      chat([hi], { response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } } }),
    'an answer',
  ),
};

const responses = (input: unknown, more: Body = {}): Body => ({ model: 'm', input, stream: true, ...more });
const said = (role: string, text = 'x') => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
const responsesTool = (index: number, name = `f${index}`) => ({ type: 'function', name, parameters, strict: true });

const openaiResponses: Requests = {
  items: (count) => responses(many(count, (index) => said(index % 2 ? 'assistant' : 'user'))),
  blocks: (count) =>
    responses([{ type: 'message', role: 'user', content: many(count, () => ({ type: 'input_text', text: 'x' })) }]),
  tools: (count) => responses('Hi', { tools: many(count, (index) => responsesTool(index)) }),
  'groups of tools': (count) =>
    responses('Hi', {
      tools: many(count / 4, (index) => ({
        type: 'namespace',
        name: `n${index}`,
        description: 'd',
        tools: many(4, (member) => responsesTool(member)),
      })),
    }),
  'one group of tools, called': (count) =>
    responses(
      [
        said('user'),
        ...many(count / 3, (index) => [
          { type: 'function_call', call_id: `c${index}`, namespace: 'n', name: `f${index}`, arguments: '{}' },
          { type: 'function_call_output', call_id: `c${index}`, output: 'x' },
        ]).flat(),
      ],
      {
        tools: [
          { type: 'namespace', name: 'n', description: 'd', tools: many(count / 3, (index) => responsesTool(index)) },
        ],
      },
    ),
  'tools declared midway': (count) =>
    responses([
      said('user'),
      ...many(count, (index) => ({ type: 'additional_tools', role: 'developer', tools: [responsesTool(index)] })),
    ]),
  'freeform tools, called': (count) =>
    responses(
      [
        said('user'),
        ...many(count / 3, (index) => ({
          type: 'custom_tool_call',
          call_id: `c${index}`,
          name: `t${index}`,
          input: 'x',
        })),
        ...many(count / 3, (index) => ({ type: 'custom_tool_call_output', call_id: `c${index}`, output: 'x' })),
      ],
      { tools: many(count / 3, (index) => ({ type: 'custom', name: `t${index}` })) },
    ),
  searches: (count) =>
    responses('x', { tools: many(count, () => ({ type: 'web_search', external_web_access: true })) }),
  'calls before their results': (count) =>
    responses([
      said('user'),
      ...many(count / 2, (index) => ({ type: 'function_call', call_id: `c${index}`, name: 'f', arguments: '{}' })),
      ...many(count / 2, (index) => ({
        type: 'function_call_output',
        call_id: `c${count / 2 - 1 - index}`,
        output: 'x',
      })),
    ]),
  'calls without results': (count) =>
    responses([
      said('user'),
      ...many(count, (index) => ({ type: 'function_call', call_id: `c${index}`, name: 'f', arguments: '{}' })),
    ]),
  thoughts: (count) =>
    responses([
      said('user'),
      ...many(count, (index) => ({
        type: 'reasoning',
        id: `rs_${index}`,
        summary: [{ type: 'summary_text', text: 'x' }],
        encrypted_content: `gAAA${index}`,
      })),
      said('assistant'),
      said('user'),
    ]),
  'referenced items': (count) => responses(many(count, (index) => ({ type: 'item_reference', id: `msg_${index}` }))),
  'unknown items': (count) => responses(many(count, (index) => ({ type: `t${index}`, id: `x${index}` }))),
  metadata: (count) => responses('Hi', { metadata: named(count, 'k', String) }),
  includes: (count) => responses('Hi', { include: many(count, (index) => `a.${index}`) }),
  'unknown members': (count) => responses('Hi', named(count, 'unknown_')),
  'unknown members of its objects': (count) =>
    responses('Hi', {
      text: { format: { type: 'text', ...named(count / 4, 'unknown_') }, ...named(count / 4, 'unknown_') },
      reasoning: { effort: 'low', ...named(count / 4, 'unknown_') },
      stream_options: named(count / 4, 'unknown_'),
    }),
  ...withSchemas(
    (schema) => responses('Hi', { tools: [{ type: 'function', name: 'f', parameters: schema }] }),
    'a tool',
  ),
  ...withSchemas(
    (schema) => responses('Hi', { text: { format: { type: 'json_schema', name: 'n', schema } } }),
    'an answer',
  ),
};

const messages = (list: readonly unknown[], more: Body = {}): Body => ({
  model: 'm',
  max_tokens: 100,
  messages: list,
  stream: true,
  ...more,
});
const anthropicTool = (index: number) => ({ name: `f${index}`, description: 'd', input_schema: parameters });
const use = (index: number) => ({ type: 'tool_use', id: `toolu_${index}`, name: `f${index % 10}`, input: { a: 1 } });
const used = (index: number) => ({
  type: 'tool_result',
  tool_use_id: `toolu_${index}`,
  content: [{ type: 'text', text: 'x' }],
});

const anthropicMessages: Requests = {
  messages: (count) => messages(many(count, (index) => ({ role: index % 2 ? 'assistant' : 'user', content: 'x' }))),
  'blocks with cache marks': (count) =>
    messages([
      { role: 'user', content: many(count, () => ({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } })) },
    ]),
  'system blocks': (count) => messages([hi], { system: many(count, () => ({ type: 'text', text: 'x' })) }),
  tools: (count) => messages([hi], { tools: many(count, anthropicTool) }),
  'tools that a search found': (count) =>
    messages(
      [
        hi,
        { role: 'assistant', content: [use(0)] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_0',
              content: many(count / 2, (index) => ({ type: 'tool_reference', tool_name: `f${index}` })),
            },
          ],
        },
      ],
      { tools: many(count / 2, (index) => ({ ...anthropicTool(index), defer_loading: true })) },
    ),
  'calls in one message': (count) =>
    messages([
      hi,
      { role: 'assistant', content: many(count / 2, use) },
      { role: 'user', content: many(count / 2, (index) => used(count / 2 - 1 - index)) },
    ]),
  'sequential calls': (count) =>
    messages([
      hi,
      ...many(count / 2, (index) => [
        { role: 'assistant', content: [use(index)] },
        { role: 'user', content: [used(index)] },
      ]).flat(),
    ]),
  'calls without results': (count) => messages([hi, { role: 'assistant', content: many(count, use) }, hi]),
  thoughts: (count) =>
    messages([
      hi,
      {
        role: 'assistant',
        content: many(count, (index) => ({ type: 'thinking', thinking: 'x', signature: `s${index}` })),
      },
      hi,
    ]),
  citations: (count) =>
    messages([
      hi,
      {
        role: 'assistant',
        content: [
          {
            type: 'text',
            text: 'x',
            citations: many(count, (index) => ({
              ...{ type: 'char_location', cited_text: 'x', document_index: index, document_title: 't' },
              ...{ start_char_index: 0, end_char_index: 1 },
            })),
          },
        ],
      },
      hi,
    ]),
  documents: (count) =>
    messages([
      {
        role: 'user',
        content: many(count, (index) => ({
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'x' },
          title: `t${index}`,
          citations: { enabled: true },
        })),
      },
    ]),
  'stop words': (count) => messages([hi], { stop_sequences: many(count, (index) => `s${index}`) }),
  'context edits': (count) =>
    messages([hi], { context_management: { edits: many(count, (index) => ({ type: `edit_${index}` })) } }),
  'tool servers': (count) =>
    messages([hi], {
      mcp_servers: many(count, (index) => ({ type: 'url', name: `n${index}`, url: `https://a.example/${index}` })),
    }),
  'unknown members': (count) => messages([hi], named(count, 'unknown_')),
  'unknown blocks': (count) =>
    messages([{ role: 'user', content: many(count, (index) => ({ type: `t${index}`, x: 1 })) }]),
  ...withSchemas((schema) => messages([hi], { tools: [{ name: 'f', input_schema: schema }] }), 'a tool'),
  ...withSchemas(
    (schema) => messages([hi], { output_config: { format: { type: 'json_schema', schema } } }),
    'an answer',
  ),
};

const contents = (list: readonly unknown[], more: Body = {}): Body => ({ contents: list, ...more });
const turn = (role: string, ...parts: readonly unknown[]) => ({ role, parts });
const geminiHi = turn('user', { text: 'Hi' });
const declared = (index: number) => ({ name: `f${index}`, description: 'd', parameters: { type: 'OBJECT' } });

const gemini: Requests = {
  contents: (count) => contents(many(count, (index) => turn(index % 2 ? 'model' : 'user', { text: 'x' }))),
  parts: (count) => contents([turn('user', ...many(count, () => ({ text: 'x' })))]),
  files: (count) =>
    contents([
      turn(
        'user',
        ...many(count, (index) => ({ fileData: { fileUri: `https://a.example/${index}`, mimeType: 'image/png' } })),
      ),
    ]),
  'duplicate declarations of a tool': (count) =>
    contents([geminiHi], { tools: [{ functionDeclarations: many(count, declared) }] }),
  tools: (count) =>
    contents([geminiHi], { tools: many(count, (index) => ({ functionDeclarations: [declared(index)] })) }),
  'allowed functions': (count) =>
    contents([geminiHi], {
      tools: [{ functionDeclarations: many(count / 2, declared) }],
      toolConfig: {
        functionCallingConfig: { mode: 'ANY', allowedFunctionNames: many(count / 2, (index) => `f${index}`) },
      },
    }),
  'calls with one name, without ids': (count) =>
    contents([
      geminiHi,
      turn('model', ...many(count / 2, () => ({ functionCall: { name: 'f', args: { a: 1 } } }))),
      turn('user', ...many(count / 2, () => ({ functionResponse: { name: 'f', response: { a: 1 } } }))),
    ]),
  'sequential calls with many names': (count) =>
    contents([
      geminiHi,
      ...many(count / 2, (index) => [
        turn('model', { functionCall: { name: `f${index}`, args: {} }, thoughtSignature: 'c2ln' }),
        turn('user', { functionResponse: { name: `f${index}`, response: {} } }),
      ]).flat(),
    ]),
  'calls with ids, with results in reverse order': (count) =>
    contents([
      geminiHi,
      turn('model', ...many(count / 2, (index) => ({ functionCall: { id: `c${index}`, name: 'f', args: {} } }))),
      turn(
        'user',
        ...many(count / 2, (index) => ({
          functionResponse: { id: `c${count / 2 - 1 - index}`, name: 'f', response: {} },
        })),
      ),
    ]),
  'calls without results': (count) =>
    contents([
      geminiHi,
      turn('model', ...many(count, (index) => ({ functionCall: { name: `f${index}`, args: {} } }))),
      geminiHi,
    ]),
  'results without a call': (count) =>
    contents([
      geminiHi,
      turn('user', ...many(count, (index) => ({ functionResponse: { name: `f${index}`, response: {} } }))),
    ]),
  'stop words': (count) =>
    contents([geminiHi], { generationConfig: { stopSequences: many(count, (index) => `s${index}`) } }),
  'safety settings': (count) =>
    contents([geminiHi], {
      safetySettings: many(count, () => ({ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' })),
    }),
  labels: (count) => contents([geminiHi], { labels: named(count, 'k', String) }),
  'unknown members': (count) => contents([geminiHi], named(count, 'unknown_')),
  'unknown parts': (count) =>
    contents([turn('user', { text: 'x' }, ...many(count, (index) => ({ [`odd${index}`]: 1 })))]),
  ...withSchemas(
    (schema) =>
      contents([geminiHi], { tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }] }),
    'a tool',
  ),
  ...withSchemas(
    (schema) => contents([geminiHi], { tools: [{ functionDeclarations: [{ name: 'f', parameters: schema }] }] }),
    "a tool in Google's format",
  ),
  ...withSchemas(
    (schema) =>
      contents([geminiHi], { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } }),
    'an answer',
  ),
  ...withSchemas(
    (schema) =>
      contents([geminiHi], { generationConfig: { responseMimeType: 'application/json', responseSchema: schema } }),
    "a response in Google's format",
  ),
};

const completion = (prompt: unknown, more: Body = {}): Body => ({ model: 'm', prompt, stream: true, ...more });

const openaiCompletions: Requests = {
  'a long text': (count) => completion('word '.repeat(count * 10), { echo: true }),
  prompts: (count) => completion(many(count, () => 'x')),
  'token ids': (count) => completion(many(count * 4, (index) => index)),
  'lists of token ids': (count) => completion(many(count, (index) => [index, 7])),
  'stop sequences': (count) => completion('Hi', { stop: many(count, String) }),
  'biased tokens': (count) => completion('Hi', { logit_bias: named(count, '', () => 1) }),
  'unknown members': (count) => completion('Hi', named(count, 'unknown_')),
};

/** Keyed by format, then by the repeated part. */
export const REQUESTS: Readonly<Record<string, Requests>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  gemini,
  'openai-completions': openaiCompletions,
};
