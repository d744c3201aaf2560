import type { JsonObject } from '../json.ts';
import { chatCallOf, chatWire } from './chat.ts';
import { cut, eventStream, type Wire, type WireAnswer } from './wire.ts';

const USAGE = { tokens: { input_tokens: 30, output_tokens: 20 } };

const finishOf = (answer: WireAnswer) => ('call' in answer ? 'TOOL_CALL' : 'COMPLETE');

/** Cohere's own format: tools and calls in requests are as in chat completions, responses are not. */
export const cohereWire: Wire = {
  ...chatWire,
  names: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
  whole: (answer) => ({
    id: 'answer-7',
    message:
      'text' in answer
        ? { role: 'assistant', content: [{ type: 'text', text: answer.text }] }
        : { role: 'assistant', tool_calls: [chatCallOf(answer.call)] },
    finish_reason: finishOf(answer),
    usage: USAGE,
  }),
  stream(answer) {
    const start = (type: string, message: JsonObject): JsonObject => ({ type, index: 0, delta: { message } });
    const block: readonly JsonObject[] =
      'text' in answer
        ? [
            start('content-start', { content: { type: 'text', text: '' } }),
            ...cut(answer.text).map((text) => start('content-delta', { content: { text } })),
            { type: 'content-end', index: 0 },
          ]
        : [
            start('tool-call-start', {
              tool_calls: { id: answer.call.id, type: 'function', function: { name: answer.call.name, arguments: '' } },
            }),
            ...cut(answer.call.text).map((text) =>
              start('tool-call-delta', { tool_calls: { function: { arguments: text } } }),
            ),
            { type: 'tool-call-end', index: 0 },
          ];
    return eventStream(
      [
        { id: 'answer-7', type: 'message-start', delta: { message: { role: 'assistant' } } },
        ...block,
        { type: 'message-end', delta: { finish_reason: finishOf(answer), usage: USAGE } },
      ],
      true,
    );
  },
};
