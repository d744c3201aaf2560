import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../shared/json.ts';
import { imageAt, imagePiece } from './image.ts';
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
} from './turns.ts';

export const messages: ConversationFormat = {
  request: (body) => ({
    turns: [
      ...turnOf('system', contentPieces(body.system)),
      ...listOf(body.messages)
        .map(objectOf)
        .flatMap(({ role, content }) => withOwnResults(roleOf(role), contentPieces(content))),
    ],
    tools: listOf(body.tools)
      .map(objectOf)
      .map(({ name, type }) => textOf(name) || textOf(type)),
  }),
  answer: (body) => ({
    turns: turnOf('assistant', contentPieces(body.content), textOf(body.stop_reason)),
    error: failedIn(body.error),
  }),
  assembled,
};

function contentPieces(content: unknown): Piece[] {
  return typeof content === 'string' ? textPieces(content) : listOf(content).map(objectOf).flatMap(blockPieces);
}

function blockPieces(block: JsonObject): Piece[] {
  const type = textOf(block.type);
  switch (type) {
    case 'text':
      return textPieces(block.text);
    case 'thinking':
      return [{ type: 'reasoning', text: textOf(block.thinking) }];
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '' }];
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return [callPiece(block.id, block.name, block.input)];
    case 'image':
      return [imageIn(objectOf(block.source))];
    case 'document':
    case 'container_upload': {
      const { media_type: media, url, file_id: id } = objectOf(block.source);
      return [filePiece('document', block.title, media, url, id ?? block.file_id)];
    }
    case 'web_search_result':
    case 'search_result':
      return [filePiece(block.title, block.url ?? block.source), ...contentPieces(block.content)];
    default:
      return type.endsWith('tool_result') ? [resultOf(block)] : [otherPiece(block, type)];
  }
}

function imageIn({ type, media_type: media, data, url, file_id: id }: JsonObject): Piece {
  return type === 'base64' ? imagePiece(media, data) : imageAt(url ?? id);
}

/** Server tools return their own blocks, or an error, in place of content. */
function resultOf({ tool_use_id: id, content, is_error: failed }: JsonObject): Piece {
  const pieces = isObject(content) ? [otherPiece(content, content.type)] : contentPieces(content);
  const isError = failed === true || textOf(objectOf(content).type).endsWith('error');
  return { type: 'result', id: textOf(id), name: '', isError, pieces };
}

function assembled(events: readonly JsonObject[]): JsonObject {
  const blocks = new Map<number, Record<string, unknown>>();
  const inputs = new Map<number, string>();
  let error: unknown;
  let finish = '';
  for (const event of events) {
    const at = numberOf(event.index) ?? 0;
    if (event.type === 'error') error ??= event.error;
    else if (event.type === 'content_block_start') blocks.set(at, { ...objectOf(event.content_block) });
    else if (event.type === 'message_delta') finish = textOf(objectOf(event.delta).stop_reason) || finish;
    else if (event.type === 'content_block_delta') {
      // The beginning of a block may be missing; the first delta tells its type.
      const block = blocks.get(at) ?? {};
      blocks.set(at, block);
      addDelta(block, objectOf(event.delta), (json) => inputs.set(at, (inputs.get(at) ?? '') + json));
    }
  }
  for (const [at, json] of inputs) blocks.set(at, { type: 'tool_use', ...blocks.get(at), input: json });
  return { content: [...blocks.values()], stop_reason: finish, error };
}

function addDelta(block: Record<string, unknown>, delta: JsonObject, addInput: (json: string) => void): void {
  const add = (type: string, member: string, value: unknown) => {
    block.type ??= type;
    block[member] = textOf(block[member]) + textOf(value);
  };
  if (delta.type === 'text_delta') add('text', 'text', delta.text);
  else if (delta.type === 'thinking_delta') add('thinking', 'thinking', delta.thinking);
  else if (delta.type === 'compaction_delta') add('compaction', 'content', delta.content);
  else if (delta.type === 'input_json_delta') addInput(textOf(delta.partial_json));
}
