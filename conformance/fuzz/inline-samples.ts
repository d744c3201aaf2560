import { FORMATS } from '../judges/index.ts';
import type { StreamEvent } from '../judges/stream-event.ts';
import { RARE_REQUESTS } from '../requests/rare/index.ts';
import { SMALL_REQUESTS } from '../requests/small-requests.ts';
import type { RequestSample, StreamSample, WholeSample } from './sample.ts';

/** Invented responses, for runs without recordings: each has thinking, text and a call. */
export const INLINE_ANSWERS: readonly WholeSample[] = [
  inline('openai-chat', {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'a-model',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Let me see.',
          reasoning_content: 'A question about the weather.',
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 3 },
            },
          ],
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } }],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 2 } },
  }),
  inline('anthropic-messages', {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'a-model',
    content: [
      { type: 'thinking', thinking: 'A question about the weather.', signature: 'c2lnbmVk' },
      { type: 'redacted_thinking', data: 'aGlkZGVu' },
      { type: 'text', text: 'Let me see.', citations: null },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'Bonn' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bonn' } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 2, cache_creation_input_tokens: 1 },
  }),
  inline('openai-responses', {
    id: 'resp_1',
    object: 'response',
    created_at: 1_760_000_000,
    status: 'completed',
    model: 'a-model',
    output: [
      {
        id: 'rs_1',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Weather.' }],
        encrypted_content: 'ZW5j',
      },
      {
        id: 'msg_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Let me see.', annotations: [], logprobs: [] }],
      },
      {
        id: 'fc_1',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_1',
        name: 'weather',
        arguments: '{"city":"Bonn"}',
      },
    ],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15, output_tokens_details: { reasoning_tokens: 3 } },
  }),
  inline('gemini', {
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [
            { text: 'A question about the weather.', thought: true },
            { text: 'Let me see.' },
            { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
            { functionCall: { name: 'weather', args: { city: 'Bonn' } }, thoughtSignature: 'c2lnbmVk' },
          ],
        },
        finishReason: 'STOP',
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
          groundingSupports: [],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 3, totalTokenCount: 18 },
    modelVersion: 'a-model',
    responseId: 'answer1',
  }),
  inline('bedrock-converse', {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Weather.', signature: 'c2lnbmVk' } } },
          { text: 'Let me see.' },
          { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Bonn' } } },
        ],
      },
    },
    stopReason: 'tool_use',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  }),
  inline('cohere-chat', {
    id: 'a1',
    message: {
      role: 'assistant',
      tool_plan: 'I will look.',
      content: [
        { type: 'thinking', thinking: 'Weather.' },
        { type: 'text', text: 'Let me see.' },
      ],
      tool_calls: [{ id: 'weather_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } }],
      citations: [{ start: 0, end: 3, text: 'Let', sources: [{ type: 'document', id: 'd', document: { id: 'd' } }] }],
    },
    finish_reason: 'TOOL_CALL',
    usage: { tokens: { input_tokens: 10, output_tokens: 5 }, billed_units: { input_tokens: 10, output_tokens: 5 } },
  }),
];

function inline(format: string, body: unknown): WholeSample {
  return { name: `inline ${format}`, format, body };
}

export const INLINE_STREAMS: readonly StreamSample[] = [
  stream('openai-chat', [
    chatChunk({ role: 'assistant', reasoning_content: 'Weather.' }),
    chatChunk({ content: 'Let me ' }),
    chatChunk({ content: 'see.' }),
    chatChunk({
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }],
    }),
    chatChunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
    chatChunk({
      tool_calls: [{ index: 1, id: 'call_2', type: 'function', function: { name: 'time', arguments: '{}' } }],
    }),
    chatChunk({ tool_calls: [{ index: 0, function: { arguments: '"Bonn"}' } }] }),
    chatChunk({}, 'tool_calls'),
    { ...chatChunk({}), choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
    '[DONE]',
  ]),
  typed('anthropic-messages', [
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 10 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Weather.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2lnbmVk' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Let me see.' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"city":"Bonn"}' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]),
  typed('openai-responses', [
    {
      type: 'response.created',
      sequence_number: 0,
      response: { id: 'resp_1', created_at: 1, status: 'in_progress', output: [] },
    },
    {
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { id: 'rs_1', type: 'reasoning', summary: [] },
    },
    {
      type: 'response.reasoning_summary_part.added',
      sequence_number: 2,
      item_id: 'rs_1',
      output_index: 0,
      summary_index: 0,
      part: { type: 'summary_text', text: '' },
    },
    {
      type: 'response.reasoning_summary_text.delta',
      sequence_number: 3,
      item_id: 'rs_1',
      output_index: 0,
      summary_index: 0,
      delta: 'Weather.',
    },
    {
      type: 'response.output_item.done',
      sequence_number: 4,
      output_index: 0,
      item: {
        id: 'rs_1',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Weather.' }],
        encrypted_content: 'ZW5j',
      },
    },
    {
      type: 'response.output_item.added',
      sequence_number: 5,
      output_index: 1,
      item: { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
    },
    {
      type: 'response.output_text.delta',
      sequence_number: 6,
      item_id: 'msg_1',
      output_index: 1,
      content_index: 0,
      delta: 'Let me see.',
    },
    {
      type: 'response.output_item.done',
      sequence_number: 7,
      output_index: 1,
      item: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Let me see.', annotations: [] }],
      },
    },
    {
      type: 'response.output_item.added',
      sequence_number: 8,
      output_index: 2,
      item: { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '' },
    },
    {
      type: 'response.function_call_arguments.delta',
      sequence_number: 9,
      item_id: 'fc_1',
      output_index: 2,
      delta: '{"city":"Bonn"}',
    },
    {
      type: 'response.output_item.done',
      sequence_number: 10,
      output_index: 2,
      item: {
        id: 'fc_1',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_1',
        name: 'weather',
        arguments: '{"city":"Bonn"}',
      },
    },
    {
      type: 'response.completed',
      sequence_number: 11,
      response: { id: 'resp_1', status: 'completed', output: [], usage: { input_tokens: 10, output_tokens: 5 } },
    },
  ]),
  stream('gemini', [
    geminiChunk([{ text: 'Weather.', thought: true }]),
    geminiChunk([{ text: 'Let me see.' }]),
    geminiChunk([{ functionCall: { name: 'weather', args: { city: 'Bonn' } }, thoughtSignature: 'c2lnbmVk' }]),
    geminiChunk([{ functionCall: { name: 'weather', willContinue: true } }]),
    geminiChunk([
      {
        functionCall: {
          partialArgs: [{ jsonPath: '$.days[0].at', stringValue: 'noo', willContinue: true }],
          willContinue: true,
        },
      },
    ]),
    geminiChunk([
      { functionCall: { partialArgs: [{ jsonPath: '$.days[0].at', stringValue: 'n' }], willContinue: true } },
    ]),
    geminiChunk([{ functionCall: {} }], 'STOP'),
  ]),
  {
    name: 'inline bedrock-converse',
    format: 'bedrock-converse',
    events: Object.entries({
      messageStart: { role: 'assistant' },
      contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'tooluse_1', name: 'weather' } } },
      contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"city":"Bonn"}' } } },
      contentBlockStop: { contentBlockIndex: 0 },
      messageStop: { stopReason: 'tool_use' },
      metadata: { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } },
    }).map(([event, data]) => ({ event, data: JSON.stringify(data) })),
  },
  typed('cohere-chat', [
    { type: 'message-start', id: 'a1', delta: { message: { role: 'assistant', content: [], tool_calls: [] } } },
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will look.' } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Let me see.' } } } },
    {
      type: 'citation-start',
      index: 0,
      delta: { message: { citations: { start: 0, end: 3, text: 'Let', sources: [] } } },
    },
    { type: 'citation-end', index: 0 },
    { type: 'content-end', index: 0 },
    {
      type: 'tool-call-start',
      index: 0,
      delta: {
        message: { tool_calls: { id: 'weather_1', type: 'function', function: { name: 'weather', arguments: '' } } },
      },
    },
    {
      type: 'tool-call-delta',
      index: 0,
      delta: { message: { tool_calls: { function: { arguments: '{"city":"Bonn"}' } } } },
    },
    { type: 'tool-call-end', index: 0 },
    {
      type: 'message-end',
      delta: { finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 10, output_tokens: 5 } } },
    },
  ]),
];

function stream(format: string, data: readonly unknown[]): StreamSample {
  const events: StreamEvent[] = data.map((one) => ({
    event: null,
    data: typeof one === 'string' ? one : JSON.stringify(one),
  }));
  return { name: `inline ${format}`, format, events };
}

function typed(format: string, data: readonly Readonly<Record<string, unknown> & { type: string }>[]): StreamSample {
  const events = data.map((one) => ({ event: one.type, data: JSON.stringify(one) }));
  return { name: `inline ${format}`, format, events };
}

function chatChunk(delta: unknown, finishReason: string | null = null) {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'a-model', choices };
}

function geminiChunk(parts: readonly unknown[], finishReason?: string) {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const candidates = [
    { index: 0, content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) },
  ];
  return { candidates, usageMetadata, modelVersion: 'a-model', responseId: 'answer1' };
}

export const INLINE_REQUESTS: readonly RequestSample[] = FORMATS.flatMap((format) => [
  { name: `small ${format}`, format, body: { ...SMALL_REQUESTS[format], model: 'a-model' } },
  ...Object.entries(RARE_REQUESTS[format]).map(([about, body]) => ({
    name: `rare ${format}: ${about}`,
    format,
    body: { model: 'a-model', ...body },
  })),
]);
