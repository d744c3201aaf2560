/* Responses, streams and errors of each upstream format in which one part occurs many times. */

export type Answers = Readonly<Record<string, (count: number) => unknown>>;

function many<Made>(count: number, make: (index: number) => Made): Made[] {
  return Array.from({ length: Math.floor(count) }, (_, index) => make(index));
}

const named = (count: number) => Object.fromEntries(many(count, (index) => [`unknown_${index}`, index]));
const CITED = 'https://a.example/';

// ---- chat

const chatCalls = (count: number) =>
  many(count, (index) => ({ index, id: `c${index}`, type: 'function', function: { name: 'f', arguments: '{}' } }));
const urlCitations = (count: number) =>
  many(count, (index) => ({
    type: 'url_citation',
    url_citation: { url: `${CITED}${index}`, title: 't', start_index: index, end_index: index + 1 },
  }));
const chatChoice = (index: number, message: object) => ({
  index,
  message: { role: 'assistant', ...message },
  finish_reason: 'stop',
});
const chatAnswer = (choices: readonly object[], more: object = {}) => ({
  ...{ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices },
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  ...more,
});
const chatDelta = (delta: object, index = 0) => ({
  id: 'x',
  model: 'm',
  choices: [{ index, delta, finish_reason: null }],
});

// ---- text completions

const textChoice = (index: number, text: string, more: object = {}) => ({
  index,
  text,
  finish_reason: 'stop',
  ...more,
});
const textAnswer = (choices: readonly object[], more: object = {}) => ({
  ...{ id: 'x', object: 'text_completion', created: 1, model: 'm', choices },
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  ...more,
});
const tokens = (count: number) => ({
  tokens: many(count, () => 'é'),
  token_logprobs: many(count, () => -1),
  top_logprobs: many(count, () => ({ é: -1, e: -2 })),
});

// ---- the others

const anthropicAnswer = (content: readonly object[], more: object = {}) => ({
  ...{
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
  },
  usage: { input_tokens: 1, output_tokens: 1 },
  ...more,
});
const responsesAnswer = (output: readonly object[], more: object = {}) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', output, error: null },
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  ...more,
});
const geminiAnswer = (candidates: readonly object[], more: object = {}) => ({
  ...{ candidates, modelVersion: 'm', responseId: 'r' },
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  ...more,
});
const candidate = (parts: readonly object[], more: object = {}, index = 0) => ({
  ...{ content: { role: 'model', parts }, index },
  ...more,
});
const converseAnswer = (content: readonly object[], more: object = {}) => ({
  output: { message: { role: 'assistant', content } },
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  ...more,
});
const cohereAnswer = (message: object, more: object = {}) => ({
  ...{ id: 'x', message: { role: 'assistant', ...message }, finish_reason: 'COMPLETE' },
  usage: { billed_units: { input_tokens: 1, output_tokens: 1 } },
  ...more,
});

const grounding = (count: number) => ({
  groundingChunks: many(count / 2, (index) => ({ web: { uri: `${CITED}${index}`, title: 't' } })),
  groundingSupports: many(count / 2, (index) => ({
    segment: { startIndex: index, endIndex: index + 1, text: 'x' },
    groundingChunkIndices: [index],
  })),
});

