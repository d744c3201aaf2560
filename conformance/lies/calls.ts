import type { LieFormat } from './bed.ts';

/* Responses that call a tool without arguments, as the servers of each format write them. */

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string }) => `event: ${value.type}\n${data(value)}`;

export interface CallAnswer {
  readonly name: string;
  readonly wire: LieFormat;
  readonly whole: object;
  readonly frames: readonly string[];
}

const CHAT = { id: 'c-1', created: 1, model: 'upstream' };
const CHAT_USAGE = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  data({ ...CHAT, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...more });
const chatCall = (said: object) => ({ id: 'call_1', type: 'function', function: { name: 'now', ...said } });
const chatWhole = (said: object) => ({
  ...{ ...CHAT, object: 'chat.completion', usage: CHAT_USAGE },
  choices: [
    {
      ...{ index: 0, finish_reason: 'tool_calls' },
      message: { role: 'assistant', content: null, tool_calls: [chatCall(said)] },
    },
  ],
});
const chatEnd = [
  data({ ...CHAT, object: 'chat.completion.chunk', choices: [], usage: CHAT_USAGE }),
  'data: [DONE]\n\n',
];
const beginning = (said: object) => chunk({ role: 'assistant', tool_calls: [{ index: 0, ...chatCall(said) }] });

const chat = (name: string, said: object, frames: readonly string[]): CallAnswer => ({
  ...{ name, wire: 'openai-chat', whole: chatWhole(said) },
  frames: [...frames, ...chatEnd],
});

const responsesItem = (said: object, status: string) => ({
  ...{ id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'now', status },
  ...said,
});
const response = (status: string, output: readonly object[]) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'upstream', status, output, error: null },
  usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
});

const responses = (name: string, said: object): CallAnswer => ({
  ...{ name, wire: 'openai-responses', whole: response('completed', [responsesItem(said, 'completed')]) },
  frames: [
    named({ type: 'response.created', response: response('in_progress', []) } as { type: string }),
    named({
      ...{ type: 'response.output_item.added', output_index: 0 },
      item: responsesItem({ arguments: '' }, 'in_progress'),
    } as { type: string }),
    named({ type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 0, ...said } as {
      type: string;
    }),
    named({ type: 'response.output_item.done', output_index: 0, item: responsesItem(said, 'completed') } as {
      type: string;
    }),
    named({ type: 'response.completed', response: response('completed', [responsesItem(said, 'completed')]) } as {
      type: string;
    }),
  ],
});

const message = (content: readonly object[], stop_reason: string | null) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'upstream', content, stop_reason, stop_sequence: null },
  usage: { input_tokens: 9, output_tokens: 4 },
});
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'now', input: {} };

const messages = (name: string, deltas: readonly string[]): CallAnswer => ({
  ...{ name, wire: 'anthropic-messages', whole: message([toolUse], 'tool_use') },
  frames: [
    named({ type: 'message_start', message: message([], null) } as { type: string }),
    named({ type: 'content_block_start', index: 0, content_block: toolUse } as { type: string }),
    ...deltas.map((partial_json) =>
      named({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } } as {
        type: string;
      }),
    ),
    named({ type: 'content_block_stop', index: 0 } as { type: string }),
    named({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } } as {
      type: string;
    }),
    named({ type: 'message_stop' }),
  ],
});

const gemini = (name: string, said: object): CallAnswer => {
  const answer = {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [{ functionCall: { name: 'now', ...said } }] },
        finishReason: 'STOP',
      },
    ],
    ...{
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
      modelVersion: 'upstream',
    },
  };
  return { name, wire: 'gemini', whole: answer, frames: [data(answer)] };
};

/** Every way in which a server omits the arguments of a call. */
export const CALLS: readonly CallAnswer[] = [
  chat('empty text', { arguments: '' }, [beginning({ arguments: '' }), chunk({}, 'tool_calls')]),
  chat('no member', {}, [beginning({}), chunk({}, 'tool_calls')]),
  chat('null', { arguments: null }, [beginning({ arguments: null }), chunk({}, 'tool_calls')]),
  chat('one chunk', { arguments: '' }, [
    chunk({ role: 'assistant', tool_calls: [{ index: 0, ...chatCall({ arguments: '' }) }] }, 'tool_calls'),
  ]),
  chat('white space', { arguments: ' ' }, [
    beginning({ arguments: '' }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '' } }] }, 'tool_calls'),
  ]),
  chat('no reason', { arguments: '' }, [beginning({ arguments: '' })]),
  responses('empty text', { arguments: '' }),
  responses('no member', {}),
  messages('no delta', []),
  messages('an empty delta', ['']),
  gemini('no member', {}),
  gemini('null', { args: null }),
];
