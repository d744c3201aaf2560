import { asArray, asObject, isObject, type JsonObject } from '../json.ts';
import { COMMON_NAMES, cut, eventStream, type Wire, type WireAnswer, type WireCall } from './wire.ts';

const HEAD = { id: 'chatcmpl-7', created: 1_790_000_000, model: 'upstream' };
const USAGE = { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 };

const messagesOf = (body: JsonObject) => asArray(body.messages).filter(isObject);

function finishOf(answer: WireAnswer): string {
  return 'call' in answer ? 'tool_calls' : 'stop';
}

export function chatCallOf({ id, name, text }: WireCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: text } };
}

function messageOf(answer: WireAnswer): JsonObject {
  const said = { role: 'assistant', refusal: null };
  return 'text' in answer
    ? { ...said, content: answer.text }
    : { ...said, content: null, tool_calls: [chatCallOf(answer.call)] };
}

/** Chat completions of a host of open models, which support only function tools. */
export const chatWire: Wire = {
  names: COMMON_NAMES,
  declared: (body) =>
    asArray(body.tools).map((tool) => ({
      name: String(asObject(asObject(tool).function).name),
      isFreeform: asObject(tool).type !== 'function',
    })),
  calls: (body) =>
    messagesOf(body).flatMap(({ tool_calls }) =>
      asArray(tool_calls).map((call) => {
        const { id, function: called } = asObject(call);
        const { name, arguments: text } = asObject(called);
        return { id: String(id), name: String(name), text: String(text) };
      }),
    ),
  results: (body) =>
    messagesOf(body).flatMap(({ role, tool_call_id }) => (role === 'tool' ? [String(tool_call_id)] : [])),
  whole: (answer) => ({
    ...HEAD,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: messageOf(answer),
        logprobs: null,
        finish_reason: finishOf(answer),
      },
    ],
    usage: USAGE,
  }),
  stream(answer) {
    const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
      ...HEAD,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const deltas: JsonObject[] =
      'text' in answer
        ? cut(answer.text).map((content) => ({ content }))
        : [
            {
              tool_calls: [
                { index: 0, id: answer.call.id, type: 'function', function: { name: answer.call.name, arguments: '' } },
              ],
            },
            ...cut(answer.call.text).map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
          ];
    return eventStream([
      chunk({ role: 'assistant', content: '' }),
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, finishOf(answer)),
      { ...HEAD, object: 'chat.completion.chunk', choices: [], usage: USAGE },
      '[DONE]',
    ]);
  },
};
