import { asObject, type JsonObject } from '../../shared/json.ts';
import type { Random } from '../random.ts';
import type { Step } from '../script.ts';
import { different, isJsonObject, objects } from './reading.ts';
import { type IssuedTurn, pieces, type ReadTurn, type ScriptedAnswer, type ScriptedUpstream } from './upstream.ts';

/** Gemini 3 ("Thought signatures"): the first call of a turn is signed. With `withIds`, calls have ids, as newer models issue them. */
export function geminiUpstream(withIds: boolean): ScriptedUpstream {
  return {
    takesToolImages: true,
    isStream: (path) => path.includes(':streamGenerateContent'),
    answer: (step, random) => answer(step, random, withIds),
    read,
    problemOf,
    refusal: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  };
}

function answer({ thought, text, calls }: Step, random: Random, withIds: boolean): ScriptedAnswer {
  const signature = random.base64(611);
  const native: JsonObject[] = [
    { text: thought, thought: true },
    ...(text === null ? [] : [{ text }]),
    ...calls.map(({ name, args }, index) => ({
      functionCall: { ...(withIds ? { id: random.letters(8).toLowerCase() } : {}), name, args },
      ...(index === 0 ? { thoughtSignature: signature } : {}),
    })),
  ];
  const responseId = random.letters(22);
  const usageMetadata = { promptTokenCount: 50, candidatesTokenCount: 20, thoughtsTokenCount: 20, totalTokenCount: 90 };
  const chunk = (parts: readonly JsonObject[], last: boolean): JsonObject => ({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...(last ? { finishReason: 'STOP' } : {}) }],
    usageMetadata,
    modelVersion: 'gemini',
    responseId,
  });
  const streamed = native.flatMap((part): JsonObject[] =>
    typeof part.text === 'string' ? pieces(part.text).map((piece) => ({ ...part, text: piece })) : [part],
  );
  return {
    turn: { native, secrets: calls.length > 0 ? [signature] : [], stored: null, argsTexts: [] },
    whole: chunk(native, true),
    events: [...streamed.map((part) => ({ data: chunk([part], false) })), { data: chunk([{ text: '' }], true) }],
  };
}

function read(body: JsonObject): readonly ReadTurn[] | string {
  const turns: ReadTurn[] = [];
  for (const [index, { role, parts }] of objects(body.contents).entries()) {
    const list = objects(parts);
    if (list.length === 0) return `contents[${index}].parts: contents must not be empty`;
    if (role === 'model') {
      const calls = list.map((part) => part.functionCall).filter(isJsonObject);
      turns.push({
        native: list,
        calls: calls.map(({ id, name, args }) => ({ id: textOrNull(id), name, args })),
        results: [],
      });
      continue;
    }
    const last = turns.at(-1);
    if (last === undefined || last.calls.length === 0) continue;
    const responses = list.map((part) => part.functionResponse).filter(isJsonObject);
    if (responses.length !== last.calls.length) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
    const names = different(
      `contents[${index}]: the functions' names`,
      responses.map(({ name }) => name),
      last.calls.map(({ name }) => name),
    );
    if (names !== null) return names;
    turns.splice(-1, 1, { ...last, results: responses.map(readResult) });
  }
  return turns;
}

function readResult({ id, response, parts }: JsonObject) {
  const { output } = asObject(response);
  return {
    id: textOrNull(id),
    text: typeof output === 'string' ? output : JSON.stringify(response),
    images: objects(parts)
      .flatMap(({ inlineData }) => asObject(inlineData).data ?? [])
      .map(String),
  };
}

/** Nearly the API's own message for a missing signature, so that it can be recognised. */
function problemOf({ native }: ReadTurn, issued: IssuedTurn): string | null {
  const calls = (parts: readonly JsonObject[]) => parts.filter((part) => part.functionCall !== undefined);
  const found = calls(native);
  const wanted = calls(issued.native);
  const signatures = (parts: readonly JsonObject[]) => parts.map(({ thoughtSignature }) => thoughtSignature ?? null);
  const texts = (parts: readonly JsonObject[]) =>
    parts.filter(({ text, thought }) => text !== undefined && text !== '' && thought !== true).map(({ text }) => text);
  const said = texts(native).join('');
  // Ids that the API did not issue are added by the gateway and are not checked.
  const issuedIds = wanted.map(({ functionCall }) => asObject(functionCall).id);
  const ids =
    issuedIds[0] === undefined
      ? null
      : different(
          'ids',
          found.map(({ functionCall }) => asObject(functionCall).id),
          issuedIds,
        );
  const elsewhere = native.some((part) => part.functionCall === undefined && part.thoughtSignature !== undefined);
  return (
    different('Function call is missing its `thought_signature`', signatures(found), signatures(wanted)) ??
    (elsewhere ? 'a signature stands where none was issued' : null) ??
    ids ??
    (said === '' ? null : different('text', said, texts(issued.native).join('')))
  );
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