/** Whole responses, by format. */
export const ANSWERS: Readonly<Record<string, Answers>> = {
  'openai-completions': {
    choices: (count) => textAnswer(many(count, (index) => textChoice(index, 'x'))),
    text: (count) => textAnswer([textChoice(0, 'é'.repeat(count * 20))]),
    tokens: (count) => textAnswer([textChoice(0, 'é'.repeat(count), { logprobs: tokens(count) })]),
    'unknown members': (count) => textAnswer([textChoice(0, 'x')], named(count)),
  },
  'openai-chat': {
    choices: (count) => chatAnswer(many(count, (index) => chatChoice(index, { content: 'x' }))),
    calls: (count) => chatAnswer([chatChoice(0, { content: null, tool_calls: chatCalls(count) })]),
    citations: (count) => chatAnswer([chatChoice(0, { content: 'é'.repeat(count), annotations: urlCitations(count) })]),
    text: (count) => chatAnswer([chatChoice(0, { content: '<think>a</think>'.repeat(count * 4) })]),
    thoughts: (count) =>
      chatAnswer([
        chatChoice(0, {
          content: 'x',
          reasoning_details: many(count, (index) => ({ type: 'reasoning.text', text: 'x', signature: 's', index })),
        }),
      ]),
    'unknown members': (count) => chatAnswer([chatChoice(0, { content: 'x' })], named(count)),
  },
  'openai-responses': {
    messages: (count) =>
      responsesAnswer(
        many(count, (index) => ({
          ...{ type: 'message', id: `m${index}`, role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'x', annotations: [] }],
        })),
      ),
    calls: (count) =>
      responsesAnswer(
        many(count, (index) => ({
          ...{
            type: 'function_call',
            id: `f${index}`,
            call_id: `c${index}`,
            name: 'f',
            arguments: '{}',
            status: 'completed',
          },
        })),
      ),
    thoughts: (count) =>
      responsesAnswer(
        many(count, (index) => ({
          type: 'reasoning',
          id: `r${index}`,
          summary: [],
          encrypted_content: `gAAA${index}`,
        })),
      ),
    citations: (count) =>
      responsesAnswer([
        {
          ...{ type: 'message', id: 'm', role: 'assistant', status: 'completed' },
          content: [
            {
              ...{ type: 'output_text', text: 'é'.repeat(count) },
              annotations: many(count, (index) => ({
                ...{
                  type: 'url_citation',
                  url: `${CITED}${index}`,
                  title: 't',
                  start_index: index,
                  end_index: index + 1,
                },
              })),
            },
          ],
        },
      ]),
    'unknown items': (count) => responsesAnswer(many(count, (index) => ({ type: `t${index}`, id: `x${index}` }))),
  },
  'anthropic-messages': {
    blocks: (count) => anthropicAnswer(many(count, () => ({ type: 'text', text: 'x' }))),
    calls: (count) =>
      anthropicAnswer(many(count, (index) => ({ type: 'tool_use', id: `t${index}`, name: 'f', input: {} }))),
    thoughts: (count) =>
      anthropicAnswer(many(count, (index) => ({ type: 'thinking', thinking: 'x', signature: `s${index}` }))),
    citations: (count) =>
      anthropicAnswer([
        {
          ...{ type: 'text', text: 'x' },
          citations: many(count, (index) => ({
            ...{
              type: 'web_search_result_location',
              url: `${CITED}${index}`,
              title: 't',
              cited_text: 'x',
              encrypted_index: 'e',
            },
          })),
        },
      ]),
    'unknown blocks': (count) => anthropicAnswer(many(count, (index) => ({ type: `t${index}`, x: 1 }))),
  },
  gemini: {
    parts: (count) =>
      geminiAnswer([
        candidate(
          many(count, () => ({ text: 'x' })),
          { finishReason: 'STOP' },
        ),
      ]),
    candidates: (count) =>
      geminiAnswer(many(count, (index) => candidate([{ text: 'x' }], { finishReason: 'STOP' }, index))),
    calls: (count) =>
      geminiAnswer([
        candidate(
          many(count, () => ({ functionCall: { name: 'f', args: {} } })),
          { finishReason: 'STOP' },
        ),
      ]),
    citations: (count) =>
      geminiAnswer([
        candidate([{ text: 'é'.repeat(count) }], { finishReason: 'STOP', groundingMetadata: grounding(count) }),
      ]),
  },
  'bedrock-converse': {
    blocks: (count) => converseAnswer(many(count, () => ({ text: 'x' }))),
    calls: (count) =>
      converseAnswer(many(count, (index) => ({ toolUse: { toolUseId: `t${index}`, name: 'f', input: {} } }))),
    thoughts: (count) =>
      converseAnswer(many(count, () => ({ reasoningContent: { reasoningText: { text: 'x', signature: 'c2ln' } } }))),
  },
  'cohere-chat': {
    blocks: (count) => cohereAnswer({ content: many(count, () => ({ type: 'text', text: 'x' })) }),
    calls: (count) => cohereAnswer({ tool_calls: chatCalls(count) }),
    citations: (count) =>
      cohereAnswer({
        content: [{ type: 'text', text: 'é'.repeat(count) }],
        citations: many(count, (index) => ({
          ...{ start: index, end: index + 1, text: 'x', sources: [{ id: `d${index}`, document: { title: 't' } }] },
        })),
      }),
  },
};

