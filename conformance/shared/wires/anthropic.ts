import { asArray, asObject, isObject, type JsonObject, parseJson } from '../json.ts';
import { cut, eventStream, type Wire, type WireAnswer, type WireCall } from './wire.ts';

const blocksOf = (body: JsonObject) =>
  asArray(body.messages)
    .filter(isObject)
    .flatMap(({ content }) => asArray(content).filter(isObject));

function toolUseOf({ id, name, text }: WireCall): JsonObject {
  return { type: 'tool_use', id, name, input: asObject(parseJson(text)) as JsonObject };
}

function messageOf(answer: WireAnswer): JsonObject {
  return {
    ...{ id: 'msg_7', type: 'message', role: 'assistant', model: 'upstream' },
    content: 'text' in answer ? [{ type: 'text', text: answer.text }] : [toolUseOf(answer.call)],
    stop_reason: 'call' in answer ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 30, output_tokens: 20 },
  };
}

export const anthropicWire: Wire = {
  names: /^[a-zA-Z0-9_-]{1,128}$/,
  declared: (body) =>
    asArray(body.tools)
      .filter(isObject)
      .flatMap(({ name, type }) => (type === undefined || type === 'custom' ? [String(name)] : []))
      .map((name) => ({ name, isFreeform: false })),
  calls: (body) =>
    blocksOf(body).flatMap(({ type, id, name, input }) =>
      type === 'tool_use' ? [{ id: String(id), name: String(name), text: JSON.stringify(input) }] : [],
    ),
  results: (body) =>
    blocksOf(body).flatMap(({ type, tool_use_id }) => (type === 'tool_result' ? [String(tool_use_id)] : [])),
  whole: messageOf,
  stream(answer) {
    const block =
      'text' in answer
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: answer.call.id, name: answer.call.name, input: {} };
    const deltas =
      'text' in answer
        ? cut(answer.text).map((text) => ({ type: 'text_delta', text }))
        : cut(answer.call.text).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    const { stop_reason } = messageOf(answer);
    return eventStream(
      [
        { type: 'message_start', message: { ...messageOf(answer), content: [], stop_reason: null } },
        { type: 'content_block_start', index: 0, content_block: block },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
        { type: 'content_block_stop', index: 0 },
        {
          type: 'message_delta',
          delta: { stop_reason: stop_reason ?? null, stop_sequence: null },
          usage: { output_tokens: 20 },
        },
        { type: 'message_stop' },
      ],
      true,
    );
  },
};
