import { asArray, asObject, isObject, type JsonObject, parseJson } from '../json.ts';
import { cut, eventStream, type Wire, type WireCall } from './wire.ts';

const partsOf = (body: JsonObject) =>
  asArray(body.contents)
    .filter(isObject)
    .flatMap(({ parts }) => asArray(parts).filter(isObject));

/** Each of Google's responses has its own id. */
let answers = 0;

function chunkOf(part: JsonObject, isLast: boolean): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts: [part] }, ...(isLast ? { finishReason: 'STOP' } : {}), index: 0 }],
    usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 20, totalTokenCount: 50 },
    modelVersion: 'upstream',
    responseId: `answer-${answers}`,
  };
}

/** Gemini 3 signs the first call of each step, and requires the signature back. */
const SIGNATURE = 'c2lnbmF0dXJl';

function callPart({ name, text }: WireCall): JsonObject {
  // The text was made by JSON.stringify.
  return { functionCall: { name, args: asObject(parseJson(text)) as JsonObject }, thoughtSignature: SIGNATURE };
}

/** Google's format: calls have no ids and are identified by order. */
export const geminiWire: Wire = {
  names: /^[a-zA-Z_][a-zA-Z0-9_:.-]{0,63}$/,
  declared: (body) =>
    asArray(body.tools)
      .flatMap((tool) => asArray(asObject(tool).functionDeclarations))
      .map((declaration) => ({ name: String(asObject(declaration).name), isFreeform: false })),
  calls: (body) =>
    partsOf(body)
      .flatMap(({ functionCall }) => (isObject(functionCall) ? [functionCall] : []))
      .map(({ name, args }, index) => ({ id: String(index), name: String(name), text: JSON.stringify(args ?? {}) })),
  results: (body) =>
    partsOf(body)
      .filter(({ functionResponse }) => isObject(functionResponse))
      .map((_, index) => String(index)),
  whole(answer) {
    answers++;
    return chunkOf('text' in answer ? { text: answer.text } : callPart(answer.call), true);
  },
  stream(answer) {
    answers++;
    const parts = 'text' in answer ? cut(answer.text).map((text) => ({ text })) : [callPart(answer.call)];
    return eventStream(parts.map((part, index) => chunkOf(part, index === parts.length - 1)));
  },
};