function events(list: readonly unknown[], end = ''): string {
  const lines = list.map((one) => {
    const { type } = one as { readonly type?: unknown };
    return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(one)}\n\n`;
  });
  return lines.join('') + end;
}

const DONE = 'data: [DONE]\n\n';
const anthropicStart = { type: 'message_start', message: anthropicAnswer([], { stop_reason: null }) };
const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const blockDelta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const anthropicEnd = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
];
const responsesItem = (index: number) => ({
  ...{ type: 'function_call', id: `f${index}`, call_id: `c${index}`, name: 'f', arguments: '', status: 'in_progress' },
});
const responsesStart = { type: 'response.created', response: responsesAnswer([], { status: 'in_progress' }) };
const converse = (type: string, value: object) => `event: ${type}\ndata: ${JSON.stringify(value)}\n\n`;

/** Streams as server-sent events, by format. */
export const STREAMS: Readonly<Record<string, Readonly<Record<string, (count: number) => string>>>> = {
  'openai-completions': {
    chunks: (count) =>
      events(
        many(count, () => textAnswer([textChoice(0, 'x', { finish_reason: null })])),
        DONE,
      ),
    'choices with interleaved chunks': (count) =>
      events(
        many(count * 2, (index) => textAnswer([textChoice(index % (count / 2), 'x')])),
        DONE,
      ),
    tokens: (count) =>
      events(
        many(count, () => textAnswer([textChoice(0, 'é', { logprobs: tokens(1) })])),
        DONE,
      ),
  },
  'openai-chat': {
    chunks: (count) =>
      events(
        many(count, () => chatDelta({ content: 'x' })),
        DONE,
      ),
    'choices with interleaved chunks': (count) =>
      events(
        many(count * 2, (index) => chatDelta({ content: 'x' }, index % (count / 2))),
        DONE,
      ),
    'calls with interleaved chunks': (count) =>
      events(
        [
          ...chatCalls(count / 2).map((call) => chatDelta({ tool_calls: [call] })),
          ...many(count, (index) =>
            chatDelta({ tool_calls: [{ index: index % (count / 2), function: { arguments: ' ' } }] }),
          ),
        ],
        DONE,
      ),
    // Each piece makes the arguments look complete, and the text between triggers a check whether they are.
    'pieces of arguments that end like an object, with text between': (count) =>
      events(
        [
          chatDelta({ tool_calls: [{ ...chatCalls(1)[0], function: { name: 'f' } }] }),
          ...many(count, (index) => [
            chatDelta({
              tool_calls: [{ index: 0, function: { arguments: index === 0 ? '{"a":"}' : '}'.repeat(40) } }],
            }),
            chatDelta({ content: 'x' }),
          ]).flat(),
        ],
        DONE,
      ),
    'calls in one chunk': (count) => events([chatDelta({ tool_calls: chatCalls(count) })], DONE),
    citations: (count) =>
      events(
        many(count, (index) => chatDelta({ content: 'x', annotations: urlCitations(1 + (index % 2)) })),
        DONE,
      ),
    'text in one chunk': (count) => events([chatDelta({ content: 'x'.repeat(count * 100) })], DONE),
    comments: (count) => `${': ping\n\n'.repeat(count * 10)}${events([chatDelta({ content: 'x' })], DONE)}`,
    'lines in one event': (count) => `${': x\n'.repeat(count * 20)}\n${events([chatDelta({ content: 'x' })], DONE)}`,
    'lines of data in one event': (count) =>
      `${'data:\n'.repeat(count * 20)}\n${events([chatDelta({ content: 'x' })], DONE)}`,
    'carriage returns': (count) => `${': x\r\n'.repeat(count * 20)}\r\n${events([chatDelta({ content: 'x' })], DONE)}`,
    'lines before one carriage return': (count) =>
      `${': x\n'.repeat(count * 20)}: x\r\n\r\n${events([chatDelta({ content: 'x' })], DONE)}`,
  },
  'openai-responses': {
    'calls with interleaved pieces': (count) =>
      events([
        responsesStart,
        ...many(count / 2, (index) => ({
          type: 'response.output_item.added',
          output_index: index,
          item: responsesItem(index),
        })),
        ...many(count, (index) => ({
          type: 'response.function_call_arguments.delta',
          ...{ item_id: `f${index % (count / 2)}`, output_index: index % (count / 2), delta: ' ' },
        })),
        ...many(count / 2, (index) => ({
          type: 'response.output_item.done',
          ...{ output_index: index, item: { ...responsesItem(index), arguments: '{}', status: 'completed' } },
        })),
        { type: 'response.completed', response: responsesAnswer([]) },
      ]),
  },
  'anthropic-messages': {
    'sequential blocks': (count) =>
      events([
        anthropicStart,
        ...many(count / 2, (index) => [
          block(index, { type: 'text', text: '' }),
          blockDelta(index, { type: 'text_delta', text: 'x' }),
          { type: 'content_block_stop', index },
        ]).flat(),
        ...anthropicEnd,
      ]),
    'calls with interleaved pieces': (count) =>
      events([
        anthropicStart,
        ...many(count / 2, (index) => block(index, { type: 'tool_use', id: `t${index}`, name: 'f', input: {} })),
        ...many(count, (index) => blockDelta(index % (count / 2), { type: 'input_json_delta', partial_json: ' ' })),
        ...many(count / 2, (index) => ({ type: 'content_block_stop', index })),
        ...anthropicEnd,
      ]),
  },
  gemini: {
    chunks: (count) => events(many(count, () => geminiAnswer([candidate([{ text: 'x' }])]))),
    'candidates with interleaved chunks': (count) =>
      events(many(count, (index) => geminiAnswer([candidate([{ text: 'x' }], {}, index % (count / 4))]))),
    'citations that grow': (count) =>
      events(
        many(20, (index) =>
          geminiAnswer([candidate([{ text: 'x' }], { groundingMetadata: grounding((count * index) / 20) })]),
        ),
      ),
    'pieces of arguments': (count) =>
      events(
        many(count, (index) =>
          geminiAnswer([
            candidate([
              {
                functionCall: {
                  ...(index === 0 ? { name: 'f' } : {}),
                  partialArgs: [{ jsonPath: '$.text', stringValue: 'x', willContinue: true }],
                  willContinue: true,
                },
              },
            ]),
          ]),
        ),
      ),
  },
  'bedrock-converse': {
    'calls with interleaved pieces': (count) =>
      converse('messageStart', { role: 'assistant' }) +
      many(count / 2, (index) =>
        converse('contentBlockStart', {
          contentBlockIndex: index,
          start: { toolUse: { toolUseId: `t${index}`, name: 'f' } },
        }),
      ).join('') +
      many(count, (index) =>
        converse('contentBlockDelta', { contentBlockIndex: index % (count / 2), delta: { toolUse: { input: ' ' } } }),
      ).join('') +
      converse('messageStop', { stopReason: 'end_turn' }),
  },
  'cohere-chat': {
    'calls with interleaved pieces': (count) =>
      events([
        { type: 'message-start', id: 'x', delta: { message: { role: 'assistant' } } },
        ...many(count / 2, (index) => ({
          type: 'tool-call-start',
          ...{ index, delta: { message: { tool_calls: chatCalls(1)[0] } } },
        })),
        ...many(count, (index) => ({
          type: 'tool-call-delta',
          ...{ index: index % (count / 2), delta: { message: { tool_calls: { function: { arguments: ' ' } } } } },
        })),
        { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
      ]),
  },
};

/** Bodies of error responses, which any format may receive. */
export const ERRORS: Readonly<Record<string, (count: number) => unknown>> = {
  'members in the error': (count) => ({ error: { message: 'x', type: 't', ...named(count) } }),
  'details of the error': (count) => ({
    error: {
      code: 400,
      message: 'x',
      status: 'INVALID_ARGUMENT',
      details: many(count, (index) => ({ '@type': `t${index}` })),
    },
  }),
  'errors in a list': (count) => many(count, (index) => ({ error: { message: `x ${index}` } })),
  'violations of a schema': (count) => ({
    detail: many(count, (index) => ({ loc: ['body', index], msg: 'x', type: 't' })),
  }),
  'a long message': (count) => ({ error: { message: 'key: a <b> http://c/ '.repeat(count) } }),
  'errors within errors': (count) =>
    many(Math.min(count / 10, 400), () => 0).reduce<unknown>(
      (inner) => ({ error: { message: JSON.stringify({ error: 'x' }), error: inner } }),
      {},
    ),
};
