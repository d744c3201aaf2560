import { EventStreamCodec } from '@smithy/eventstream-codec';
import { asArray, asObject, isObject, type JsonObject, parseJson } from '../json.ts';
import { COMMON_NAMES, cut, type Wire, type WireAnswer } from './wire.ts';

const codec = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes),
  (text) => new TextEncoder().encode(text),
);

/** Returns a frame of AWS's event streams. */
export function frame(type: string, payload: JsonObject): Uint8Array {
  const header = (value: string) => ({ type: 'string' as const, value });
  return codec.encode({
    headers: {
      ':event-type': header(type),
      ':content-type': header('application/json'),
      ':message-type': header('event'),
    },
    body: new TextEncoder().encode(JSON.stringify(payload)),
  });
}

const USAGE = { inputTokens: 30, outputTokens: 20, totalTokens: 50 };

const blocksOf = (body: JsonObject) =>
  asArray(body.messages)
    .filter(isObject)
    .flatMap(({ content }) => asArray(content).filter(isObject));

const stopReasonOf = (answer: WireAnswer) => ('call' in answer ? 'tool_use' : 'end_turn');

function blockOf(answer: WireAnswer): JsonObject {
  if ('text' in answer) return { text: answer.text };
  const { id, name, text } = answer.call;
  return { toolUse: { toolUseId: id, name, input: asObject(parseJson(text)) as JsonObject } };
}

export const converseWire: Wire = {
  names: COMMON_NAMES,
  declared: (body) =>
    asArray(asObject(body.toolConfig).tools).flatMap((tool) => {
      const { toolSpec } = asObject(tool);
      return isObject(toolSpec) ? [{ name: String(toolSpec.name), isFreeform: false }] : [];
    }),
  calls: (body) =>
    blocksOf(body).flatMap(({ toolUse }) =>
      isObject(toolUse)
        ? [{ id: String(toolUse.toolUseId), name: String(toolUse.name), text: JSON.stringify(toolUse.input) }]
        : [],
    ),
  results: (body) =>
    blocksOf(body).flatMap(({ toolResult }) => (isObject(toolResult) ? [String(toolResult.toolUseId)] : [])),
  whole: (answer) => ({
    output: { message: { role: 'assistant', content: [blockOf(answer)] } },
    stopReason: stopReasonOf(answer),
    usage: USAGE,
    metrics: { latencyMs: 1 },
  }),
  stream(answer) {
    const within = { contentBlockIndex: 0 };
    const frames =
      'text' in answer
        ? cut(answer.text).map((text) => frame('contentBlockDelta', { ...within, delta: { text } }))
        : [
            frame('contentBlockStart', {
              ...within,
              start: { toolUse: { toolUseId: answer.call.id, name: answer.call.name } },
            }),
            ...cut(answer.call.text).map((input) =>
              frame('contentBlockDelta', { ...within, delta: { toolUse: { input } } }),
            ),
          ];
    const all = [
      frame('messageStart', { role: 'assistant' }),
      ...frames,
      frame('contentBlockStop', within),
      frame('messageStop', { stopReason: stopReasonOf(answer) }),
      frame('metadata', { usage: USAGE, metrics: { latencyMs: 1 } }),
    ];
    return { contentType: 'application/vnd.amazon.eventstream', body: Buffer.concat(all) };
  },
};
