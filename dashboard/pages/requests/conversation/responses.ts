import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../shared/json.ts';
import { imageAt, imagePiece } from './image.ts';
import { assembledOutput } from './responses-stream.ts';
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

export const responses: ConversationFormat = {
  request: (body) => ({
    turns: [...turnOf('system', textPieces(body.instructions)), ...inputTurns(body.input)],
    tools: listOf(body.tools)
      .map(objectOf)
      .map(({ name, type }) => textOf(name) || textOf(type)),
  }),
  answer: (body) => ({
    turns: turnOf('assistant', listOf(body.output).map(objectOf).flatMap(itemPieces), finishOf(body)),
    error: failedIn(body.error),
  }),
  assembled: assembledOutput,
};

function finishOf({ status, incomplete_details: details }: JsonObject): string {
  return textOf(objectOf(details).reason) || textOf(status);
}

/** Joins the items of one side, since reasoning, calls and messages are items of their own. */
function inputTurns(input: unknown): Turn[] {
  if (typeof input === 'string') return turnOf('user', textPieces(input));
  const turns: { role: Turn['role']; pieces: Piece[]; isMessage: boolean }[] = [];
  for (const item of listOf(input).map(objectOf)) {
    const role = sideOf(item);
    const isMessage = item.role !== undefined;
    const pieces = itemPieces(item);
    const last = turns.at(-1);
    if (last?.role === role && !(last.isMessage && isMessage)) {
      last.pieces.push(...pieces);
      last.isMessage ||= isMessage;
    } else turns.push({ role, pieces, isMessage });
  }
  return turns.filter(({ pieces }) => pieces.length > 0).map(({ role, pieces }) => ({ role, pieces }));
}

function sideOf({ role, type }: JsonObject): Turn['role'] {
  if (role !== undefined) return roleOf(role);
  return textOf(type).endsWith('_output') ? 'tool' : 'assistant';
}

function itemPieces(item: JsonObject): Piece[] {
  const type = textOf(item.type);
  switch (type) {
    case '':
    case 'message':
      return contentPieces(item.content);
    case 'reasoning':
      return [{ type: 'reasoning', text: joined(item.summary) || joined(item.content) }];
    case 'function_call':
      return [callPiece(item.call_id, item.name, item.arguments)];
    case 'custom_tool_call':
      return [callPiece(item.call_id, item.name, item.input)];
    case 'mcp_call':
      return [callPiece(item.id, item.name, item.arguments), ...mcpResult(item)];
    case 'web_search_call':
    case 'local_shell_call':
    case 'shell_call':
    case 'computer_call':
    case 'apply_patch_call':
      return [callPiece(item.call_id ?? item.id, type, item.action ?? item.operation)];
    case 'file_search_call':
      return [callPiece(item.id, type, item.queries)];
    case 'code_interpreter_call':
      return [callPiece(item.id, type, item.code)];
    case 'image_generation_call':
      return [imagePiece(`image/${textOf(item.output_format) || 'png'}`, item.result)];
    case 'item_reference':
      return [filePiece(type, item.id)];
    default:
      return type.endsWith('_output') ? [outputOf(item)] : [otherPiece(item, type)];
  }
}

function mcpResult({ id, name, output, error }: JsonObject): Piece[] {
  const pieces = [...textPieces(output), ...(isObject(error) ? [otherPiece(error, error.type)] : textPieces(error))];
  if (pieces.length === 0) return [];
  return [
    { type: 'result', id: textOf(id), name: textOf(name), isError: error !== null && error !== undefined, pieces },
  ];
}

/** The output of a call: a text, parts, or an object such as a screenshot. */
function outputOf({ call_id: id, output }: JsonObject): Piece {
  const pieces = isObject(output) ? partPieces(output) : contentPieces(output);
  return { type: 'result', id: textOf(id), name: '', isError: false, pieces };
}

function contentPieces(content: unknown): Piece[] {
  return typeof content === 'string' ? textPieces(content) : listOf(content).map(objectOf).flatMap(partPieces);
}

function partPieces(part: JsonObject): Piece[] {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textPieces(part.text);
    case 'refusal':
      return textPieces(part.refusal, 'refusal');
    case 'reasoning_text':
    case 'summary_text':
      return textPieces(part.text, 'reasoning');
    case 'input_image':
    case 'computer_screenshot':
      return [imageAt(part.image_url ?? part.file_id)];
    case 'input_file':
      return [filePiece('file', part.filename, part.file_url, part.file_id)];
    case 'input_audio':
      return [filePiece('audio', objectOf(part.input_audio).format)];
    default:
      return [otherPiece(part, part.type)];
  }
}

function joined(parts: unknown): string {
  return listOf(parts)
    .map((part) => textOf(objectOf(part).text))
    .filter((text) => text !== '')
    .join('\n\n');
}
