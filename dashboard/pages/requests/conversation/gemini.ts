import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../shared/json.ts';
import { imagePiece } from './image.ts';
import {
  type ConversationFormat,
  callPiece,
  failedIn,
  filePiece,
  otherPiece,
  type Piece,
  roleOf,
  textPieces,
  turnOf,
  withOwnResults,
  written,
} from './turns.ts';

/** The API accepts members in either spelling: `inlineData` or `inline_data`. */
export const gemini: ConversationFormat = {
  request: (body) => ({
    turns: [
      ...turnOf('system', piecesOf(body.systemInstruction ?? body.system_instruction)),
      ...(Array.isArray(body.contents) ? body.contents : [body.contents]).flatMap((content) =>
        withOwnResults(roleOf(objectOf(content).role), piecesOf(content)),
      ),
    ],
    tools: listOf(body.tools).map(objectOf).flatMap(toolNames),
  }),
  answer: (body) => {
    const blocked = textOf(objectOf(body.promptFeedback).blockReason);
    const turns = listOf(body.candidates)
      .map(objectOf)
      .flatMap(({ content, finishReason }) => turnOf('assistant', piecesOf(content), textOf(finishReason)));
    return { turns: [...turns, ...turnOf('assistant', [], blocked)], error: failedIn(body.error) };
  },
  assembled,
};

function toolNames(tool: JsonObject): string[] {
  const functions = listOf(tool.functionDeclarations ?? tool.function_declarations);
  if (functions.length > 0) return functions.map((one) => textOf(objectOf(one).name));
  return Object.keys(tool);
}

/** A content may be a text alone. */
function piecesOf(content: unknown): Piece[] {
  if (typeof content === 'string') return textPieces(content);
  const { parts } = objectOf(content);
  return (Array.isArray(parts) ? parts : [parts]).filter(isObject).flatMap(partPieces);
}

function partPieces(part: JsonObject): Piece[] {
  const call = part.functionCall ?? part.function_call;
  const response = part.functionResponse ?? part.function_response;
  const inline = part.inlineData ?? part.inline_data;
  const file = part.fileData ?? part.file_data;
  const code = part.executableCode ?? part.executable_code;
  const result = part.codeExecutionResult ?? part.code_execution_result;
  if (typeof part.text === 'string') return textPieces(part.text, part.thought === true ? 'reasoning' : 'text');
  if (isObject(call)) return [callPiece(call.id, call.name, call.args)];
  if (isObject(response)) return [resultPiece(response.id, response.name, written(response.response), response)];
  if (isObject(inline)) return [inlinePiece(inline.mimeType ?? inline.mime_type, inline.data)];
  if (isObject(file)) return [filePiece('file', file.mimeType ?? file.mime_type, file.fileUri ?? file.file_uri)];
  if (isObject(code)) return [callPiece(code.id, code.language, code.code)];
  if (isObject(result)) return [resultPiece(result.id, result.outcome, textOf(result.output))];
  // A signature alone has nothing to show.
  return 'thoughtSignature' in part ? [] : [otherPiece(part, Object.keys(part)[0])];
}

/** @param content has further parts of the result, such as pictures */
function resultPiece(id: unknown, name: unknown, output: string, content: JsonObject = {}): Piece {
  const pieces = [...textPieces(output), ...piecesOf(content)];
  return { type: 'result', id: textOf(id), name: textOf(name), isError: false, pieces };
}

function inlinePiece(type: unknown, data: unknown): Piece {
  return textOf(type).startsWith('image/') ? imagePiece(type, data) : filePiece('file', type);
}

function assembled(events: readonly JsonObject[]): JsonObject {
  const candidates = new Map<number, { parts: JsonObject[]; finish: string }>();
  let error: unknown;
  let feedback: unknown;
  for (const event of events) {
    error ??= event.error;
    feedback ??= event.promptFeedback;
    for (const one of listOf(event.candidates).map(objectOf)) {
      const at = numberOf(one.index) ?? 0;
      const candidate = candidates.get(at) ?? { parts: [], finish: '' };
      candidates.set(at, candidate);
      for (const part of listOf(objectOf(one.content).parts).filter(isObject)) addPart(candidate.parts, part);
      candidate.finish = textOf(one.finishReason) || candidate.finish;
    }
  }
  const all = [...candidates.values()].map(({ parts, finish }) => ({ content: { parts }, finishReason: finish }));
  return { candidates: all, promptFeedback: feedback, error };
}

/** Adds a part; another text of the same kind is continued. */
function addPart(parts: JsonObject[], part: JsonObject): void {
  const { text: before, thought, ...last } = parts.at(-1) ?? {};
  const isSameKind = (thought === true) === (part.thought === true);
  if (typeof before !== 'string' || typeof part.text !== 'string' || !isSameKind) parts.push(part);
  else parts[parts.length - 1] = { ...last, ...(thought === true && { thought }), text: before + part.text };
}
