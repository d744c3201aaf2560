import { mayReturnTo } from '../../../domain/exchange/opaque-state.ts';
import type {
  MediaPart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../domain/exchange/part.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { type JsonText, joined, jsonWith, listed, Unwritten } from '../../shared/json/json-writer.ts';
import { isBlank } from '../../shared/json/long-text.ts';
import { mediaTypeOfBase64 } from '../../shared/media/media-label.ts';
import { lostState, noteNameless } from '../shared/lost-parts.ts';
import { stateForField } from '../shared/state-token.ts';
import { hasNoArguments } from './answer.encode.ts';
import { encodeCitation, isIssued } from './citations.ts';
import type { Encoding } from './encoding.ts';
import { FORMAT } from './schema.ts';

/** A content block as JSON text. */
export interface Block {
  readonly json: JsonText;
  /** The block's text if the block has nothing else. A single such block may be written as a string. */
  readonly plain: string | null;
  readonly isResult: boolean;
}

const IMAGE_TYPES: ReadonlySet<string | null> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const PDF = 'application/pdf';

const FOREIGN_STATE = 'reasoning state is sent only to the provider that issued it';

/** Returns the block for a part, or `null` if it is left out; the loss is then noted. */
export function encodePart(part: Part, encoding: Encoding): Block | null {
  const { losses } = encoding;
  const path = part.path ?? part.type;
  if (part.type !== 'reasoning' && 'state' in part && part.state !== undefined) {
    losses.note(lostState(part, FOREIGN_STATE));
  }
  switch (part.type) {
    case 'text':
      return losses.carry('text', path) ? textBlock(part, encoding) : null;
    case 'refusal':
      return losses.carry('refusal', path) ? textBlock({ ...part, type: 'text' }, encoding) : null;
    case 'reasoning':
      return reasoningBlock(part, encoding);
    case 'tool-call':
      return callBlock(part, encoding);
    case 'tool-result':
      return resultBlock(part, encoding);
    case 'unknown':
      if (part.format === FORMAT) return block(JSON.stringify(part.value));
      if (losses.carry('unknown-blocks', path))
        losses.note({ field: path, verdict: 'dropped', why: 'it has no equivalent here' });
      return null;
    default:
      return mediaBlock(part, encoding);
  }
}

function block(json: JsonText, plain: string | null = null, isResult = false): Block {
  return { json, plain, isResult };
}

/** Encodes a text; the API refuses text blocks without a visible character, and leaving out an empty one loses nothing. */
function textBlock(part: TextPart, { losses, own, kept, marks }: Encoding): Block | null {
  const { text, path } = part;
  const control = marks.member(part.cache, path);
  if (!own && isBlank(text)) {
    const why = 'the Anthropic API rejects text that is only whitespace';
    if (text !== '') losses.note({ field: path ?? 'text', verdict: 'dropped', why });
    return null;
  }
  const wire: Record<string, unknown> = { type: 'text', text, ...control };
  const citations = part.citations ?? [];
  if (citations.length > 0) {
    const field = `${path ?? 'text'}.citations`;
    const issued = citations.filter(isIssued);
    if (issued.length < citations.length) {
      losses.note({ field, verdict: 'dropped', why: 'Claude accepts only sources that it cited itself' });
    }
    if (issued.length > 0 && losses.carry('citations', field)) wire.citations = issued.map(encodeCitation);
  }
  kept.restore(wire, path);
  return block(new Unwritten(wire), Object.keys(wire).length === 2 ? text : null);
}

function reasoningBlock(part: ReasoningPart, { losses, target, kept }: Encoding): Block | null {
  const { state, path } = part;
  const field = path ?? 'reasoning';
  if (state === undefined || state.data === '') {
    losses.carry('reasoning-text', field);
    return null;
  }
  if (!mayReturnTo(state, { family: 'anthropic', provider: target.provider, channel: target.channel })) {
    losses.note({ field, verdict: 'dropped', why: FOREIGN_STATE });
    return null;
  }
  if (!losses.carry('reasoning-state', field)) return null;
  const data = stateForField(state, 'anthropic');
  const wire = part.redacted
    ? { type: 'redacted_thinking', data }
    : { type: 'thinking', thinking: part.text, signature: data };
  return block(jsonWith(part.text.length + data.length, kept.restore(wire, path)));
}

function callBlock(part: ToolCallPart, encoding: Encoding): Block | null {
  const { losses, kept, marks } = encoding;
  const { path, custom } = part;
  const field = path ?? 'tool-call';
  if (custom && !losses.carry('custom-tools', field)) return null;
  const head = { type: 'tool_use', id: toolId(part.id, encoding), name: part.name, ...marks.member(part.cache, path) };
  const text = !custom && hasNoArguments(part.arguments) ? '{}' : part.arguments;
  const isObject = !custom && parseObject(text) !== null;
  if (!isObject) {
    const why = 'the Anthropic API requires call arguments to be a JSON object, so this text is wrapped in one';
    losses.note({ field, verdict: 'approximated', why });
  }
  const input = isObject ? text : jsonWith(text.length, custom ? { input: text } : { arguments: text });
  return block(joined(JSON.stringify(kept.restore(head, path)).slice(0, -1), ',"input":', input, '}'));
}

function resultBlock(part: ToolResultPart, encoding: Encoding): Block {
  const { losses, kept, marks, own } = encoding;
  const { path, isError } = part;
  const field = path ?? 'tool-result';
  const contents = part.content
    .filter(
      ({ type, path: inner }) =>
        type === 'text' || type === 'unknown' || losses.carry('tool-result-media', inner ?? field),
    )
    .flatMap((content) => encodePart(content, encoding) ?? []);
  const wire: Record<string, unknown> = {
    type: 'tool_result',
    tool_use_id: toolId(part.id, encoding),
    ...(isError !== undefined && (own || isError) && losses.carry('tool-result-error', `${field}.is_error`)
      ? { is_error: isError }
      : {}),
    ...marks.member(part.cache, path),
  };
  const json = JSON.stringify(kept.restore(wire, path)).slice(0, -1);
  const [only] = contents;
  const isText = part.content.length === 1 && isString(part.content[0], own);
  if (only === undefined) return block(`${json}}`, null, true);
  const content =
    isText && only.plain !== null
      ? new Unwritten(only.plain)
      : joined('[', listed(contents.map((inner) => inner.json)), ']');
  return block(joined(json, ',"content":', content, '}'), null, true);
}

/**
 * Returns whether content of this one part is written as a string: in the form that the client used, or else in the shorter form.
 */
export function isString(part: Part | undefined, own: boolean): boolean {
  return part?.type === 'text' && (!own || !part.path?.endsWith(']'));
}

const TOOL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Returns an id of letters, digits, `_` and `-`, which the API requires. Any other id is mapped to a valid one; the same id
 * always gets the same result.
 */
function toolId(id: string, { own }: Encoding): string {
  if (own || TOOL_ID.test(id)) return id;
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(id)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 40)}_${hash.toString(16)}`;
}

// ---- images and documents

function mediaBlock(part: MediaPart, encoding: Encoding): Block | null {
  const { losses, kept, marks } = encoding;
  const { type, path } = part;
  const field = path ?? type;
  if (type === 'audio' || type === 'video') {
    losses.carry(part.source.kind === 'url' ? `${type}-url` : `${type}-inline`, field);
    return null;
  }
  const source = type === 'image' ? imageSource(part, field, encoding) : documentSource(part, field, encoding);
  if (source === null) return null;
  noteNameless(part, losses);
  if (part.detail !== undefined && part.detail !== 'auto') losses.carry('image-detail', `${field}.detail`);
  const wire = { type, source, ...documentDetails(part, field, encoding), ...marks.member(part.cache, path) };
  return block(jsonWith(lengthOf(part), kept.restore(wire, path)));
}

type Source = Readonly<Record<string, unknown>>;

function lengthOf({ source }: MediaPart): number {
  if (source.kind === 'text') return source.text.length;
  return source.kind === 'base64' ? source.data.length : 0;
}

function imageSource({ source, mediaType }: MediaPart, field: string, { losses, own }: Encoding): Source | null {
  if (source.kind === 'file') return fileSource(source, field, losses);
  if (source.kind === 'url') return losses.carry('image-url', field) ? { type: 'url', url: source.url } : null;
  if (source.kind === 'text') {
    losses.note({ field, verdict: 'refused', why: 'an image is not text' });
    return null;
  }
  const type = mediaType ?? mediaTypeOfBase64(null, source.data);
  if (!own && !IMAGE_TYPES.has(type)) {
    const why = `Claude sees JPEG, PNG, GIF and WebP images, not ${type ?? 'one of an unknown type'}`;
    losses.note({ field, verdict: 'refused', why });
    return null;
  }
  return losses.carry('image-inline', field) ? { type: 'base64', media_type: type, data: source.data } : null;
}

function documentSource({ source, mediaType }: MediaPart, field: string, { losses, own }: Encoding): Source | null {
  if (source.kind === 'file') return fileSource(source, field, losses);
  if (source.kind === 'url') return losses.carry('document-url', field) ? { type: 'url', url: source.url } : null;
  if (source.kind === 'text') return losses.carry('document-text', field) ? plainText(source.text) : null;
  const type = mediaType ?? mediaTypeOfBase64(null, source.data);
  if (own || type === PDF) {
    return losses.carry('document-inline', field) ? { type: 'base64', media_type: type, data: source.data } : null;
  }
  if (type !== null && isText(type)) {
    const text = Buffer.from(source.data, 'base64').toString('utf8');
    return losses.carry('document-text', field) ? plainText(text) : null;
  }
  const why = `Claude reads PDF and text documents, not ${type ?? 'one of an unknown type'}`;
  losses.note({ field, verdict: 'refused', why });
  return null;
}

function plainText(data: string): Source {
  return { type: 'text', media_type: 'text/plain', data };
}

function isText(mediaType: string): boolean {
  return /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript)\b/.test(mediaType);
}

function fileSource(
  { id, format }: { readonly id: string; readonly format: string },
  field: string,
  losses: Encoding['losses'],
): Source | null {
  if (format !== FORMAT) {
    losses.note({ field, verdict: 'refused', why: 'the file is stored at another provider' });
    return null;
  }
  return losses.carry('provider-file', field) ? { type: 'file', file_id: id } : null;
}

/** Returns a document's title and whether it may be cited. If it has no title, its file name is used. */
function documentDetails(part: MediaPart, field: string, { losses }: Encoding): Source {
  const { type, context, citationsEnabled, fileName } = part;
  const title = part.title ?? fileName;
  if (type !== 'document' || (title === undefined && context === undefined && citationsEnabled === undefined))
    return {};
  if (!losses.carry('document-details', field)) return {};
  return {
    ...(title === undefined ? {} : { title }),
    ...(context === undefined ? {} : { context }),
    ...(citationsEnabled === undefined ? {} : { citations: { enabled: citationsEnabled } }),
  };
}
