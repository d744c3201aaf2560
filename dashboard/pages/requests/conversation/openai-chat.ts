import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../shared/json.ts';
import { imageAt } from './image.ts';
import {
  type ConversationFormat,
  callPiece,
  failedIn,
  filePiece,
  otherPiece,
  type Piece,
  roleOf,
  type Turn,
  textPieces,
  turnOf,
} from './turns.ts';

export const openaiChat: ConversationFormat = {
  request: (body) => ({
    turns: listOf(body.messages).map(objectOf).flatMap(turnsOf),
    tools: [...listOf(body.tools), ...listOf(body.functions)].map(objectOf).map(toolName),
  }),
  answer: (body) => ({
    turns: listOf(body.choices)
      .map(objectOf)
      .flatMap(({ message, finish_reason }) =>
        turnOf('assistant', messagePieces(objectOf(message)), textOf(finish_reason)),
      ),
    error: failedIn(body.error),
  }),
  assembled,
};

function toolName(tool: JsonObject): string {
  return (
    textOf(objectOf(tool.function).name) || textOf(objectOf(tool.custom).name) || textOf(tool.name) || textOf(tool.type)
  );
}

function turnsOf(message: JsonObject): Turn[] {
  const role = roleOf(message.role);
  const pieces = messagePieces(message);
  if (role !== 'tool') return turnOf(role, pieces);
  const name = textOf(message.name);
  return turnOf('tool', [{ type: 'result', id: textOf(message.tool_call_id), name, isError: false, pieces }]);
}

function messagePieces(message: JsonObject): Piece[] {
  const { content, refusal, tool_calls: calls, function_call: legacy, images, audio } = message;
  return [
    ...reasoningIn(message),
    ...contentPieces(content),
    ...textPieces(refusal, 'refusal'),
    ...listOf(images).map((image) => imageAt(objectOf(objectOf(image).image_url).url)),
    ...textPieces(objectOf(audio).transcript),
    ...[...listOf(calls).map(objectOf), ...(isObject(legacy) ? [{ function: legacy }] : [])].map(callOf),
  ];
}

/** Returns the reasoning, which servers name differently; details repeat it in pieces. */
function reasoningIn({ reasoning_content: content, reasoning, reasoning_details: details }: JsonObject): Piece[] {
  const text = textOf(content) || textOf(reasoning);
  if (text !== '') return textPieces(text, 'reasoning');
  const parts = listOf(details).map(objectOf);
  const detailed = parts.map((part) => textOf(part.text) || textOf(part.summary)).join('');
  return parts.length === 0 ? [] : [{ type: 'reasoning', text: detailed }];
}

function callOf(call: JsonObject): Piece {
  const { name, arguments: given, input } = isObject(call.function) ? call.function : objectOf(call.custom);
  return callPiece(call.id, name, given ?? input);
}

function contentPieces(content: unknown): Piece[] {
  return typeof content === 'string' ? textPieces(content) : listOf(content).map(objectOf).flatMap(partPieces);
}

function partPieces(part: JsonObject): Piece[] {
  switch (part.type) {
    case 'text':
      return textPieces(part.text);
    case 'refusal':
      return textPieces(part.refusal, 'refusal');
    case 'thinking':
      return [{ type: 'reasoning', text: textOf(part.thinking) || textsOf(part.thinking) }];
    case 'image_url':
      return [imageAt(textOf(part.image_url) || objectOf(part.image_url).url)];
    case 'input_audio':
      return [filePiece('audio', objectOf(part.input_audio).format)];
    case 'file': {
      const { filename, file_id: id } = objectOf(part.file);
      return [filePiece('file', filename, id)];
    }
    case 'document_url':
      return [filePiece('document', part.document_name, typeOf(part.document_url))];
    case 'audio_url':
    case 'video_url':
      return [filePiece(part.type.slice(0, 5), typeOf(objectOf(part[part.type]).url))];
    default:
      return [otherPiece(part, part.type)];
  }
}

function textsOf(parts: unknown): string {
  return listOf(parts)
    .map((part) => textOf(objectOf(part).text))
    .join('');
}

/** Returns the type of a data URL; another URL as it is. */
function typeOf(url: unknown): string {
  const text = textOf(url);
  return text.startsWith('data:') ? text.slice(5, text.indexOf(';', 5)) : text;
}

interface Choice {
  role: string;
  content: JsonObject[];
  reasoning: string;
  details: unknown[];
  refusal: string;
  images: unknown[];
  transcript: string;
  readonly calls: Map<number, { id: string; name: string; arguments: string }>;
  finish: string;
}

function assembled(events: readonly JsonObject[]): JsonObject {
  const choices = new Map<number, Choice>();
  let error: unknown;
  for (const event of events) {
    error ??= event.error;
    for (const one of listOf(event.choices).map(objectOf)) {
      const at = numberOf(one.index) ?? 0;
      const choice = choices.get(at) ?? newChoice();
      choices.set(at, choice);
      take(choice, objectOf(one.delta));
      choice.finish = textOf(one.finish_reason) || choice.finish;
    }
  }
  return { choices: [...choices.values()].map(choiceOf), error };
}

function newChoice(): Choice {
  return {
    ...{ role: 'assistant', content: [], reasoning: '', details: [], refusal: '' },
    ...{ images: [], transcript: '', calls: new Map(), finish: '' },
  };
}

function take(choice: Choice, delta: JsonObject): void {
  const parts = typeof delta.content === 'string' ? [{ type: 'text', text: delta.content }] : listOf(delta.content);
  for (const part of parts.filter(isObject)) addPart(choice.content, part);
  choice.reasoning += textOf(delta.reasoning_content) || textOf(delta.reasoning);
  choice.details.push(...listOf(delta.reasoning_details));
  choice.refusal += textOf(delta.refusal);
  choice.images.push(...listOf(delta.images));
  choice.transcript += textOf(objectOf(delta.audio).transcript);
  const legacy = isObject(delta.function_call) ? [{ index: 0, function: delta.function_call }] : [];
  for (const piece of [...listOf(delta.tool_calls).map(objectOf), ...legacy] as readonly JsonObject[]) {
    const at = numberOf(piece.index) ?? choice.calls.size;
    const call = choice.calls.get(at) ?? { id: '', name: '', arguments: '' };
    choice.calls.set(at, call);
    const { name, arguments: given, input } = isObject(piece.function) ? piece.function : objectOf(piece.custom);
    call.id ||= textOf(piece.id);
    call.name ||= textOf(name);
    call.arguments += textOf(given) || textOf(input);
  }
}

/** Adds a part; the text of another of the same type is continued. */
function addPart(content: JsonObject[], part: JsonObject): void {
  const last = content.at(-1);
  const isMore = part.type === 'text' && last?.type === 'text';
  if (isMore) content[content.length - 1] = { type: 'text', text: textOf(last.text) + textOf(part.text) };
  else content.push(part);
}

function choiceOf({ finish, content, refusal, images, reasoning, details, transcript, calls }: Choice): JsonObject {
  const message = {
    ...{ content, refusal, images, reasoning, reasoning_details: details, audio: { transcript } },
    tool_calls: [...calls.values()].map(({ id, ...call }) => ({ id, function: call })),
  };
  return { message, finish_reason: finish };
}
